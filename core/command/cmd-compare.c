/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "base/error.h"
#include "cmd.h"
#include "report-options.h"
#include "road/load.h"
#include "road/run-set.h"

/* Splits the arguments between the sides; returns the second half, or NULL. */
static char **cut_sides(char **arguments)
{
	for (char **at = arguments; *at; at++) {
		if (strcmp(*at, "--") != 0)
			continue;
		g_clear_pointer(at, g_free);
		return at + 1;
	}
	return NULL;
}

static gboolean take_side(GPtrArray *runs, char **arguments, GError **error)
{
	for (; *arguments; arguments++)
		if (!run_set_take(runs, *arguments, error))
			return FALSE;
	return TRUE;
}

static int run_runs(Globals *globals, char **a, char **b, GError **error)
{
	g_autoptr(GPtrArray) runs_a = run_set_new();
	g_autoptr(GPtrArray) runs_b = run_set_new();
	g_autofree char *name_a = run_set_label(a);
	g_autofree char *name_b = run_set_label(b);
	const char *const names[] = {name_a, name_b, NULL};
	const ReportRun request = {.sides = {runs_a, runs_b}, .names = names};

	return take_side(runs_a, a, error) && take_side(runs_b, b, error)
		       ? reporting_run(globals, &request, error)
		       : EXIT_FAILED;
}

static int cmd_compare_run(Globals *globals, char **arguments, GError **error)
{
	const char *const *files = (const char *const *)arguments;
	char **other = cut_sides(arguments);

	/* If nothing precedes "--", it only ends the options. */
	if (other && !arguments[0])
		files = (const char *const *)other;
	else if (other)
		return run_runs(globals, arguments, other, error);
	guint n = g_strv_length((char **)(uintptr_t)files);
	/* With "--", a directory is a set of runs; without, it must contain one recording. */
	if (n == 1 && !load_find((char **)(uintptr_t)files, error))
		return EXIT_FAILED;
	const ReportRun request = {.files = files, .is_window = n == 1};
	if (n == 2 && (sample_choice.from || sample_choice.to))
		return error_set_usage(error, "--from, --to: only with one recording");
	if (n == 2 && (run_set_is_one(files[0]) || run_set_is_one(files[1]))) {
		char *a[] = {(char *)(uintptr_t)files[0], NULL},
		     *b[] = {(char *)(uintptr_t)files[1], NULL};

		return run_runs(globals, a, b, error);
	}
	if (n == 1 || n == 2)
		return reporting_run(globals, &request, error);
	if (n > 2)
		return error_set_usage(
			error,
			"unexpected argument '%s': expected two snapshots, BASELINE and "
			"CANDIDATE, or several runs per side: A1 A2… -- B1 B2…",
			files[2]);
	return error_set_usage(error,
			       "expected two snapshots, or one recording: BASELINE CANDIDATE ('-': "
			       "standard input; 'ctprof capture' writes one)");
}

const Command cmd_compare = {
	.name = "compare",
	.arguments = "BASELINE CANDIDATE | RECORDING | A… -- B…",
	.summary = "Compare two snapshots: what changed, in which group of threads",
	.help = "Both are written by 'ctprof capture'; '-' is standard input. Differences\n"
		"are not a failure: the exit status is 0, or 3 if a --fail-on condition is met.\n"
		"\n"
		"Snapshots of one boot are a window: threads are matched one by one, and counters\n"
		"show what was counted in between. Between two boots, the sums are compared.\n"
		"\n"
		"With one file written by 'ctprof record', two samples are compared: the first and "
		"the\n"
		"last, or those at --from and --to. With two files, a recording is its last "
		"sample.\n"
		"\n"
		"Several runs per side are tested: a row is called changed only if chance is an\n"
		"unlikely explanation. A run is a snapshot of a fresh boot, BEFORE,AFTER (a "
		"window),\n"
		"a recording, or one of a set: a directory of these, or what 'ctprof stat --repeat\n"
		"--set' keeps.\n"
		"\n"
		"Examples:\n"
		"  ctprof compare before.ctprof.zst after.ctprof.zst\n"
		"  ctprof compare --changed --group-by comm --min-pct 10 before.ctprof.zst "
		"after.ctprof.zst\n"
		"  ctprof compare --rate --sort run_time_ns before.ctprof.zst after.ctprof.zst\n"
		"  ctprof compare --fail-on 'minflt:delta>1000000' before.ctprof.zst "
		"after.ctprof.zst\n"
		"  ctprof compare --fail-on 'q<0.05 && wait_time_ns:pct>10' old.set -- new.set\n"
		"  ctprof compare --format json before.ctprof.zst after.ctprof.zst",
	.options = reporting_compare_options,
	.shared = {window_options, reporting_options, presenting_options, reading_options},
	.has_sides = TRUE,
	.arguments_from = FROM_SNAPSHOTS,
	.run = cmd_compare_run,
};

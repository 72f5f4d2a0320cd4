/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"
#include "cmd.h"
#include "report-options.h"
#include "road/load.h"

static int cmd_show_run(Globals *globals, char **arguments, GError **error)
{
	/* If a time is given, the user wants to know what happened then. */
	const ReportRun request = {
		.files = (const char *const *)arguments,
		.is_window = sample_choice.at && !sample_choice.sample,
	};

	if (!arguments[0])
		return error_set_usage(error, "expected a snapshot: FILE ('-': standard input; "
					      "'ctprof capture' writes one)");
	if (arguments[1])
		return error_set_usage(
			error,
			"unexpected argument '%s': show takes one snapshot ('ctprof compare "
			"%s %s' compares two)",
			arguments[1], arguments[0], arguments[1]);
	return load_find(&arguments[0], error) ? reporting_run(globals, &request, error)
					       : EXIT_FAILED;
}

const Command cmd_show = {
	.name = "show",
	.arguments = "FILE",
	.summary = "Show one snapshot, folded into groups of threads",
	.help = "FILE is written by 'ctprof capture' or 'ctprof record'; one sample of a\n"
		"recording is shown. '-' is standard input. With --at TIME, the window between\n"
		"the sample of that time and the one before is shown.\n"
		"Counters count since the start of each thread; '-' marks absent values. Names\n"
		"that differ only in numbers are one group: worker-{N}.\n\n"
		"Examples:\n"
		"  ctprof show before.ctprof.zst\n"
		"  ctprof show --sort run_time_ns --limit 20 before.ctprof.zst\n"
		"  ctprof show --group-by cgroup --sections cgroup-stats,pressure before.ctprof.zst\n"
		"  ctprof show --metrics rchar,wchar --format csv before.ctprof.zst\n"
		"  ctprof capture -o - | ctprof show --format json -",
	.shared = {sample_options, reporting_options, presenting_options, reading_options},
	.arguments_from = FROM_SNAPSHOTS,
	.run = cmd_show_run,
};

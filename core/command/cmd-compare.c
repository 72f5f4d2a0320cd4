/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"
#include "cmd.h"
#include "present.h"
#include "report-options.h"

static int run(Globals *globals, char **arguments)
{
	const ReportingRequest request = {.files = (const char *const *)arguments};
	g_autoptr(GError) error = NULL;
	guint n = g_strv_length(arguments);

	if (n == 2)
		return reporting_run(globals, &request);
	if (n > 2)
		error_set_usage(&error, "unexpected argument '%s'", arguments[2]);
	else
		error_set_usage(&error,
				"expected two snapshots: BASELINE CANDIDATE ('-': standard input)");
	return cmd_fail(error);
}

const Command cmd_compare = {
	.name = "compare",
	.arguments = "BASELINE CANDIDATE",
	.summary = "Compare two snapshots: what changed, in which group of threads",
	.help = "Both are written by 'ctprof capture'; '-' is standard input. Differences\n"
		"are not a failure: the exit status is 0, or 3 if a --fail-on condition is met.\n\n"
		"Snapshots of one boot are a window: threads are matched one by one, and counters\n"
		"show what was counted in between. Of two boots the sums are compared.\n\n"
		"Examples:\n"
		"  ctprof compare before.ctprof.zst after.ctprof.zst\n"
		"  ctprof compare --changed --group-by comm --min-pct 10 before.ctprof.zst "
		"after.ctprof.zst\n"
		"  ctprof compare --rate --sort-by run_time_ns before.ctprof.zst after.ctprof.zst\n"
		"  ctprof compare --fail-on 'minflt:delta>1000000' before.ctprof.zst "
		"after.ctprof.zst\n"
		"  ctprof compare --format json before.ctprof.zst after.ctprof.zst",
	.options = reporting_compare_options,
	.shared = {reporting_options, presenting_options},
	.arguments_from = FROM_SNAPSHOTS,
	.run = run,
};

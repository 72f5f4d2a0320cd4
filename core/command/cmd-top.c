/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/error.h"
#include "capture-options.h"
#include "cmd.h"
#include "report/plan/sections.h"
#include "report/report.h"
#include "road/capturing.h"
#include "road/feed.h"
#include "road/memory-reader.h"
#include "screen-run.h"
#include "screen/columns.h"
#include "screen/keys.h"

static gboolean needs(const Metric *metric)
{
	return analysis_needs_for_digest(metric) || memory_reader_needs(metric);
}

static const char *const added[] = {WAIT_GROUP,           PSS_GROUP, TURN_GROUP, MATRIX_GROUP,
				    MEMORY_READER_GROUPS, NULL};
static CapturingRequest request = {.needs = needs, .added = added, .listens = TRUE};

static Feed *open_feed(Globals *globals, gpointer data, GError **error)
{
	(void)data;
	return live_feed_new(globals, &request, error);
}

static gboolean check_pids(char **arguments, GError **error)
{
	for (char **at = arguments; *at; at++)
		if (!g_ascii_string_to_unsigned(*at, 10, 1, G_MAXINT32, NULL, NULL))
			return error_set_usage(error, "expected a process ID, not '%s'", *at);
	return TRUE;
}

static int cmd_top_run(Globals *globals, char **arguments, GError **error)
{
	/* This also excludes exit records of other processes. */
	request.pids = arguments[0] ? arguments : NULL;
	const ScreenRequest screen = {.globals = globals, .pids = request.pids, .open = open_feed};

	return check_pids(arguments, error) ? screen_run_supervised(&screen, error) : EXIT_FAILED;
}

const Command cmd_top = {
	.name = "top",
	.arguments = "[PID…]",
	.summary = "Show what this host is doing now, pool by pool",
	.help = "Shows the first screen of 'ctprof stat' for the last two samples, refreshed\n"
		"with each sample: what the host does, what stands out, and the pools of threads\n"
		"by cost. With PID, only these processes are shown.\n\n"
		"Keys:\n" KEYS_EVERYWHERE(KEY_LINE) "\n"
						    "Columns:\n" COLUMNS_HELP "\n"
						    "Examples:\n"
						    "  ctprof top\n"
						    "  ctprof top -i 1s --group-by unit\n"
						    "  ctprof top --sort waiting $(pidof postgres)",
	.shared = {screen_options_shown, capturing_options, capturing_cost_options},
	.plugin_options = ALL_PLUGIN_OPTIONS,
	.supervises = TRUE,
	.run = cmd_top_run,
};

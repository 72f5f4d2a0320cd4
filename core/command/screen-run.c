/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "screen-run.h"

#include "cmd.h"
#include "guard/crash.h"
#include "guard/supervise.h"
#include "report-options.h"
#include "screen/messages.h"
#include "screen/screen.h"
#include "screen/terminal.h"

#define NS_PER_MS G_GUINT64_CONSTANT(1000000)
#define INTERVAL_NS (2000 * NS_PER_MS)

static guint64 interval_ns = INTERVAL_NS;
static gint group_by = GROUP_BY_PCOMM;
static char *sort, *filter, *explain;

const Option screen_options_shown[] = {
	OPTION(TIME, "interval", 'i', &interval_ns, "TIME",
	       "Show the next sample every TIME; for a recording, while it plays",
	       .row.least = 100 * NS_PER_MS, .row.default_value = "2s"),
	OPTION(WORD, "group-by", 0, &group_by, "KEY", "Fold threads by",
	       OPTION_WORDS(reporting_group_words), .row.default_value = "pcomm"),
	OPTION(TEXT, "sort", 's', &sort, "METRIC", "Sort pools by this metric, or column",
	       .from = FROM_METRICS),
	OPTION(TEXT, "filter", 0, &filter, "REGEX", "Show only pools whose name matches"),
	OPTION(TEXT, "explain", 0, &explain, "FINDING", "Show only this finding, with its numbers",
	       .from = FROM_FINDINGS),
	OPTION_END,
};

static int step(gpointer data, GError **error)
{
	const ScreenRequest *request = data;
	const ScreenOptions options = {
		.interval_ns = interval_ns,
		.group_by = (GroupBy)group_by,
		.sort = sort,
		.filter = filter,
		.explain = explain,
		.pids = (const char *const *)request->pids,
	};
	Feed *feed = request->open(request->globals, request->data, error);
	gboolean ok = feed && screen_run(feed, &options, error);

	if (feed)
		feed->free(feed);
	if (crash_interrupted())
		g_clear_error(error);
	return EXIT_OF(ok && !crash_interrupted());
}

int screen_run_supervised(const ScreenRequest *request, GError **error)
{
	if (!terminal_check(error) || !messages_begin(error))
		return EXIT_FAILED;
	terminal_remember();
	supervise_follows_stops = TRUE;
	int status = supervise_run(step, request, NULL);
	terminal_restore();
	messages_end();
	return supervise_status(status);
}

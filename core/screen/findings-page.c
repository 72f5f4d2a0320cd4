/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page of what stood out in a recording, and when.  Choosing a line goes to its worst
 * moment. */
#include "inside.h"
#include "report/plan/sections.h"

static gboolean make(Screen *screen, const char *subject, Page *page, GError **error)
{
	static const PanelRows rows = {.names = {"finding", "subject"}, .subject = "subject"};
	static char wanted[] = SECTION_HISTORY;
	AnalysisOptions options = screen_options(screen);
	g_autoptr(Analysis) analysis = NULL;
	g_auto(Panel) found = {.renderer = NULL};

	(void)subject;
	options.sections = wanted;
	options.past = screen->past;
	const struct ctprof_report *report = screen_analyse(screen, &options, &analysis, error);
	if (!report)
		return FALSE;
	renderer_text(&screen->renderer,
		      "What stood out in the whole recording; Enter goes to the worst moment",
		      page->head);
	if (panel_take(&screen->renderer, report, SECTION_FINDINGS_HISTORY, &found) &&
	    found.section.n_lines > 0) {
		/* The first line drawn is then that of the headers. */
		found.section.flags |= CTPROF_SECTION_BARE;
		panel_fill(&found, &rows, page);
	} else {
		renderer_text(&screen->renderer, "nothing did", page->head);
	}
	return TRUE;
}

/* Goes to the window of the recording in which the finding was worst.  Names of findings have no
 * spaces. */
static void go_to_worst(Screen *screen, const char *name)
{
	g_auto(GStrv) parts = g_strsplit(name, " ", 2);
	g_autoptr(GError) error = NULL;
	guint worst = 0;

	(void)series_worst(screen->past, parts[1], parts[0], &worst);
	screen_settle(screen);
	if (!screen->feed->show(screen->feed, worst, series_windows(screen->past), &error) &&
	    error) {
		screen_say(screen, "%s", error->message);
		return;
	}
	series_clear(screen->history);
	screen->is_new_window = screen->paused = TRUE;
	screen_close_view(screen);
}

const ViewKind kind_findings = {.make = make, .choose = go_to_worst};

void screen_open_findings(Screen *screen)
{
	g_autoptr(GError) error = NULL;
	const AnalysisOptions options = screen_options(screen);

	/* Nothing else may read the recording meanwhile. */
	screen_settle(screen);
	Series *past = screen->feed->past(screen->feed, &options, &error);
	if (!past) {
		screen_say(screen, "%s", error->message);
		return;
	}
	g_clear_pointer(&screen->past, series_free);
	screen->past = past;
	screen_open_view(screen, &kind_findings, NULL);
}

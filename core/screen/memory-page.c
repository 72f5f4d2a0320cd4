/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pages of memory: processes, the mappings of one, and the processes that map an object.  They
 * are views of ctprof memory. */
#include <string.h>

#include "inside.h"

#define NS_PER_S G_GUINT64_CONSTANT(1000000000)
#define HOST_VIEW "pools"

static const char *const memory_of_words[N_MEMORY_OF] = {
	[MEMORY_OF_SUBTREE] = "with children",
	[MEMORY_OF_SELF] = "of each alone",
	[MEMORY_FLAT] = "flat list",
};

/* ---- the analysis -------------------------------------------------------------------- */

/* Returns the word by which the view is sorted. */
static const char *measure_of(const Screen *screen, const Section *view)
{
	for (guint i = 0; view->orders[i]; i++)
		if (g_strcmp0(view->orders[i], screen->measure) == 0)
			return view->orders[i];
	return view->orders[0];
}

static AnalysisOptions options_of(const Screen *screen, const Demand *demand)
{
	return (AnalysisOptions){
		.view = demand->memory,
		.sort = measure_of(screen, demand->memory),
		.filter = screen->filter,
		.pid = demand->pid,
		.flat = screen->memory_of == MEMORY_FLAT,
		.is_self = screen->memory_of == MEMORY_OF_SELF,
	};
}

/* The report is valid as long as the analysis; NULL with no error: nothing has been read. */
static const struct ctprof_report *analyse(const Screen *screen, const Demand *demand,
					   AnalysisOptions *options, Analysis **ret_analysis,
					   GError **error)
{
	Feed *feed = screen->feed;

	*ret_analysis = analysis_new(options, error);
	if (!*ret_analysis || !feed_load_memory(feed, demand, *ret_analysis, options, error))
		return NULL;
	return analysis_finish(*ret_analysis, error);
}

/* ---- tables -------------------------------------------------------------------------- */

/* Whether the field may be hidden: a size that is 0 wherever it is known, as swap often is, or the
 * field that the table below shows in full. */
static gboolean is_idle(const Panel *panel, guint64 field)
{
	const struct ctprof_report_section *section = &panel->section;

	if (strcmp(section->fields[field].name, "consumers") == 0)
		return TRUE;
	if (section->fields[field].ladder != CTPROF_LADDER_BYTES)
		return FALSE;
	for (guint64 i = 0; i < section->n_lines; i++)
		if (panel_value(panel, &section->lines[i], field)->number > 0)
			return FALSE;
	return section->n_lines > 0;
}

/* Takes the table without the text around it; sizes are short, so that it fits 80 columns. */
static gboolean take_table(Screen *screen, const struct ctprof_report *report, const char *name,
			   Panel *ret_panel)
{
	if (!panel_take(&screen->renderer, report, name, ret_panel))
		return FALSE;
	struct ctprof_report_section *part = &ret_panel->section;
	for (guint64 i = 0; i < part->n_fields; i++) {
		if (ret_panel->fields[i].ladder == CTPROF_LADDER_BYTES)
			ret_panel->fields[i].flags |= CTPROF_FIELD_SHORT;
		if (is_idle(ret_panel, i))
			ret_panel->fields[i].flags |= CTPROF_FIELD_HIDDEN;
	}
	part->flags = (part->flags | CTPROF_SECTION_BARE) & ~CTPROF_SECTION_HAS_COVERAGE;
	if (!(part->flags & CTPROF_SECTION_TOLD))
		part->n_notes = 0;
	return TRUE;
}

/* Adds the notes below the table.  The number of processes read is not worth a line if all were, or
 * if a note gives the number of those that were not. */
static void add_notes(Screen *screen, const struct ctprof_report *report, const char *name,
		      Page *page)
{
	g_auto(Panel) panel;

	if (!panel_take(&screen->renderer, report, name, &panel))
		return;
	struct ctprof_report_section *part = &panel.section;
	part->flags |= CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD;
	if (part->n_approximate + part->n_missing == 0 || part->n_notes > 0)
		part->flags &= ~CTPROF_SECTION_HAS_COVERAGE;
	panel_draw(&panel, page->notes);
}

static void add_table(Screen *screen, const struct ctprof_report *report, const char *name,
		      const PanelRows *rows, Page *page)
{
	g_auto(Panel) panel;

	if (take_table(screen, report, name, &panel))
		panel_fill(&panel, rows, page);
	add_notes(screen, report, name, page);
}

/* Adds a table above the main one. */
static void add_above(Screen *screen, const struct ctprof_report *report, const char *name,
		      Page *page)
{
	g_auto(Panel) panel;

	if (take_table(screen, report, name, &panel))
		panel_draw(&panel, page->head);
}

/* ---- pages --------------------------------------------------------------------------- */

/* Adds text in place of a table: why there is none, or that it is being read. */
static void add_reason(Screen *screen, const Demand *demand, const GError *why, Page *page)
{
	gboolean is_slow = (demand->memory->flags & SECTION_TAKES_NAME) != 0;

	renderer_text(&screen->renderer,
		      why       ? why->message
		      : is_slow ? "reading what each process maps; this may take some seconds"
				: "reading; the page will be shown in a moment",
		      page->head);
}

/* Adds a summary of the host's memory, as on the first screen of ctprof memory. */
static void add_host(Screen *screen, const Demand *demand, Page *page)
{
	AnalysisOptions options = {.view = section_find(HOST_VIEW, TRUE)};
	g_autoptr(Analysis) analysis = NULL;
	const struct ctprof_report *report = analyse(screen, demand, &options, &analysis, NULL);

	if (report)
		add_above(screen, report, "host", page);
}

static gboolean make(Screen *screen, const char *subject, Page *page, GError **error)
{
	const ViewKind *kind = screen_view(screen)->kind;
	const Demand demand = screen_demand(screen);
	AnalysisOptions options = options_of(screen, &demand);
	g_autoptr(Analysis) analysis = NULL;
	g_autoptr(GError) why = NULL;

	if (demand.memory->flags & SECTION_TAKES_NAME)
		options.object = subject;
	/* Without an analysis, the filter is wrong, and the user can correct it; other errors are
	 * for the page. */
	const struct ctprof_report *report = analyse(screen, &demand, &options, &analysis, &why);
	if (!analysis) {
		g_propagate_error(error, g_steal_pointer(&why));
		return FALSE;
	}
	if (!report) {
		add_reason(screen, &demand, why, page);
		return TRUE;
	}
	if (kind->above)
		add_above(screen, report, kind->above, page);
	else
		add_host(screen, &demand, page);
	add_table(screen, report, kind->table, &kind->rows, page);
	return TRUE;
}

/* A process that maps an object opens the same page as in the tree. */
static const ViewKind kind_mappings;
static const ViewKind kind_consumers = {
	.make = make,
	.opens = &kind_mappings,
	.memory = "object",
	.above = "shared",
	.table = "consumers",
	.rows = {.names = {"pid", "object"}, .subject = "pid"},
};
static const ViewKind kind_mappings = {
	.make = make,
	.opens = &kind_consumers,
	.memory = "process",
	.above = "processes",
	.table = "mappings",
	.rows = {.names = {"object", "device", "inode"}, .subject = "object", .given = "inode"},
};
const ViewKind kind_memory = {
	.make = make,
	.opens = &kind_mappings,
	.memory = "processes",
	.table = "processes",
	.rows = {.names = {"pid"}, .subject = "pid"},
};

/* ---- the line below ------------------------------------------------------------------ */

void screen_cycle_measure(Screen *screen, gint by)
{
	const Demand demand = screen_demand(screen);
	const char *const *orders = demand.memory->orders;
	const char *now = measure_of(screen, demand.memory);
	gint n = (gint)g_strv_length((char **)(uintptr_t)orders), at = 0;

	while (strcmp(orders[at], now) != 0)
		at++;
	screen->measure = orders[(at + by + n) % n];
	screen_forget_page(screen);
}

/* Returns "12 s" or "3 min". */
static char *describe_age(guint64 seconds)
{
	return seconds < 120 ? g_strdup_printf("%" G_GUINT64_FORMAT " s", seconds)
			     : g_strdup_printf("%" G_GUINT64_FORMAT " min", seconds / 60);
}

char *screen_describe_memory(const Screen *screen)
{
	const Demand demand = screen_demand(screen);
	const Feed *feed = screen->feed;
	guint64 ns = feed_memory_time(feed, &demand);
	guint64 now = (guint64)g_get_real_time() * 1000;
	GString *text = g_string_new(NULL);

	g_string_printf(text, " by %s", measure_of(screen, demand.memory));
	if (demand.memory->flags & SECTION_TAKES_PID)
		g_string_append_printf(text, " · mappings of %d", demand.pid);
	else if (!(demand.memory->flags & SECTION_TAKES_NAME))
		g_string_append_printf(text, " · %s", memory_of_words[screen->memory_of]);
	if (ns == 0)
		return g_string_free(text, FALSE);
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_local((gint64)(ns / NS_PER_S));
	g_autofree char *clock = time ? g_date_time_format(time, "%H:%M:%S") : g_strdup("?");
	g_string_append_printf(text, " · read at %s", clock);
	if (!feed->is_replay) {
		g_autofree char *age = describe_age(now > ns ? (now - ns) / NS_PER_S : 0);

		g_string_append_printf(text, ", %s ago", age);
	}
	return g_string_free(text, FALSE);
}

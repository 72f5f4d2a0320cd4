/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page of one pool: where the time of its threads went, where they wait, and each. */
#include <string.h>

#include "inside.h"
#include "report/plan/sections.h"

#define MOST_PLACES 3

/* What a thread does with its time. */
static const char *const uses[] = {"cpu",       "user",    "system",     "waiting",   "disk_wait",
				   "swap_wait", "reclaim", "compaction", "thrashing", NULL};

/* The line of that pool, or NULL. */
static const struct ctprof_report_line *find_line(const struct ctprof_report *report,
						  const struct ctprof_report_section *pools,
						  const char *name)
{
	gint pool = drawer_field(pools, "pool");

	for (guint64 i = 0; i < pools->n_lines; i++) {
		const struct ctprof_value *value = drawer_value(report, &pools->lines[i], pool);

		if (value->type == CTPROF_VALUE_TEXT && g_str_equal(value->text, name) &&
		    pools->lines[i].role == CTPROF_ROLE_POOL)
			return &pools->lines[i];
	}
	return NULL;
}

/* The pool's line, with what its time went to: what is 0, or not known, is left out. */
static gboolean add_uses(const Screen *screen, const struct ctprof_report *report, const char *name,
			 Page *page, GError **error)
{
	const struct ctprof_report_section *pools = drawer_find(report, SECTION_POOLS);
	const struct ctprof_report_line *line = find_line(report, pools, name);
	struct ctprof_report_section part = *pools;
	g_autofree struct ctprof_report_field *fields =
		g_new(struct ctprof_report_field, pools->n_fields);
	guint n_shown = 0;

	if (!line)
		return TRUE;
	memcpy(fields, pools->fields, pools->n_fields * sizeof *fields);
	for (guint64 i = 0; i < pools->n_fields; i++) {
		const struct ctprof_value *value = drawer_value(report, line, (gint)i);
		gboolean shown = g_strv_contains(uses, fields[i].name) &&
				 value->type == CTPROF_VALUE_REAL && value->real > 0;

		n_shown += shown ? 1 : 0;
		fields[i].flags &= ~CTPROF_FIELD_HIDDEN;
		if (i > 0)
			fields[i].flags |= shown ? CTPROF_FIELD_SHORT : CTPROF_FIELD_HIDDEN;
	}
	if (n_shown == 0)
		return drawer_text(&screen->drawer, "it did nothing, and waited for nothing",
				   page->head, error);
	part.fields = fields;
	part.lines = line;
	part.n_lines = 1;
	return drawer_section(&screen->drawer, report, &part, page->head, error);
}

static void add_history(const Screen *screen, const char *name, Page *page)
{
	g_autofree char *bars =
		series_draw(screen->history, name, HISTORY_OF_POOLS, HISTORY_WINDOWS);

	if (bars)
		g_ptr_array_add(page->head, g_strdup_printf(" CPU   %s", bars));
}

/* The first places of the section, without the name of the pool, which they have in common. */
static gboolean draw_places(const Screen *screen, const struct ctprof_report *report,
			    const struct ctprof_report_section *section, GPtrArray *drawn,
			    GError **error)
{
	struct ctprof_report_section part = *section;
	struct ctprof_report_line lines[MOST_PLACES];
	struct ctprof_cell cells[MOST_PLACES];
	struct ctprof_report newest = *report;

	part.n_lines = MIN(section->n_lines, MOST_PLACES);
	for (guint64 i = 0; i < part.n_lines; i++) {
		lines[i] = section->lines[i];
		lines[i].names[0] = lines[i].names[lines[i].n_names - 1];
		lines[i].n_names = 1;
		lines[i].n_cells = 1;
		lines[i].cells = &cells[i];
		cells[i] = section->lines[i].cells[0];
		if (cells[i].value[1].type != CTPROF_VALUE_ABSENT)
			cells[i].value[0] = cells[i].value[1];
	}
	part.lines = lines;
	part.names_header = "WAITS IN";
	part.flags |= CTPROF_SECTION_BARE;
	/* Not every sample has it: that of the newest that does. */
	newest.flags &= ~CTPROF_REPORT_COMPARE;
	return drawer_section(&screen->drawer, &newest, &part, drawn, error);
}

/* The places of the window; of a window that has none those that were read last, and when. */
static void put_places(Screen *screen, const char *subject, GPtrArray *lines, Page *page)
{
	gboolean is_known = g_strcmp0(screen->places_of, subject) == 0;

	if (lines->len > 0) {
		g_autofree char *when = NULL;
		g_autoptr(GDateTime) now = g_date_time_new_now_local();

		for (guint i = 0; i < lines->len; i++)
			g_ptr_array_add(page->head, g_strdup(g_ptr_array_index(lines, i)));
		g_clear_pointer(&screen->places, g_ptr_array_unref);
		g_free(screen->places_of);
		when = g_date_time_format(now, "%H:%M:%S");
		g_ptr_array_add(lines, g_strdup_printf(" (read at %s)", when));
		screen->places = g_ptr_array_ref(lines);
		screen->places_of = g_strdup(subject);
		return;
	}
	for (guint i = 0; is_known && !screen->feed->is_replay && i < screen->places->len; i++)
		g_ptr_array_add(page->head, g_strdup(g_ptr_array_index(screen->places, i)));
}

/* Where its threads wait: the section of that name, of these threads alone. */
static gboolean add_places(Screen *screen, const char *subject, GHashTable *threads, Page *page,
			   GError **error)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	static char wait[] = SECTION_WAIT;
	AnalysisOptions options = screen_options(screen);
	g_autoptr(Analysis) analysis = NULL;

	options.digest = FALSE;
	options.sections = wait;
	options.sort_by = options.filter = NULL;
	options.tids = threads;
	const struct ctprof_report *report = screen_analyse(screen, &options, &analysis, error);
	const struct ctprof_report_section *section =
		report ? drawer_find(report, SECTION_WAIT) : NULL;
	if (!report || (section && !draw_places(screen, report, section, lines, error)))
		return FALSE;
	put_places(screen, subject, lines, page);
	return TRUE;
}

static gboolean add_threads(Screen *screen, GHashTable *threads, Page *page, GError **error)
{
	AnalysisOptions options = screen_options(screen);
	g_autoptr(Analysis) analysis = NULL;

	options.group_by = GROUP_BY_THREAD;
	options.filter = NULL;
	options.tids = threads;
	const struct ctprof_report *report = screen_analyse(screen, &options, &analysis, error);
	return report && screen_add_pools(screen, report, page, error);
}

static gboolean make(Screen *screen, const char *subject, Page *page, GError **error)
{
	AnalysisOptions options = screen_options(screen);
	g_autoptr(Analysis) analysis = NULL;

	options.watched = subject;
	options.collects = screen->is_new_window ? screen->history : NULL;
	const struct ctprof_report *report = screen_analyse(screen, &options, &analysis, error);
	if (!report)
		return FALSE;
	screen->is_new_window = FALSE;
	GHashTable *threads = analysis_threads(analysis);
	if (!drawer_titles(&screen->drawer, report, page->head, error))
		return FALSE;
	/* Of the window alone. */
	g_ptr_array_remove_range(page->head, 1, page->head->len - 1);
	if (g_hash_table_size(threads) == 0) {
		g_ptr_array_add(page->head, g_strdup(" no thread of this pool is in the window"));
		return TRUE;
	}
	if (!add_uses(screen, report, subject, page, error))
		return FALSE;
	add_history(screen, subject, page);
	return add_places(screen, subject, threads, page, error) &&
	       add_threads(screen, threads, page, error);
}

const ViewKind kind_pool = {.make = make};

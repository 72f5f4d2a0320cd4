/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page of one pool: where the time of its threads went, where they wait, and each thread. */
#include <string.h>

#include "inside.h"
#include "report/plan/sections.h"

#define MOST_PLACES 3
#define MOST_RIVALS 4

/* The uses of a thread's time, and percentiles of its waits for a CPU. */
static const char *const uses[] = {
	"cpu",           "user",          "system",     "waiting",   "disk_wait",
	"swap_wait",     "reclaim",       "compaction", "thrashing", "run_delay:p50",
	"run_delay:p99", "run_delay:max", NULL,
};

/* Returns the line of that pool, or NULL. */
static const struct ctprof_report_line *find_line(const Panel *pools, const char *name)
{
	for (guint64 i = 0; i < pools->section.n_lines; i++) {
		const struct ctprof_report_line *line = &pools->section.lines[i];

		if (line->role == CTPROF_ROLE_POOL &&
		    g_strcmp0(panel_value_by_name(pools, line, "pool")->text, name) == 0)
			return line;
	}
	return NULL;
}

static gboolean is_positive(const struct ctprof_value *value)
{
	return (value->type == CTPROF_VALUE_REAL && value->real > 0) ||
	       (value->type == CTPROF_VALUE_NUMBER && value->number > 0);
}

/* Adds the pool's line with the uses of its time; those that are 0 or not known are left out. */
static void add_uses(Screen *screen, const struct ctprof_report *report, const char *name,
		     Page *page)
{
	g_auto(Panel) pools;
	guint n_shown = 0;

	if (!panel_take(&screen->renderer, report, SECTION_POOLS, &pools))
		return;
	const struct ctprof_report_line *line = find_line(&pools, name);
	if (!line)
		return;
	for (guint64 i = 0; i < pools.section.n_fields; i++) {
		gboolean shown = g_strv_contains(uses, pools.fields[i].name) &&
				 is_positive(panel_value(&pools, line, i));

		n_shown += shown ? 1 : 0;
		pools.fields[i].flags &= ~CTPROF_FIELD_HIDDEN;
		if (i > 0)
			pools.fields[i].flags |= shown ? CTPROF_FIELD_SHORT : CTPROF_FIELD_HIDDEN;
	}
	pools.section.lines = line;
	pools.section.n_lines = 1;
	if (n_shown > 0)
		panel_draw(&pools, page->head);
	else
		renderer_text(&screen->renderer, "idle: no CPU time, no waiting", page->head);
}

static void add_history(const Screen *screen, const char *name, Page *page)
{
	g_autofree char *bars =
		series_draw(screen->history, name, HISTORY_OF_POOLS, HISTORY_WINDOWS);

	if (bars)
		g_ptr_array_add(page->head, g_strdup_printf(" CPU   %s", bars));
}

/* Draws the first lines of the section, without the pool's name, which all of them have. */
static void draw_lines(Panel *panel, const char *header, guint64 most, GPtrArray *drawn)
{
	const guint64 n = MIN(panel->section.n_lines, most), room = panel->section.n_fields;
	g_autofree struct ctprof_cell *cells = g_new(struct ctprof_cell, n * room);
	g_autofree struct ctprof_report_line *lines =
		g_memdup2(panel->section.lines, n * sizeof *lines);

	for (guint64 i = 0; i < n; i++) {
		struct ctprof_cell *own = &cells[i * room];

		for (guint64 k = 0; k < lines[i].n_cells; k++) {
			own[k] = lines[i].cells[k];
			if (own[k].value[1].type != CTPROF_VALUE_ABSENT)
				own[k].value[0] = own[k].value[1];
		}
		lines[i].names[0] = lines[i].names[lines[i].n_names - 1];
		lines[i].n_names = 1;
		lines[i].cells = own;
	}
	panel->section.n_lines = n;
	panel->section.lines = lines;
	panel->section.names_header = header;
	panel->section.flags |= CTPROF_SECTION_BARE;
	/* Not every sample has each section: use the newest one that does. */
	panel->report.flags &= ~CTPROF_REPORT_COMPARE;
	panel_draw(panel, drawn);
}

/* Adds the states of the pool's threads, if they were sampled. */
static void add_states(Screen *screen, const struct ctprof_report *report, Page *page)
{
	g_auto(Panel) states = {.renderer = NULL};
	gboolean is_sampled = FALSE;

	if (!panel_take(&screen->renderer, report, SECTION_STATES, &states))
		return;
	for (guint64 i = 0; i < states.section.n_lines; i++)
		is_sampled |=
			panel_value_by_name(&states, &states.section.lines[i], "share_low")->type !=
			CTPROF_VALUE_ABSENT;
	if (is_sampled)
		draw_lines(&states, "STATE", G_MAXUINT64, page->head);
}

/* Adds the places of the window; if it has none, those that were read last, and when. */
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

/* Adds what the threads did, and the places where they wait: the sections of that name, only for
 * these threads. */
static gboolean add_places(Screen *screen, const char *subject, GHashTable *threads, Page *page,
			   GError **error)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	static char wanted[] = SECTION_STATES "," SECTION_WAIT;
	AnalysisOptions options = screen_options(screen);
	g_autoptr(Analysis) analysis = NULL;
	g_auto(Panel) wait = {.renderer = NULL};

	options.digest = FALSE;
	options.sections = wanted;
	options.sort_by = options.filter = NULL;
	options.tids = threads;
	const struct ctprof_report *report = screen_analyse(screen, &options, &analysis, error);
	if (!report)
		return FALSE;
	add_states(screen, report, page);
	if (panel_take(&screen->renderer, report, SECTION_WAIT, &wait))
		draw_lines(&wait, "WAITS IN", MOST_PLACES, lines);
	put_places(screen, subject, lines, page);
	return TRUE;
}

/* Returns the prefix of the matrix's pairs in which this pool waits, such as "redis: "; the caller
 * frees it. */
static char *name_pairs(const char *pool)
{
	const char *quote = pool[0] == '(' ? "'" : "";
	g_auto(GStrv) parts = g_strsplit(pool, ": ", -1);
	g_autofree char *name = g_strjoinv(":_", parts);

	return g_strdup_printf("%s%s%s: ", quote, name, quote);
}

/* Whether the matrix was already there when the window began; otherwise its lines are only about
 * the end of the window. */
static gboolean is_whole(const Panel *matrix)
{
	for (guint64 i = 0; i < matrix->section.n_lines; i++)
		if (matrix->section.lines[i].cells[0].value[0].type != CTPROF_VALUE_ABSENT)
			return TRUE;
	return FALSE;
}

/* Draws the first lines of the matrix with their growth in the window, and without the beginning of
 * their names, which is the same for all. */
static void draw_growth(Panel *matrix, gsize n_prefix, GPtrArray *drawn)
{
	guint64 n = MIN(matrix->section.n_lines, MOST_RIVALS);
	g_autofree struct ctprof_cell *cells = g_new(struct ctprof_cell, n);
	g_autofree struct ctprof_report_line *lines =
		g_memdup2(matrix->section.lines, n * sizeof *lines);

	for (guint64 i = 0; i < n; i++) {
		struct ctprof_value *value = cells[i].value;

		cells[i] = lines[i].cells[0];
		lines[i].cells = &cells[i];
		lines[i].names[0] += n_prefix;
		if (value[1].type == CTPROF_VALUE_ABSENT)
			value[0] = value[1];
		else if (value[0].type == CTPROF_VALUE_NUMBER)
			value[1].number -= MIN(value[0].number, value[1].number);
	}
	matrix->section.lines = lines;
	matrix->section.flags &= ~CTPROF_SECTION_LONG;
	matrix->fields[0].header = "RAN FOR";
	matrix->fields[0].flags |= CTPROF_FIELD_SHORT;
	draw_lines(matrix, "WHILE IT WAITED", n, drawn);
}

/* Adds what ran while threads of the pool waited for a CPU, if that was captured. */
static void add_rivals(Screen *screen, const char *subject, Page *page)
{
	static char wanted[] = MATRIX_GROUP, metrics[] = "waited_for_ns";
	g_autofree char *prefix = name_pairs(subject);
	g_autofree char *escaped = g_regex_escape_string(prefix, -1);
	g_autofree char *filter = g_strdup_printf("^%s", escaped);
	AnalysisOptions options = screen_options(screen);
	g_autoptr(Analysis) analysis = NULL;
	g_auto(Panel) matrix = {.renderer = NULL};
	g_autoptr(GError) not_captured = NULL;

	/* The pools of the matrix are processes of one name. */
	if (screen->group_by != GROUP_BY_PCOMM)
		return;
	options.digest = FALSE;
	options.sections = wanted;
	options.metrics = metrics;
	options.sort_by = NULL;
	options.filter = filter;
	const struct ctprof_report *report =
		screen_analyse(screen, &options, &analysis, &not_captured);
	if (report && panel_take(&screen->renderer, report, MATRIX_GROUP, &matrix) &&
	    is_whole(&matrix))
		draw_growth(&matrix, strlen(prefix), page->head);
}

static gboolean add_threads(Screen *screen, GHashTable *threads, Page *page, GError **error)
{
	AnalysisOptions options = screen_options(screen);
	g_autoptr(Analysis) analysis = NULL;

	options.group_by = GROUP_BY_THREAD;
	options.filter = NULL;
	options.tids = threads;
	const struct ctprof_report *report = screen_analyse(screen, &options, &analysis, error);
	if (report)
		screen_add_pools(screen, report, page);
	return report != NULL;
}

static gboolean make(Screen *screen, const char *subject, Page *page, GError **error)
{
	AnalysisOptions options;
	g_autoptr(Analysis) analysis = NULL;
	const struct ctprof_report *report =
		screen_analyse_window(screen, subject, &options, &analysis, error);

	if (!report)
		return FALSE;
	GHashTable *threads = analysis_threads(analysis);
	/* Draws only the first title, which is about the window. */
	renderer_titles(&screen->renderer, report, 1, page->head);
	if (g_hash_table_size(threads) == 0) {
		g_ptr_array_add(page->head, g_strdup(" no thread of this pool is in the window"));
		return TRUE;
	}
	add_uses(screen, report, subject, page);
	add_history(screen, subject, page);
	add_rivals(screen, subject, page);
	return add_places(screen, subject, threads, page, error) &&
	       add_threads(screen, threads, page, error);
}

const ViewKind kind_pool = {.make = make};

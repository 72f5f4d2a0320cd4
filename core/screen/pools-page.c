/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page of pools: the digest of the window. */
#include <string.h>

#include "frame/quantity.h"
#include "inside.h"
#include "report/plan/sections.h"

/* Maximum and minimum number of bars at the right end of a line about the host. */
#define BARS 20
#define LEAST_BARS 6

/* Sentences about the host, and the value that their bars show. */
static const struct {
	guint32 role;
	const char *value;
} plots[] = {{CTPROF_SENTENCE_CPU, "busy"},
	     {CTPROF_SENTENCE_DISK, "io_pressure"},
	     {CTPROF_SENTENCE_MEMORY, "memory_used"}};

/* Adds bars at the right end of the last line, as far as there is room. */
static void add_bars(const Screen *screen, const char *value, GPtrArray *lines)
{
	gpointer *line = &g_ptr_array_index(lines, lines->len - 1);
	guint width = screen->renderer.width, used = (guint)g_utf8_strlen(*line, -1) + 2;
	guint room = width > used ? MIN(width - used, BARS) : 0;
	g_autofree char *bars = NULL;

	if (room >= LEAST_BARS)
		bars = series_draw(screen->history, NULL, value, room);
	if (!bars)
		return;
	g_autofree char *text = *line;
	guint pad = width - used - (guint)g_utf8_strlen(bars, -1) + 1;
	*line = g_strdup_printf("%s%*s%s", text, (int)pad, "", bars);
}

/* Adds the sentences of a section: those about the host have bars at the right, findings stand
 * out. */
static void add_sentences(Screen *screen, const struct ctprof_report *report, const char *name,
			  Page *page)
{
	g_auto(Panel) panel;

	if (!panel_take(&screen->renderer, report, name, &panel))
		return;
	const struct ctprof_report_section *section = &panel.section;
	for (guint64 i = 0; i < section->n_notes; i++) {
		const struct ctprof_sentence *sentence =
			section->sentences ? section->sentences[i] : NULL;
		guint first = page->head->len;

		/* The findings need no heading. */
		if (!sentence && i + 1 < section->n_notes && i == 0)
			continue;
		panel_draw_note(&panel, i, page->head);
		if (!sentence || page->head->len == first)
			continue;
		if (sentence->role == CTPROF_SENTENCE_FINDING)
			g_ptr_array_add(page->alarms, g_ptr_array_index(page->head, first));
		for (guint k = 0; k < G_N_ELEMENTS(plots); k++)
			if (plots[k].role == sentence->role)
				add_bars(screen, plots[k].value, page->head);
	}
}

/* ---- the table --------------------------------------------------------------------- */

/* Returns the column's name for --sort; NULL: it cannot be sorted by.  The caller frees it. */
static char *sort_word(const struct ctprof_report_field *field)
{
	g_autofree char *header = g_ascii_strdown(field->header, -1);

	if (quantity_find(field->name))
		return g_strdup(field->name);
	return quantity_find(header) ? g_steal_pointer(&header) : NULL;
}

/* Hides the columns that the user does not want. */
static void choose_columns(Screen *screen, Panel *pools)
{
	g_ptr_array_set_size(screen->sortable, 0);
	g_ptr_array_set_size(screen->choices, 0);
	for (guint64 i = 0; i < pools->section.n_fields; i++) {
		struct ctprof_report_field *field = &pools->fields[i];

		if (field->flags & CTPROF_FIELD_HIDDEN)
			continue;
		if (i > 0)
			g_ptr_array_add(screen->choices, g_strdup(field->header));
		if (g_hash_table_contains(screen->hidden, field->header)) {
			field->flags |= CTPROF_FIELD_HIDDEN;
			continue;
		}
		char *word = sort_word(field);
		if (!word)
			continue;
		if (screen->sort && quantity_find(word) == quantity_find(screen->sort))
			field->flags |= CTPROF_FIELD_SORTED;
		g_ptr_array_add(screen->sortable, word);
	}
}

void screen_add_pools(Screen *screen, const struct ctprof_report *report, Page *page)
{
	static const PanelRows rows = {.names = {"pool"}, .subject = "pool"};
	g_auto(Panel) pools;

	if (!panel_take(&screen->renderer, report, SECTION_POOLS, &pools))
		return;
	choose_columns(screen, &pools);
	panel_fill(&pools, &rows, page);
}

/* ---- the page ---------------------------------------------------------------------- */

const struct ctprof_report *screen_analyse_window(Screen *screen, const char *watched,
						  AnalysisOptions *options, Analysis **ret_analysis,
						  GError **error)
{
	*options = screen_options(screen);
	options->watched = watched;
	options->collects = screen->is_new_window ? screen->history : NULL;
	const struct ctprof_report *report = screen_analyse(screen, options, ret_analysis, error);
	screen->is_new_window &= !report;
	return report;
}

static gboolean make(Screen *screen, const char *subject, Page *page, GError **error)
{
	AnalysisOptions options;
	g_autoptr(Analysis) analysis = NULL;
	const struct ctprof_report *report =
		screen_analyse_window(screen, subject, &options, &analysis, error);

	if (!report)
		return FALSE;
	renderer_titles(&screen->renderer, report, report->n_titles, page->head);
	add_sentences(screen, report, SECTION_HOST, page);
	add_sentences(screen, report, SECTION_FINDINGS, page);
	screen_add_pools(screen, report, page);
	return TRUE;
}

const ViewKind kind_pools = {.make = make, .opens = &kind_pool};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page of pools: the digest of the window. */
#include <string.h>

#include "frame/quantity.h"
#include "inside.h"
#include "report/plan/sections.h"

/* Of the right of a line of the host. */
#define BARS 20
#define LEAST_BARS 6

/* Sentences about the host, and the value that their bars are of. */
static const struct {
	guint32 role;
	const char *value;
} plots[] = {{CTPROF_SENTENCE_CPU, "busy"},
	     {CTPROF_SENTENCE_DISK, "io_pressure"},
	     {CTPROF_SENTENCE_MEMORY, "memory_used"}};

/* Bars at the right of a line, as far as there is room. */
static char *add_bars(const Screen *screen, const char *line, const char *value)
{
	guint width = screen->drawer.width, used = (guint)g_utf8_strlen(line, -1) + 2;
	guint room = width > used ? MIN(width - used, BARS) : 0;
	g_autofree char *bars = NULL;

	if (room >= LEAST_BARS)
		bars = series_draw(screen->history, NULL, value, room);
	if (!bars)
		return g_strdup(line);
	guint pad = width - used - (guint)g_utf8_strlen(bars, -1) + 1;
	return g_strdup_printf("%s%*s%s", line, (int)pad, "", bars);
}

/* The sentences about the host, each with bars at its right. */
static gboolean add_host(const Screen *screen, const struct ctprof_report *report,
			 const struct ctprof_report_section *host, GPtrArray *lines, GError **error)
{
	struct ctprof_report_section part = *host;

	part.n_notes = 1;
	for (guint64 i = 0; i < host->n_notes; i++) {
		part.notes = &host->notes[i];
		part.sentences = &host->sentences[i];
		if (!drawer_section(&screen->drawer, report, &part, lines, error))
			return FALSE;
		for (guint k = 0; k < G_N_ELEMENTS(plots); k++) {
			char *line = g_ptr_array_index(lines, lines->len - 1);

			if (plots[k].role != host->sentences[i]->role)
				continue;
			g_ptr_array_index(lines, lines->len - 1) =
				add_bars(screen, line, plots[k].value);
			g_free(line);
		}
	}
	return TRUE;
}

/* ---- the table --------------------------------------------------------------------- */

/* As --sort takes it; NULL: it cannot be sorted by.  The caller frees it. */
static char *sort_word(const struct ctprof_report_field *field)
{
	g_autofree char *header = g_ascii_strdown(field->header, -1);

	if (quantity_find(field->name))
		return g_strdup(field->name);
	return quantity_find(header) ? g_steal_pointer(&header) : NULL;
}

/* Which of the columns there are the user wants. */
static void choose_columns(Screen *screen, const struct ctprof_report_section *pools,
			   struct ctprof_report_field *fields)
{
	g_ptr_array_set_size(screen->sortable, 0);
	g_ptr_array_set_size(screen->choices, 0);
	for (guint64 i = 0; i < pools->n_fields; i++) {
		const char *header = fields[i].header;

		if (fields[i].flags & CTPROF_FIELD_HIDDEN)
			continue;
		if (i > 0)
			g_ptr_array_add(screen->choices, g_strdup(header));
		if (g_hash_table_contains(screen->hidden, header)) {
			fields[i].flags |= CTPROF_FIELD_HIDDEN;
			continue;
		}
		char *word = sort_word(&fields[i]);
		if (!word)
			continue;
		if (screen->sort && quantity_find(word) == quantity_find(screen->sort))
			fields[i].flags |= CTPROF_FIELD_SORTED;
		g_ptr_array_add(screen->sortable, word);
	}
}

/* Drawn lines become rows; sums stay in sight. */
static void sort_out(const struct ctprof_report *report,
		     const struct ctprof_report_section *section, GPtrArray *lines, Page *page)
{
	gint pool = drawer_field(section, "pool");

	for (guint i = 0; i < lines->len; i++) {
		char *text = g_steal_pointer(&g_ptr_array_index(lines, i));
		const struct ctprof_report_line *line = i > 0 ? &section->lines[i - 1] : NULL;

		if (!line) {
			g_ptr_array_add(page->heading, text);
		} else if (line->flags & CTPROF_LINE_TOTAL) {
			g_ptr_array_add(page->foot, text);
		} else {
			const char *name = drawer_value(report, line, pool)->text;

			page_add_row(page, text, name, name);
		}
	}
}

gboolean screen_add_pools(Screen *screen, const struct ctprof_report *report, Page *page,
			  GError **error)
{
	const struct ctprof_report_section *pools = drawer_find(report, SECTION_POOLS);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	if (!pools)
		return TRUE;
	struct ctprof_report_section shown = *pools;
	g_autofree struct ctprof_report_field *fields =
		g_new(struct ctprof_report_field, pools->n_fields);
	memcpy(fields, pools->fields, pools->n_fields * sizeof *fields);
	choose_columns(screen, pools, fields);
	shown.fields = fields;
	if (!drawer_section(&screen->drawer, report, &shown, lines, error))
		return FALSE;
	sort_out(report, pools, lines, page);
	return TRUE;
}

/* ---- the page ---------------------------------------------------------------------- */

static gboolean add_head(const Screen *screen, const struct ctprof_report *report, Page *page,
			 GError **error)
{
	const struct ctprof_report_section *host = drawer_find(report, SECTION_HOST);
	const struct ctprof_report_section *findings = drawer_find(report, SECTION_FINDINGS);

	if (!drawer_titles(&screen->drawer, report, page->head, error) ||
	    (host && !add_host(screen, report, host, page->head, error)))
		return FALSE;
	if (!findings)
		return TRUE;
	struct ctprof_report_section said = *findings;
	/* The sentences speak for themselves. */
	if (said.n_notes > 1) {
		said.n_notes--;
		said.notes++;
		said.sentences++;
	}
	return drawer_section(&screen->drawer, report, &said, page->head, error);
}

static gboolean make(Screen *screen, const char *subject, Page *page, GError **error)
{
	AnalysisOptions options = screen_options(screen);
	g_autoptr(Analysis) analysis = NULL;

	(void)subject;
	options.collects = screen->is_new_window ? screen->history : NULL;
	const struct ctprof_report *report = screen_analyse(screen, &options, &analysis, error);
	if (!report)
		return FALSE;
	screen->is_new_window = FALSE;
	return add_head(screen, report, page, error) &&
	       screen_add_pools(screen, report, page, error);
}

const ViewKind kind_pools = {.make = make, .opens = &kind_pool};

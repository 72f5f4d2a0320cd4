/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "chart.h"
#include "label.h"
#include "real.h"

#define DEEPEST 12
/* The maximum length of text that may be cut. */
#define MOST_LETTERS 120
/* A strip takes a few hundred bytes: beyond this number of rows, only numbers are shown. */
#define MOST_STRIPS 400

static const char *const classes[N_STYLES] = {
	[STYLE_MORE] = "up",
	[STYLE_LESS] = "down",
	[STYLE_MUCH_MORE] = "up much",
	[STYLE_MUCH_LESS] = "down much",
};

/* The state of writing a section. */
struct drafting {
	FILE *stream;
	const struct ctprof_report *report;
	struct ctprof_report_section section; /* without its headings */
	GArray *columns;                      /* struct drawn */
	guint names;                          /* index of the column that names the lines */
	guint64 n_absent, n_same, n_strips;
};

char *tables_cell(const struct spot *spot, const struct drawn *drawn)
{
	GString *text = g_string_new(NULL);

	drawn->column->fill(text, spot);
	/* The cell's class shows the depth in a tree, so blanks are not needed. */
	g_string_erase(text, 0, (gssize)strspn(text->str, " "));
	/* A command line may be a whole script. */
	if (spot->field && drawn->column == &column_field && drawn->flexible)
		label_cut(text, MOST_LETTERS);
	return g_string_free(text, FALSE);
}

void tables_put_head(FILE *stream, const GArray *columns, const char *extra)
{
	fputs("<thead><tr>", stream);
	for (guint i = 0; i < columns->len; i++) {
		const struct drawn *drawn = &g_array_index(columns, struct drawn, i);

		fprintf(stream, "<th scope=\"col\"%s>", drawn->right ? " class=\"n\"" : "");
		markup_put(stream, drawn->header ? drawn->header : "");
		fputs("</th>", stream);
		if (i == 0 && extra)
			fprintf(stream, "<th scope=\"col\" class=\"chart\">%s</th>", extra);
	}
	fputs("</tr></thead>\n", stream);
}

/* Writes the number by which a script sorts the cell, unless the text is that number. */
static void put_rank(FILE *stream, const struct spot *spot, const struct drawn *drawn,
		     const char *text)
{
	char rank[REAL_ROOM];

	real_rank(drawn->column->rank ? drawn->column->rank(spot) : NAN, rank);
	if (rank[0] && strcmp(rank, text) != 0)
		fprintf(stream, " data-v=%s", rank);
}

/* Writes as few bytes as possible, since there may be hundreds of thousands of cells. */
void tables_open_cell(FILE *stream, const struct spot *spot, const struct drawn *drawn,
		      const char *text, gboolean is_name)
{
	enum style style = drawn->column->style ? drawn->column->style(spot) : STYLE_NONE;

	fputs(is_name ? "<th scope=row" : "<td", stream);
	if (drawn->right || classes[style])
		fprintf(stream, " class=\"%s%s%s\"", drawn->right ? "n" : "",
			drawn->right && classes[style] ? " " : "",
			classes[style] ? classes[style] : "");
	if (!is_name)
		put_rank(stream, spot, drawn, text);
	fputc('>', stream);
}

/* ---- lines ----------------------------------------------------------------- */

/* Whether the cell's value is 0, or has not changed.  The same number of waits may be longer than
 * before. */
static gboolean is_same(const struct drafting *drafting, const struct ctprof_cell *cell)
{
	if (drawing_runs(cell) || drawing_histogram(cell, 0) || drawing_histogram(cell, 1))
		return FALSE;
	if (!drawing_is_compare(drafting->report))
		return markup_number(&cell->value[0]) == 0;
	return cell->flags & CTPROF_CELL_HAS_DELTA ? cell->delta == 0
						   : (cell->flags & CTPROF_CELL_SAME) != 0;
}

/* FALSE: the line is left out.  In a LONG section, which has a line for each metric, these are the
 * lines without information; their number is shown below the table. */
static gboolean is_informative(struct drafting *drafting, const struct ctprof_report_line *line)
{
	if (line->flags & (CTPROF_LINE_HEADING | CTPROF_LINE_HIDDEN))
		return FALSE;
	if (!drawing_has(&drafting->section, CTPROF_SECTION_LONG) || line->n_cells != 1)
		return TRUE;
	if (drawing_is_absent(line->cells, drawing_is_compare(drafting->report))) {
		drafting->n_absent++;
		return FALSE;
	}
	if (is_same(drafting, line->cells)) {
		drafting->n_same++;
		return FALSE;
	}
	return TRUE;
}

/* HTML needs no end tags of cells and rows. */
static void put_cell(const struct drafting *drafting, const struct ctprof_report_line *line,
		     const struct drawn *drawn, gboolean is_name)
{
	const struct spot spot = columns_spot(drafting->report, &drafting->section, line, drawn);
	g_autofree char *text = tables_cell(&spot, drawn);

	tables_open_cell(drafting->stream, &spot, drawn, text, is_name);
	markup_put(drafting->stream, text);
	if (drawn->column == column_find(CTPROF_COLUMN_METRIC))
		chart_put_distribution(drafting->stream, spot.cell);
}

static void put_strip(struct drafting *drafting, const struct ctprof_report_line *line)
{
	fputs("<td>", drafting->stream);
	if (line->n_cells == 0 || drafting->n_strips++ >= MOST_STRIPS)
		return;
	chart_put_strip(drafting->stream, line->cells);
}

/* Finds the column that names the lines.  In a tree that is the indented column, which is moved to
 * the front. */
static void find_names(struct drafting *drafting)
{
	for (guint i = 0; i < drafting->columns->len; i++) {
		struct drawn drawn = g_array_index(drafting->columns, struct drawn, i);

		if (drawn.column == column_group) {
			drafting->names = i;
			return;
		}
		if (drawn.column == &column_field &&
		    BORDER_AT(drafting->section.fields, drawn.index)->flags & CTPROF_FIELD_TREE) {
			g_array_remove_index(drafting->columns, i);
			g_array_prepend_val(drafting->columns, drawn);
			return;
		}
	}
}

static void put_line(struct drafting *drafting, const struct ctprof_report_line *line)
{
	if (!is_informative(drafting, line))
		return;
	fputs("<tr", drafting->stream);
	if (drawing_is_total(line))
		fputs(" class=total", drafting->stream);
	else if (line->depth > 0)
		fprintf(drafting->stream, " class=d%u", MIN(line->depth, DEEPEST));
	fputc('>', drafting->stream);
	for (guint i = 0; i < drafting->columns->len; i++) {
		put_cell(drafting, line, &g_array_index(drafting->columns, struct drawn, i),
			 i == drafting->names);
		if (i == 0 && drawing_is_of_runs(drafting->report))
			put_strip(drafting, line);
	}
	fputc('\n', drafting->stream);
}

/* ---- sections ---------------------------------------------------------------- */

static void put_notes(const struct drafting *drafting)
{
	const struct ctprof_report_section *section = &drafting->section;
	FILE *stream = drafting->stream;

	if (drawing_has(section, CTPROF_SECTION_HAS_COVERAGE))
		fprintf(stream,
			"<p class=\"note\">%s%s%" PRIu64 " exact, %" PRIu64 " approximate, %" PRIu64
			" missing</p>\n",
			section->covered ? section->covered : "", section->covered ? ": " : "",
			section->n_exact, section->n_approximate, section->n_missing);
	markup_put_notes(stream, section);
	if (section->n_cut > 0)
		fprintf(stream,
			"<p class=\"note\">%" PRIu64 " more rows (--limit 0 shows all)</p>\n",
			section->n_cut);
	if (drafting->n_absent + drafting->n_same > 0)
		fprintf(stream,
			"<p class=\"note\">Left out here: %" PRIu64
			" rows without a value, %" PRIu64 " %s (--format json has them)</p>\n",
			drafting->n_absent, drafting->n_same,
			drawing_is_compare(drafting->report) ? "without a change" : "of 0");
}

static void put_table(struct drafting *drafting)
{
	const struct ctprof_report_section *section = &drafting->section;
	FILE *stream = drafting->stream;

	if (drawing_is_of_runs(drafting->report))
		chart_put_strip_key(stream, drawing_is_compare(drafting->report));
	markup_open_scroll(stream, section->heading);
	fputs("<table class=\"sortable\">\n", stream);
	tables_put_head(stream, drafting->columns,
			drawing_is_of_runs(drafting->report) ? "runs" : NULL);
	fputs("<tbody>\n", stream);
	for (guint64 i = 0; i < section->n_lines; i++)
		put_line(drafting, BORDER_AT(section->lines, i));
	fputs("</tbody></table></div>\n", stream);
}

/* Writes an ID for a section; sections with the same name, which are adjacent, are numbered. */
static void put_id(FILE *stream, const struct ctprof_report *report, guint64 i)
{
	guint64 same = 1;

	while (same <= i && strcmp(BORDER_AT(report->sections, i - same)->name,
				   BORDER_AT(report->sections, i)->name) == 0)
		same++;
	markup_put(stream, BORDER_AT(report->sections, i)->name);
	if (same > 1)
		fprintf(stream, "-%" PRIu64, same);
}

void tables_put_section(FILE *stream, const struct ctprof_report *report, guint64 i)
{
	const struct ctprof_report_section *section = BORDER_AT(report->sections, i);
	g_autoptr(GArray) columns = NULL;
	struct drafting drafting = {.stream = stream, .report = report, .section = *section};

	/* Repeats all names in each line, as a script may move the line anywhere. */
	drafting.section.flags &= ~CTPROF_SECTION_TREE;
	drafting.columns = columns = columns_choose(report, &drafting.section);
	find_names(&drafting);
	fputs("<details id=\"", stream);
	put_id(stream, report, i);
	fprintf(stream, "\"%s><summary><h2>", drawing_is_of_runs(report) ? " open" : "");
	markup_put(stream, section->heading);
	fprintf(stream, "</h2> <small>%" PRIu64 "</small></summary>\n", section->n_lines);
	if (section->n_lines > 0 && columns->len > 0)
		put_table(&drafting);
	put_notes(&drafting);
	fputs("</details>\n", stream);
}

/* ---- of one side -------------------------------------------------------------- */

static void put_names(FILE *stream, const struct ctprof_report_line *line)
{
	fputs("<li>", stream);
	for (guint i = 0; i < line->n_names; i++)
		markup_put_in(stream, i > 0 ? " " : "", line->names[i], "");
	fputs("</li>\n", stream);
}

static void put_side(FILE *stream, const struct ctprof_report *report, unsigned int side)
{
	g_autofree char *name = markup_name_file(report->files[side]);

	if (report->n_only[side] == 0)
		return;
	fputs("<details><summary><h2>Only in ", stream);
	markup_put(stream, name);
	fprintf(stream, "</h2> <small>%" PRIu64 "</small></summary>\n<ul class=\"names\">\n",
		report->n_only[side]);
	for (guint64 i = 0; i < report->n_only[side]; i++)
		put_names(stream, BORDER_AT(report->only[side], i));
	fputs("</ul></details>\n", stream);
}

void tables_put_only(FILE *stream, const struct ctprof_report *report)
{
	if (report->n_renames > 0) {
		fprintf(stream,
			"<details><summary><h2>Renamed cgroups</h2> <small>%" PRIu64
			"</small></summary>\n<ul class=\"names\">\n",
			report->n_renames);
		for (guint64 i = 0; i < report->n_renames; i++) {
			const struct ctprof_report_rename *rename = BORDER_AT(report->renames, i);

			markup_put_in(stream, "<li>", rename->baseline, " → ");
			markup_put_in(stream, "", rename->candidate, "</li>\n");
		}
		fputs("</ul></details>\n", stream);
	}
	put_side(stream, report, 0);
	put_side(stream, report, 1);
}

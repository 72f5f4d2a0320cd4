/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "change.h"

#include <math.h>
#include <string.h>

#include "ctprof/numbers.h"
#include "value.h"

#define MOST 10
/* Of the largest change: below that there is no bar to be seen. */
#define LEAST_SHARE 0.01
/* A bar to either side of the middle. */
#define HALF 100
#define HEIGHT 10

/* Costs whose change is drawn: a field of the pools, and what it is called. */
static const struct {
	guint32 role;
	const char *heading;
} costs[] = {
	{CTPROF_FIELD_CPU, "What changed: CPU"},
	{CTPROF_FIELD_MEMORY, "What changed: memory (PSS)"},
};

static const struct ctprof_cell *cell_of(gconstpointer line, guint64 field)
{
	return drawing_cell_of(*(const struct ctprof_report_line *const *)line, field);
}

static gint compare_changes(gconstpointer a, gconstpointer b, gpointer data)
{
	guint64 field = *(const guint64 *)data;
	double x = fabs(cell_of(a, field)->delta), y = fabs(cell_of(b, field)->delta);

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Lines whose cell of the field has a change, the largest first. */
static GPtrArray *list_changes(const struct ctprof_report_section *pools, guint64 field)
{
	GPtrArray *lines = g_ptr_array_new();

	for (guint64 i = 0; i < pools->n_lines; i++) {
		const struct ctprof_report_line *line = drawing_line(pools, i);
		const struct ctprof_cell *cell = drawing_cell_of(line, field);

		if (!drawing_is_total(line) && cell->flags & CTPROF_CELL_HAS_DELTA &&
		    fabs(cell->delta) > 0)
			g_ptr_array_add(lines, (gpointer)(uintptr_t)line);
	}
	g_ptr_array_sort_with_data(lines, compare_changes, &field);
	return lines;
}

static void put_bar(FILE *stream, double delta, double most)
{
	int width = (int)lround(fabs(delta) / most * HALF);

	fprintf(stream,
		"<td><svg class=\"change\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\"><path d=\"M%d 0v%d\"/><rect class=\"%s\" x=\"%d\" "
		"width=\"%d\" height=\"%d\"/></svg></td>",
		2 * HALF, HEIGHT, HALF, HEIGHT, delta > 0 ? "more" : "less",
		delta > 0 ? HALF : HALF - width, MAX(width, 1), HEIGHT);
}

/* Whether it is more than 0.00. */
static gboolean show_delta(const struct ctprof_report_field *field, const struct ctprof_cell *cell,
			   char ret_text[CTPROF_SHORT_ROOM])
{
	ctprof_number_short(field->ladder, cell->delta, ret_text);
	return strpbrk(ret_text, "123456789") != NULL;
}

static void put_line(FILE *stream, const struct ctprof_report_field *field, const char *name,
		     const struct ctprof_cell *cell, double most)
{
	g_autoptr(GString) both = g_string_new(NULL);
	char delta[CTPROF_SHORT_ROOM];

	show_delta(field, cell, delta);
	value_append(both, field, &cell->value[0]);
	g_string_append(both, " → ");
	value_append(both, field, &cell->value[1]);
	fputs("<tr><th scope=\"row\">", stream);
	markup_put(stream, name ? name : "");
	fprintf(stream, "</th><td class=\"n\">%s</td><td class=\"n\">%s%s</td>", both->str,
		cell->delta > 0 ? "+" : "", delta);
	put_bar(stream, cell->delta, most);
	fputs("</tr>\n", stream);
}

static void put_cost(FILE *stream, const struct ctprof_report_section *pools, guint64 field,
		     const char *heading)
{
	g_autoptr(GPtrArray) lines = list_changes(pools, field);
	guint64 name = markup_find_role(pools, CTPROF_FIELD_SUBJECT);
	char shown[CTPROF_SHORT_ROOM];

	if (lines->len == 0 ||
	    !show_delta(drawing_field(pools, field), cell_of(&lines->pdata[0], field), shown))
		return;
	double most = fabs(cell_of(&lines->pdata[0], field)->delta);
	fprintf(stream, "<section><h2>%s</h2>\n", heading);
	markup_open_scroll(stream, heading);
	fputs("<table class=\"changes\"><thead><tr><th scope=\"col\">POOL</th>"
	      "<th scope=\"col\" class=\"n\">A → B</th><th scope=\"col\" class=\"n\">change</th>"
	      "<th scope=\"col\" class=\"mid\">less | more</th></tr></thead><tbody>\n",
	      stream);
	for (guint i = 0;
	     i < MIN(lines->len, MOST) &&
	     fabs(cell_of(&lines->pdata[i], field)->delta) >= most * LEAST_SHARE &&
	     show_delta(drawing_field(pools, field), cell_of(&lines->pdata[i], field), shown);
	     i++)
		put_line(stream, drawing_field(pools, field),
			 cell_of(&lines->pdata[i], name)->value[0].text,
			 cell_of(&lines->pdata[i], field), most);
	fputs("</tbody></table></div>\n</section>\n", stream);
}

void change_put(FILE *stream, const struct ctprof_report *report,
		const struct ctprof_report_section *pools)
{
	for (guint i = 0; drawing_is_compare(report) && i < G_N_ELEMENTS(costs); i++) {
		guint64 field = markup_find_role(pools, costs[i].role);

		if (field < pools->n_fields)
			put_cost(stream, pools, field, costs[i].heading);
	}
}

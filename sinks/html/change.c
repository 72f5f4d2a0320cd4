/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "page.h"

#include <math.h>
#include <string.h>

#include "ctprof/numbers.h"
#include "value.h"

#define MOST 10
/* Share of the largest change below which a bar would be invisible. */
#define LEAST_SHARE 0.01
/* Width of a bar on either side of the middle. */
#define HALF 100
#define HEIGHT 10

/* The costs whose change is drawn: the role of the field in the section of pools, and a heading. */
static const struct {
	guint32 role;
	const char *heading;
} costs[] = {
	{CTPROF_FIELD_CPU, "What changed: CPU"},
	{CTPROF_FIELD_MEMORY, "What changed: memory (PSS)"},
};

/* A pool whose cost has changed. */
struct change {
	const char *name;
	const struct ctprof_cell *cell;
};

static gint compare_changes(gconstpointer a, gconstpointer b)
{
	double x = fabs(((const struct change *)a)->cell->delta);
	double y = fabs(((const struct change *)b)->cell->delta);

	return (x < y) - (x > y);
}

/* Lists the changes, the largest first. */
static GArray *list_changes(const struct ctprof_report_section *pools, guint64 field)
{
	GArray *changes = g_array_new(FALSE, FALSE, sizeof(struct change));
	guint64 name = markup_find_role(pools, CTPROF_FIELD_SUBJECT);

	for (guint64 i = 0; i < pools->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(pools->lines, i);
		const struct change change = {drawing_cell_of(line, name)->value[0].text,
					      drawing_cell_of(line, field)};

		if (!drawing_is_total(line) && change.cell->flags & CTPROF_CELL_HAS_DELTA &&
		    fabs(change.cell->delta) > 0)
			g_array_append_val(changes, change);
	}
	g_array_sort(changes, compare_changes);
	return changes;
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

/* Writes the change as text; FALSE: it rounds to 0.00, or is too small next to the largest one. */
static gboolean show_delta(const struct ctprof_report_field *field, const struct change *change,
			   double most, char ret_text[CTPROF_SHORT_ROOM])
{
	ctprof_number_short(field->ladder, change->cell->delta, ret_text);
	return strpbrk(ret_text, "123456789") && fabs(change->cell->delta) >= most * LEAST_SHARE;
}

static void put_line(FILE *stream, const struct ctprof_report_field *field,
		     const struct change *change, const char *delta, double most)
{
	const struct ctprof_cell *cell = change->cell;
	g_autoptr(GString) both = g_string_new(NULL);

	value_append(both, field, &cell->value[0]);
	g_string_append(both, " → ");
	value_append(both, field, &cell->value[1]);
	markup_put_in(stream, "<tr><th scope=\"row\">", change->name, "</th>");
	fprintf(stream, "<td class=\"n\">%s</td><td class=\"n\">%s%s</td>", both->str,
		cell->delta > 0 ? "+" : "", delta);
	put_bar(stream, cell->delta, most);
	fputs("</tr>\n", stream);
}

static void put_cost(FILE *stream, const struct ctprof_report_section *pools, guint64 column,
		     const char *heading)
{
	const struct ctprof_report_field *field = BORDER_AT(pools->fields, column);
	g_autoptr(GArray) list = list_changes(pools, column);
	const struct change *changes = (const void *)list->data;
	double most = list->len > 0 ? fabs(changes[0].cell->delta) : 0;
	char delta[CTPROF_SHORT_ROOM];

	if (list->len == 0 || !show_delta(field, changes, most, delta))
		return;
	fprintf(stream, "<section><h2>%s</h2>\n", heading);
	markup_open_scroll(stream, heading);
	fputs("<table class=\"changes\"><thead><tr><th scope=\"col\">POOL</th>"
	      "<th scope=\"col\" class=\"n\">A → B</th><th scope=\"col\" class=\"n\">change</th>"
	      "<th scope=\"col\" class=\"mid\">less | more</th></tr></thead><tbody>\n",
	      stream);
	for (guint i = 0; i < MIN(list->len, MOST) && show_delta(field, &changes[i], most, delta);
	     i++)
		put_line(stream, field, &changes[i], delta, most);
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

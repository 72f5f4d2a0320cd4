/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "layout.h"

#include <string.h>

#include "column.h"
#include "drawing.h"
#include "grid.h"
#include "label.h"

#define INDENT 2

/* What a pass over a section's rows works with. */
struct pass {
	const struct ctprof_report *report;
	const struct ctprof_report_section *section;
	Grid grid;
	GPtrArray *columns; /* const struct column *: LONG and TREE */
	guint n_parts;      /* columns of the group's name: WIDE */
	GPtrArray *metrics; /* const char *, the columns behind: WIDE */
	GHashTable *places; /* metric -> its column: WIDE */
};
typedef struct pass Pass;

static void pass_clear(Pass *pass)
{
	grid_clear(&pass->grid);
	g_clear_pointer(&pass->columns, g_ptr_array_unref);
	g_clear_pointer(&pass->metrics, g_ptr_array_unref);
	g_clear_pointer(&pass->places, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pass, pass_clear)

static gboolean has_flag(const Pass *pass, guint32 flag)
{
	return (pass->report->flags & flag) != 0;
}

static const char *part_of(const struct ctprof_report_row *row, guint i)
{
	return i < row->n_group && i < G_N_ELEMENTS(row->group) && row->group[i] ? row->group[i]
										 : "";
}

static gboolean same_group(const struct ctprof_report_row *a, const struct ctprof_report_row *b)
{
	for (guint i = 0; i < G_N_ELEMENTS(a->group); i++)
		if (strcmp(part_of(a, i), part_of(b, i)) != 0)
			return FALSE;
	return TRUE;
}

/* The group's parts, from one on. */
static void put_group(GString *text, const struct ctprof_report_row *row, guint from)
{
	for (guint i = from; i < MIN(row->n_group, G_N_ELEMENTS(row->group)); i++) {
		if (i > from)
			g_string_append_c(text, ' ');
		label_append(text, part_of(row, i));
	}
	if (row->flags & CTPROF_ROW_RENAMED)
		g_string_append(text, " [renamed]");
}

static void take_columns(Pass *pass)
{
	pass->columns = g_ptr_array_new();
	for (guint64 i = 0; i < pass->report->n_columns; i++) {
		const struct column *column = column_find(pass->report->columns[i]);

		if (column && (column_is_group(column) ||
			       !column_is_blank(column, pass->report, pass->section)))
			g_ptr_array_add(pass->columns, (gpointer)(uintptr_t)column);
	}
}

static void begin_columns(Pass *pass, FILE *stream)
{
	take_columns(pass);
	grid_init(&pass->grid, stream, has_flag(pass, CTPROF_REPORT_COLOUR), pass->columns->len);
	pass->grid.flexible = pass->columns->len;
	for (guint i = 0; i < pass->columns->len; i++) {
		const struct column *column = g_ptr_array_index(pass->columns, i);

		pass->grid.cells[i].right = column_is_right(column);
		if (column_is_group(column))
			pass->grid.flexible = i;
	}
}

static void walk_header(Pass *pass)
{
	if (!has_flag(pass, CTPROF_REPORT_HEADER))
		return;
	for (guint i = 0; i < pass->columns->len; i++)
		column_head(g_ptr_array_index(pass->columns, i), &pass->grid, i, pass->report,
			    pass->section);
	grid_end_line(&pass->grid);
}

/* One line of a row; indent: where its group's name begins, from which part. */
static void walk_row(Pass *pass, const struct ctprof_report_row *row, guint indent, guint from)
{
	for (guint i = 0; i < pass->columns->len; i++) {
		const struct column *column = g_ptr_array_index(pass->columns, i);

		column_fill(column, &pass->grid, i, pass->report, row);
		if (!column_is_group(column))
			continue;
		g_string_append_printf(grid_text(&pass->grid, i), "%*s", (int)indent, "");
		put_group(grid_text(&pass->grid, i), row, from);
	}
	grid_end_line(&pass->grid);
}

static void walk_long(Pass *pass)
{
	walk_header(pass);
	for (guint64 i = 0; i < pass->section->n_rows; i++)
		walk_row(pass, drawing_row(pass->section, i), 0, 0);
}

/* Takes the next segment off a path; NULL: there is none. */
static char *take_segment(const char **path)
{
	const char *from = *path + strspn(*path, "/");
	gsize len = strcspn(from, "/");

	*path = from + len;
	return len > 0 ? g_strndup(from, len) : NULL;
}

/* A heading for each segment of path that stands not in before; its depth. */
static guint walk_path(Pass *pass, const char *before, const char *path)
{
	static const enum style styles[] = {STYLE_ROOT, STYLE_BRANCH, STYLE_TWIG};
	gboolean shared = before != NULL;
	guint depth = 0;

	for (;; depth++) {
		g_autofree char *old = shared ? take_segment(&before) : NULL;
		g_autofree char *segment = take_segment(&path);

		if (!segment)
			return depth;
		shared = old && strcmp(old, segment) == 0;
		if (!shared)
			grid_heading(&pass->grid, INDENT * depth, segment,
				     styles[MIN(depth, G_N_ELEMENTS(styles) - 1)]);
	}
}

/* Headings of cgroup and process where they change; how deep the row then is. */
static guint walk_headings(Pass *pass, const struct ctprof_report_row *before,
			   const struct ctprof_report_row *row)
{
	guint depth = walk_path(pass, before ? part_of(before, 0) : NULL, part_of(row, 0));
	gboolean same = before && strcmp(part_of(before, 0), part_of(row, 0)) == 0;

	for (guint i = 1; i + 1 < row->n_group; i++, depth++) {
		same = same && strcmp(part_of(before, i), part_of(row, i)) == 0;
		if (!same)
			grid_heading(&pass->grid, INDENT * depth, part_of(row, i), STYLE_PROCESS);
	}
	return depth;
}

static void walk_tree(Pass *pass)
{
	const struct ctprof_report_row *before = NULL;

	walk_header(pass);
	for (guint64 i = 0; i < pass->section->n_rows; i++) {
		const struct ctprof_report_row *row = drawing_row(pass->section, i);
		guint depth = walk_headings(pass, before, row);

		walk_row(pass, row, INDENT * depth, MAX(row->n_group, 1) - 1);
		before = row;
	}
}

static void begin_metrics(Pass *pass, FILE *stream)
{
	pass->n_parts = 1;
	pass->metrics = g_ptr_array_new();
	pass->places = g_hash_table_new(g_str_hash, g_str_equal);
	for (guint64 i = 0; i < pass->section->n_rows; i++) {
		const struct ctprof_report_row *row = drawing_row(pass->section, i);
		gpointer metric = (gpointer)(uintptr_t)row->metric;

		pass->n_parts =
			MAX(pass->n_parts, MIN(row->n_group, (guint)G_N_ELEMENTS(row->group)));
		if (!g_hash_table_contains(pass->places, metric)) {
			g_hash_table_insert(pass->places, metric,
					    GUINT_TO_POINTER(pass->metrics->len));
			g_ptr_array_add(pass->metrics, metric);
		}
	}
	grid_init(&pass->grid, stream, has_flag(pass, CTPROF_REPORT_COLOUR),
		  pass->n_parts + pass->metrics->len);
}

static void walk_metrics_header(Pass *pass)
{
	const char *group = pass->section->group_header;

	if (!has_flag(pass, CTPROF_REPORT_HEADER))
		return;
	label_append(grid_text(&pass->grid, 0), group ? group : "");
	for (guint i = 0; i < pass->metrics->len; i++)
		label_append(grid_text(&pass->grid, pass->n_parts + i),
			     g_ptr_array_index(pass->metrics, i));
	for (guint i = 0; i < pass->grid.n && drawing_is_compare(pass->report); i++)
		grid_style(&pass->grid, i, STYLE_HEADER);
	grid_end_line(&pass->grid);
}

static void put_wide_cell(Pass *pass, const struct ctprof_report_row *row)
{
	guint place = GPOINTER_TO_UINT(g_hash_table_lookup(pass->places, row->metric));
	GString *text = grid_text(&pass->grid, pass->n_parts + place);

	g_string_truncate(text, 0);
	if (drawing_is_compare(pass->report))
		column_put_pair(text, row);
	else
		column_put_value(text, &row->value[0], row->ladder);
}

/* Rows of one group are neighbours, and share a line. */
static void walk_wide(Pass *pass)
{
	guint64 n = pass->section->n_rows;

	walk_metrics_header(pass);
	for (guint64 i = 0; i < n;) {
		const struct ctprof_report_row *first = drawing_row(pass->section, i);

		for (guint part = 0; part < pass->n_parts; part++)
			label_append(grid_text(&pass->grid, part), part_of(first, part));
		for (guint column = pass->n_parts; column < pass->grid.n; column++)
			g_string_append_c(grid_text(&pass->grid, column), '-');
		for (; i < n && same_group(first, drawing_row(pass->section, i)); i++)
			put_wide_cell(pass, drawing_row(pass->section, i));
		grid_end_line(&pass->grid);
	}
}

static const struct layout {
	guint32 id; /* enum ctprof_layout */
	void (*begin)(Pass *pass, FILE *stream);
	void (*walk)(Pass *pass);
} layouts[] = {
	{CTPROF_LAYOUT_LONG, begin_columns, walk_long},
	{CTPROF_LAYOUT_WIDE, begin_metrics, walk_wide},
	{CTPROF_LAYOUT_TREE, begin_columns, walk_tree},
};

static const struct layout *find_layout(guint32 id)
{
	for (guint i = 0; i < G_N_ELEMENTS(layouts); i++)
		if (layouts[i].id == id)
			return &layouts[i];
	return &layouts[0]; /* a layout newer than this sink: its rows still say all */
}

void layout_draw(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section)
{
	const struct layout *layout = find_layout(section->layout);
	g_auto(Pass) pass = {.report = report, .section = section};

	layout->begin(&pass, stream);
	layout->walk(&pass);
	grid_fit(&pass.grid, report->width);
	layout->walk(&pass);
}

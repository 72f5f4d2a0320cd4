/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "grid.h"

#include "label.h"

/* Limits the length of a rule, since a column may be as wide as a command line. */
#define MOST_RULE 80

static const char *const codes[N_STYLES] = {
	[STYLE_HEADER] = "36",    [STYLE_MORE] = "33",        [STYLE_LESS] = "35",
	[STYLE_LEVEL] = "37",     [STYLE_MUCH_MORE] = "1;33", [STYLE_MUCH_LESS] = "1;35",
	[STYLE_OLD] = "1;32",     [STYLE_AGED] = "1;33",      [STYLE_YOUNG] = "1;31",
	[STYLE_ROOT] = "1;32",    [STYLE_BRANCH] = "1;36",    [STYLE_TWIG] = "1;90",
	[STYLE_PROCESS] = "1;37", [STYLE_COMPUTED] = "34",    [STYLE_NOTE] = "1;33",
	[STYLE_NAME] = "36",
};

void grid_init(Grid *grid, FILE *stream, gboolean coloured, guint n)
{
	*grid = (Grid){
		.stream = stream,
		.coloured = coloured,
		.measuring = TRUE,
		.n = n,
		.cells = g_new0(struct cell, n),
	};
	for (guint i = 0; i < n; i++)
		grid->cells[i].text = g_string_new(NULL);
}

void grid_clear(Grid *grid)
{
	for (guint i = 0; i < grid->n; i++)
		g_string_free(grid->cells[i].text, TRUE);
	g_clear_pointer(&grid->cells, g_free);
	grid->n = 0;
}

/* Counts one blank before the first column, two between columns. */
static guint64 total_width(const Grid *grid)
{
	guint64 width = 0;

	for (guint i = 0; i < grid->n; i++)
		width += grid->cells[i].dropped ? 0 : grid->cells[i].width + 2;
	return width > 0 ? width - 1 : 0;
}

/* Returns by how much a column can be cut. */
static guint slack_of(const struct cell *cell)
{
	return cell->least > 0 && cell->width > cell->least ? cell->width - cell->least : 0;
}

static guint64 least_width(const Grid *grid)
{
	guint64 width = total_width(grid);

	for (guint i = 0; i < grid->n; i++)
		width -= grid->cells[i].dropped ? 0 : slack_of(&grid->cells[i]);
	return width;
}

/* Drops the last remaining column, but not the first one; kept columns go after the others. */
static gboolean drop_last(Grid *grid)
{
	guint last = 0;

	for (guint i = 1; i < grid->n; i++)
		if (!grid->cells[i].dropped && (!grid->cells[i].kept || last == 0))
			last = i;
	grid->cells[last].dropped = last > 0;
	return last > 0;
}

void grid_fit(Grid *grid, guint64 width, gboolean may_drop)
{
	grid->measuring = FALSE;
	if (width == 0)
		return;
	for (guint i = grid->n; i-- > 1 && grid->cells[i].spare;)
		grid->cells[i].dropped = total_width(grid) > width;
	while (may_drop && least_width(grid) > width && drop_last(grid))
		continue;
	for (guint i = grid->n; i-- > 0 && total_width(grid) > width;) {
		struct cell *cell = &grid->cells[i];

		if (!cell->dropped)
			cell->width -= (guint)MIN(slack_of(cell), total_width(grid) - width);
	}
}

void grid_print(FILE *stream, gboolean coloured, enum style style, const char *text)
{
	if (coloured && codes[style] && text[0])
		fprintf(stream, "\033[%sm%s\033[0m", codes[style], text);
	else
		fputs(text, stream);
}

static void print_cell(const Grid *grid, const struct cell *cell, gboolean is_last)
{
	label_cut(cell->text, MAX(cell->width, 1));
	int pad = (int)cell->width - (int)label_width(cell->text->str);
	if (cell->right)
		fprintf(grid->stream, "%*s", pad, "");
	grid_print(grid->stream, grid->coloured, cell->style, cell->text->str);
	if (!cell->right && !is_last)
		fprintf(grid->stream, "%*s", pad, "");
}

static void print_line(const Grid *grid)
{
	guint n = grid->n;

	/* Do not pad up to empty cells at the end. */
	while (n > 0 && (grid->cells[n - 1].dropped || grid->cells[n - 1].text->len == 0))
		n--;
	for (guint i = 0; i < n; i++) {
		if (grid->cells[i].dropped)
			continue;
		fputs(i > 0 ? "  " : " ", grid->stream);
		print_cell(grid, &grid->cells[i], i + 1 == n);
	}
	fputc('\n', grid->stream);
}

void grid_end_line(Grid *grid)
{
	if (!grid->measuring)
		print_line(grid);
	for (guint i = 0; i < grid->n; i++) {
		struct cell *cell = &grid->cells[i];

		if (grid->measuring)
			cell->width = MAX(cell->width, label_width(cell->text->str));
		g_string_truncate(cell->text, 0);
		cell->style = STYLE_NONE;
	}
}

void grid_heading(Grid *grid, guint indent, const char *name, enum style style)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (grid->measuring)
		return;
	label_append(text, name);
	fprintf(grid->stream, " %*s", (int)indent, "");
	grid_print(grid->stream, grid->coloured, style, text->str);
	fputc('\n', grid->stream);
}

void grid_rule(Grid *grid)
{
	if (grid->measuring)
		return;
	fputc(' ', grid->stream);
	for (guint64 i = MIN(total_width(grid), MOST_RULE); i > 1; i--)
		fputc('-', grid->stream);
	fputc('\n', grid->stream);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "overview.h"

#include "footprint.h"
#include "report/fold/fold.h"

#define GIB (1u << 30)
#define MIB (1u << 20)
/* Columns of the narrowest terminal, without the margin. */
#define WIDTH 78
/* Smaller shares of the RAM are shown by the ledger only. */
#define LEAST_PERCENT 0.25
#define MOST_PARTS 6

/* A part of the RAM: a sum of rows of the ledger, minus others. */
static const struct part {
	const char *name, *words; /* words: NULL: for machines only */
	const char *rows[MOST_PARTS], *less[2];
	const char *within, *of_it; /* a part that is shown in parentheses, and its label */
	gboolean always;            /* shown however small */
} parts[] = {
	{"total", NULL, {"meminfo.MemTotal"}, .always = TRUE},
	{"free", "free", {"meminfo.MemFree"}, .always = TRUE},
	{"file_cache",
	 "file cache",
	 {"meminfo.Cached", "meminfo.Buffers", "meminfo.SwapCached"},
	 .less = {"meminfo.Shmem"},
	 .within = "dirty",
	 .of_it = "dirty"},
	{"dirty", NULL, {"meminfo.Dirty"}, .less = {NULL}},
	{"anonymous", "anonymous", {"meminfo.AnonPages"}, .always = TRUE},
	{"shared", "shared", {"meminfo.Shmem"}, .less = {NULL}},
	{"slab", "slab", {"meminfo.Slab"}, .within = "slab_reclaimable", .of_it = "reclaimable"},
	{"slab_reclaimable", NULL, {"meminfo.SReclaimable"}, .less = {NULL}},
	{"hugetlb", "huge pages", {"meminfo.Hugetlb"}, .less = {NULL}},
	{"kernel",
	 "page tables and stacks",
	 {"meminfo.PageTables", "meminfo.SecPageTables", "meminfo.KernelStack", "meminfo.Percpu"},
	 .less = {NULL}},
	{"unaccounted", "unaccounted", {"physical.residual"}, .less = {NULL}},
	{"available", "available", {"meminfo.MemAvailable"}, .always = TRUE},
	{"swap_total", NULL, {"meminfo.SwapTotal"}, .less = {NULL}},
	{"swap_used", "swapped out", {"swap.used"}, .less = {NULL}},
};

enum { NAME, BYTES, N_FIELDS };

static const struct ctprof_report_field fields[N_FIELDS] = {
	[NAME] = TEXT_FIELD("name", "NAME"),
	[BYTES] = BYTES_FIELD("bytes", "SIZE"),
};

static gboolean number_of(const Draft *draft, guint side, const struct part *part,
			  guint64 *ret_number)
{
	guint64 sum = 0, one;
	gboolean is_known = FALSE;

	for (guint i = 0; i < G_N_ELEMENTS(part->rows) && part->rows[i]; i++) {
		if (!ledger_number(draft, side, part->rows[i], &one))
			continue;
		sum = fold_add_saturated(sum, one);
		is_known = TRUE;
	}
	for (guint i = 0; i < G_N_ELEMENTS(part->less) && part->less[i]; i++)
		if (ledger_number(draft, side, part->less[i], &one))
			sum -= MIN(sum, one);
	*ret_number = sum;
	return is_known;
}

static gboolean number_named(const Draft *draft, guint side, const char *name, guint64 *ret_number)
{
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
		if (g_str_equal(parts[i].name, name))
			return number_of(draft, side, &parts[i], ret_number);
	return FALSE;
}

/* ---- for machines ---- */

static void put_lines(const Draft *draft, Table *table)
{
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		struct ctprof_value values[SIDES] = {{0}};
		gboolean is_known = FALSE;
		guint64 number;

		for (guint side = 0; side < draft_n_sides(draft); side++) {
			if (!number_of(draft, side, &parts[i], &number))
				continue;
			values[side] = value_of_number(number);
			is_known = TRUE;
		}
		if (!is_known)
			continue;
		struct ctprof_cell *cells = table_line(table, 0, 0);
		draft_put_same(draft, &cells[NAME], value_of_text(parts[i].name));
		rows_put(draft, table, cells, BYTES, values);
	}
}

/* ---- for people ---- */

char *overview_number(guint64 bytes, guint64 unit, int decimals)
{
	char format[8], text[G_ASCII_DTOSTR_BUF_SIZE];

	g_snprintf(format, sizeof format, "%%.%df", decimals);
	return g_strdup(g_ascii_formatd(text, sizeof text, format, (gdouble)bytes / (gdouble)unit));
}

/* Returns "4.24 file cache (0.45 dirty)", in that unit; NULL: too small to mention. */
static char *part_text(const Draft *draft, const struct part *part, guint64 ram, guint64 unit)
{
	guint side = draft_n_sides(draft) - 1;
	guint64 least = (guint64)((gdouble)ram * LEAST_PERCENT / 100), all, part_of_it;

	if (!part->words || !number_of(draft, side, part, &all) || (!part->always && all < least))
		return NULL;
	g_autofree char *number = overview_number(all, unit, 2);
	if (!part->within || !number_named(draft, side, part->within, &part_of_it) ||
	    part_of_it < least)
		return g_strdup_printf("%s %s", number, part->words);
	g_autofree char *within = overview_number(part_of_it, unit, 2);
	return g_strdup_printf("%s %s (%s %s)", number, part->words, within, part->of_it);
}

/* Adds a piece to the line; if there is no room, notes the line and begins
 * another. */
static void add_piece(Table *table, GString *line, const char *piece)
{
	if (line->len > 0 && g_utf8_strlen(line->str, -1) + 3 + g_utf8_strlen(piece, -1) > WIDTH) {
		table_note(table, "%s", line->str);
		g_string_truncate(line, 0);
	}
	g_string_append_printf(line, "%s%s", line->len > 0 ? " · " : "", piece);
}

static void put_words(const Draft *draft, Table *table, guint64 ram)
{
	guint64 unit = ram >= GIB ? GIB : MIB, swap;
	g_autofree char *whole = overview_number(ram, unit, 2);
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_printf(line, "%s %s", whole, unit == GIB ? "GiB" : "MiB");
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		g_autofree char *piece = part_text(draft, &parts[i], ram, unit);

		if (piece)
			add_piece(table, line, piece);
	}
	if (number_named(draft, draft_n_sides(draft) - 1, "swap_total", &swap) && swap == 0)
		add_piece(table, line, "no swap");
	table_note(table, "%s", line->str);
}

void overview_draft(const Draft *draft)
{
	guint64 ram = ledger_ram(draft);

	if (ram == 0)
		return;
	Table *table = tables_add(draft->tables, "host", "Memory of the host", NULL,
				  CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD);
	table_add_fields(table, fields, N_FIELDS);
	put_lines(draft, table);
	put_words(draft, table, ram);
}

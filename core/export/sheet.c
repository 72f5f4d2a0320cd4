/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sheet.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "row/batch.h"

static const struct {
	guint32 rows;
	const char *name;
} names[] = {
	{CTPROF_TABLE_THREADS, "thread"}, {CTPROF_TABLE_GROUPS, "group"},
	{CTPROF_TABLE_CGROUPS, "cgroup"}, {CTPROF_TABLE_OBJECTS, "object"},
	{CTPROF_TABLE_WINDOWS, "window"}, {CTPROF_TABLE_CAPTURES, "capture"},
};

const char *sheet_name(guint32 rows)
{
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (names[i].rows == rows)
			return names[i].name;
	return "?";
}

Sheet *sheet_new(Plugin *sink, guint32 rows, guint32 number)
{
	Sheet *sheet = g_new0(Sheet, 1);

	sheet->sink = sink;
	sheet->rows = rows;
	sheet->number = number;
	sheet->columns = g_array_new(FALSE, FALSE, sizeof(struct ctprof_table_column));
	sheet->places = g_hash_table_new(g_str_hash, g_str_equal);
	sheet->strings = g_string_chunk_new(4096);
	sheet->texts = arena_new();
	return sheet;
}

void sheet_free(Sheet *sheet)
{
	arena_free(sheet->texts);
	g_free(sheet->values);
	g_free(sheet->present);
	g_hash_table_unref(sheet->places);
	g_array_unref(sheet->columns);
	g_string_chunk_free(sheet->strings);
	g_free(sheet);
}

static const struct ctprof_table_column *column_at(const Sheet *sheet, guint i)
{
	return &g_array_index(sheet->columns, struct ctprof_table_column, i);
}

guint sheet_find(const Sheet *sheet, const char *name)
{
	gpointer place = g_hash_table_lookup(sheet->places, name);

	return place ? GPOINTER_TO_UINT(place) - 1 : G_MAXUINT;
}

guint sheet_add(Sheet *sheet, const struct ctprof_table_column *column)
{
	struct ctprof_table_column own = *column;
	g_autofree char *name = g_strdelimit(g_strdup(column->name), ".", '_');
	guint found = sheet_find(sheet, name);

	if (found != G_MAXUINT) {
		const struct ctprof_table_column *known = column_at(sheet, found);

		return known->type == own.type && strcmp(known->unit, own.unit) == 0 ? found
										     : G_MAXUINT;
	}
	own.struct_size = sizeof own;
	own.name = g_string_chunk_insert_const(sheet->strings, name);
	own.unit = g_string_chunk_insert_const(sheet->strings, own.unit);
	own.help = g_string_chunk_insert_const(sheet->strings, own.help ? own.help : "");
	g_array_append_val(sheet->columns, own);
	g_hash_table_insert(sheet->places, (gpointer)(uintptr_t)own.name,
			    GUINT_TO_POINTER(sheet->columns->len));
	return sheet->columns->len - 1;
}

gboolean sheet_begin(Sheet *sheet, GError **error)
{
	sheet->table = (struct ctprof_table){
		.struct_size = sizeof sheet->table,
		.number = sheet->number,
		.rows = sheet->rows,
		.name = sheet_name(sheet->rows),
		.version = CTPROF_VERSION,
		.n_columns = sheet->columns->len,
		.columns = (const void *)sheet->columns->data,
	};
	gsize n = (gsize)sheet->columns->len * BATCH_ROWS;

	sheet->values = g_new0(guint64, n);
	sheet->present = g_new0(guint8, n);
	return plugin_table(sheet->sink, &sheet->table, error);
}

/* ---- rows ---------------------------------------------------------------- */

void sheet_put_real(Sheet *sheet, guint column, gdouble value)
{
	guint64 bits;

	if (!isfinite(value))
		return;
	memcpy(&bits, &value, sizeof bits);
	sheet_put(sheet, column, bits);
}

void sheet_put_own(Sheet *sheet, guint column, const struct ctprof_text *text)
{
	if (text)
		sheet_put(sheet, column, (guint64)(uintptr_t)text);
}

/* Escapes invalid UTF-8 byte by byte, so that two names never become one. */
static void append_valid(GString *out, const char *text, gsize length)
{
	const char *end = text + length, *bad;

	while (!g_utf8_validate_len(text, (gsize)(end - text), &bad)) {
		g_string_append_len(out, text, bad - text);
		g_string_append_printf(out, "\\x%02x", (guchar)*bad);
		text = bad + 1;
	}
	g_string_append_len(out, text, end - text);
}

void sheet_put_text(Sheet *sheet, guint column, const char *text, gsize length)
{
	g_autoptr(GString) valid = NULL;

	if (!text || column == G_MAXUINT)
		return;
	if (!g_utf8_validate_len(text, length, NULL)) {
		valid = g_string_new(NULL);
		append_valid(valid, text, length);
		text = valid->str;
		length = valid->len;
	}
	sheet_put_own(sheet, column, arena_copy_text(sheet->texts, text, length));
}

gboolean sheet_next(Sheet *sheet, GError **error)
{
	return ++sheet->filled < BATCH_ROWS || sheet_hand_over(sheet, error);
}

/* Every record of every table passes here, whatever it is made of. */
gboolean sheet_hand_over(Sheet *sheet, GError **error)
{
	const struct ctprof_records records = {
		.struct_size = sizeof records,
		.table = sheet->number,
		.n = sheet->filled,
		.n_columns = sheet->columns->len,
		.values = sheet->values,
		.present = sheet->present,
	};

	if (sheet->filled == 0)
		return TRUE;
	if (!plugin_records(sheet->sink, &records, error))
		return FALSE;
	sheet->n_rows += sheet->filled;
	/* No row is being filled now, so there is nothing else to clear. */
	memset(sheet->present, 0, (gsize)sheet->columns->len * sheet->filled);
	memset(sheet->values, 0, (gsize)sheet->columns->len * sheet->filled * sizeof(guint64));
	sheet->filled = 0;
	arena_reset(sheet->texts);
	return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "writer.h"

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

const char *writer_table_name(guint32 rows)
{
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (names[i].rows == rows)
			return names[i].name;
	return "?";
}

Writer *writer_new(Plugin *sink, guint32 rows, guint32 number)
{
	Writer *writer = g_new0(Writer, 1);

	writer->sink = sink;
	writer->rows = rows;
	writer->number = number;
	writer->columns = g_array_new(FALSE, FALSE, sizeof(struct ctprof_table_column));
	writer->places = g_hash_table_new(g_str_hash, g_str_equal);
	writer->strings = g_string_chunk_new(4096);
	writer->texts = arena_new();
	return writer;
}

void writer_free(Writer *writer)
{
	arena_free(writer->texts);
	g_free(writer->values);
	g_free(writer->present);
	g_hash_table_unref(writer->places);
	g_array_unref(writer->columns);
	g_string_chunk_free(writer->strings);
	g_free(writer);
}

static const struct ctprof_table_column *column_at(const Writer *writer, guint i)
{
	return &g_array_index(writer->columns, struct ctprof_table_column, i);
}

guint writer_find(const Writer *writer, const char *name)
{
	gpointer place = g_hash_table_lookup(writer->places, name);

	return place ? GPOINTER_TO_UINT(place) - 1 : G_MAXUINT;
}

guint writer_add(Writer *writer, const struct ctprof_table_column *column)
{
	struct ctprof_table_column own = *column;
	g_autofree char *name = g_strdelimit(g_strdup(column->name), ".", '_');
	guint found = writer_find(writer, name);

	if (found != G_MAXUINT) {
		const struct ctprof_table_column *known = column_at(writer, found);

		return known->type == own.type && strcmp(known->unit, own.unit) == 0 ? found
										     : G_MAXUINT;
	}
	own.struct_size = sizeof own;
	own.name = g_string_chunk_insert_const(writer->strings, name);
	own.unit = g_string_chunk_insert_const(writer->strings, own.unit);
	own.help = g_string_chunk_insert_const(writer->strings, own.help ? own.help : "");
	g_array_append_val(writer->columns, own);
	g_hash_table_insert(writer->places, (gpointer)(uintptr_t)own.name,
			    GUINT_TO_POINTER(writer->columns->len));
	return writer->columns->len - 1;
}

gboolean writer_begin(Writer *writer, GError **error)
{
	writer->table = (struct ctprof_table){
		.struct_size = sizeof writer->table,
		.number = writer->number,
		.rows = writer->rows,
		.name = writer_table_name(writer->rows),
		.version = CTPROF_VERSION,
		.n_columns = writer->columns->len,
		.columns = (const void *)writer->columns->data,
	};
	gsize n = (gsize)writer->columns->len * BATCH_ROWS;

	writer->values = g_new0(guint64, n);
	writer->present = g_new0(guint8, n);
	return plugin_table(writer->sink, &writer->table, error);
}

/* ---- rows ---------------------------------------------------------------- */

void writer_put_real(Writer *writer, guint column, gdouble value)
{
	guint64 bits;

	if (!isfinite(value))
		return;
	memcpy(&bits, &value, sizeof bits);
	writer_put(writer, column, bits);
}

void writer_put_own(Writer *writer, guint column, const struct ctprof_text *text)
{
	if (text)
		writer_put(writer, column, (guint64)(uintptr_t)text);
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

void writer_put_text(Writer *writer, guint column, const char *text, gsize length)
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
	writer_put_own(writer, column, arena_copy_text(writer->texts, text, length));
}

gboolean writer_next(Writer *writer, GError **error)
{
	return ++writer->filled < BATCH_ROWS || writer_flush(writer, error);
}

/* Every record of every table passes here, whatever it is made of. */
gboolean writer_flush(Writer *writer, GError **error)
{
	const struct ctprof_records records = {
		.struct_size = sizeof records,
		.table = writer->number,
		.n = writer->filled,
		.n_columns = writer->columns->len,
		.values = writer->values,
		.present = writer->present,
	};

	if (writer->filled == 0)
		return TRUE;
	if (!plugin_records(writer->sink, &records, error))
		return FALSE;
	writer->n_rows += writer->filled;
	/* No row is partly filled now, so there is nothing else to clear. */
	memset(writer->present, 0, (gsize)writer->columns->len * writer->filled);
	memset(writer->values, 0, (gsize)writer->columns->len * writer->filled * sizeof(guint64));
	writer->filled = 0;
	arena_reset(writer->texts);
	return TRUE;
}

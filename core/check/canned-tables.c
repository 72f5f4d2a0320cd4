/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>
#include <string.h>

#include "canned.h"
#include "row/arena.h"

#define ODD "odd \"name\"\\,\n\x1b[31m\xc3\xa9"
#define MAP "{\"canned\":1}"
#define HISTOGRAM "{\"0\":1,\"257\":3}"
#define N_ROWS 3

#define COLUMN(type_, name_, unit_, ...)                                                           \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_table_column), .type = CTPROF_TYPE_##type_,    \
		.name = (name_), .unit = (unit_), .help = "made up \"column\"", __VA_ARGS__        \
	}

static const struct ctprof_table_column columns[] = {
	COLUMN(TEXT, "host", "text", .flags = CTPROF_TABLE_COLUMN_NAMES),
	COLUMN(TIME, "captured_at", "time", .flags = CTPROF_TABLE_COLUMN_NAMES),
	COLUMN(TEXT, "pcomm", "text", .flags = CTPROF_TABLE_COLUMN_NAMES),
	COLUMN(U64, "canned_counter", "ns", .kind = CTPROF_COUNTER),
	COLUMN(U64, "canned_limit", "bytes", .kind = CTPROF_GAUGE,
	       .flags = CTPROF_TABLE_COLUMN_UNLIMITED),
	COLUMN(I64, "canned_ordinal", "none", .kind = CTPROF_ORDINAL),
	COLUMN(REAL, "canned_ratio", "ratio"),
	COLUMN(BOOL, "canned_flag", "bool", .kind = CTPROF_CATEGORY),
	COLUMN(TEXT, "canned_map", "bytes", .kind = CTPROF_MAP, .flags = CTPROF_TABLE_COLUMN_JSON),
	COLUMN(TEXT, "canned_histogram", "ns", .kind = CTPROF_HISTOGRAM,
	       .flags = CTPROF_TABLE_COLUMN_JSON),
};

#define N_COLUMNS G_N_ELEMENTS(columns)

/* Writes a row of values, one of the largest values, and one without values. */
static gboolean write_rows(Plugin *sink, GError **error)
{
	g_autoptr(Arena) arena = arena_new();
	struct ctprof_text *odd = arena_copy_text(arena, ODD, strlen(ODD));
	struct ctprof_text *map = arena_copy_text(arena, MAP, strlen(MAP));
	struct ctprof_text *counts = arena_copy_text(arena, HISTOGRAM, strlen(HISTOGRAM));
	const gdouble real = -0.25;
	guint64 values[N_ROWS * N_COLUMNS] = {
		(guintptr)odd,    1, (guintptr)odd, 3, 4096, (guint64)-20, 0, 1, (guintptr)map,
		(guintptr)counts,
	};
	guint8 present[N_ROWS * N_COLUMNS] = {0};
	const struct ctprof_records records = {
		.struct_size = sizeof records,
		.n = N_ROWS,
		.n_columns = N_COLUMNS,
		.values = values,
		.present = present,
	};

	memcpy(&values[6], &real, sizeof real);
	memcpy(&values[N_COLUMNS], values, N_COLUMNS * sizeof *values);
	values[N_COLUMNS + 3] = values[N_COLUMNS + 4] = G_MAXUINT64;
	memset(present, 1, 2 * N_COLUMNS);
	return plugin_records(sink, &records, error);
}

/* The sink takes tables of this kind. */
gboolean canned_tables(Plugin *sink, Output *output, GError **error)
{
	guint32 usual = sink->sink.usual_tables;
	const struct ctprof_table table = {
		.struct_size = sizeof table,
		.rows = usual ? usual & (~usual + 1) : CTPROF_TABLE_THREADS,
		.name = "canned",
		.version = CTPROF_VERSION,
		.n_columns = N_COLUMNS,
		.columns = columns,
	};

	plugin_write_to(sink, output);
	return plugin_table(sink, &table, error) && write_rows(sink, error) &&
	       plugin_finish(sink, error);
}

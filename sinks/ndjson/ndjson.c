/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes tables as lines of JSON, one object per row. */
#include <errno.h>

#include "tables.h"

static void put_value(struct json *out, const struct ctprof_table_column *column, uint64_t value)
{
	const struct ctprof_text *text = tables_text(value);
	char time[TABLES_TIME_ROOM];

	switch (column->type) {
	case CTPROF_TYPE_I64:
		json_i64(out, (int64_t)value);
		break;
	case CTPROF_TYPE_REAL:
		json_real(out, tables_real(value));
		break;
	case CTPROF_TYPE_BOOL:
		if (value)
			json_literal(out, "true");
		else
			json_literal(out, "false");
		break;
	case CTPROF_TYPE_TIME:
		tables_time(value, time);
		json_string(out, time);
		break;
	case CTPROF_TYPE_TEXT:
		if (column->flags & CTPROF_TABLE_COLUMN_JSON)
			json_raw(out, text->bytes, text->length);
		else
			json_text(out, text->bytes, text->length);
		break;
	default:
		json_u64(out, value);
	}
}

static void put_row(struct json *out, const struct ctprof_table *table,
		    const struct ctprof_records *records, uint64_t row)
{
	uint64_t value;

	for (uint64_t i = 0; i < table->n_columns; i++) {
		const struct ctprof_table_column *column = BORDER_AT(table->columns, i);

		if (i == 0)
			json_literal(out, "{");
		else
			json_literal(out, ",");
		json_string(out, column->name);
		json_literal(out, ":");
		if (tables_value(records, row, i, &value))
			put_value(out, column, value);
		else
			json_literal(out, "null");
	}
	json_literal(out, "}\n");
}

static int ndjson_records(void *self, const struct ctprof_records *records)
{
	struct tables *tables = self;
	const struct ctprof_table *table = tables_of(tables, records);

	if (!table)
		return -EINVAL;
	for (uint64_t row = 0; row < records->n; row++)
		put_row(&tables->out, table, records, row);
	return tables->out.error ? tables_flush(tables) : 0;
}

SINK_PLUGIN("ndjson", "Writes tables as lines of JSON", .open = tables_open, .close = tables_free,
	    .finish = tables_flush, .table = tables_add, .records = ndjson_records,
	    .flags = CTPROF_SINK_TEXT)

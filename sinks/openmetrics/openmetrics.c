/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Groups of threads as OpenMetrics 1.0 text.  All samples of a family come together, and of
 * a series in the order of time: the rows are kept until the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "families.h"
#include "real.h"
#include "tables.h"

struct row {
	char *labels; /* "host=\"web-1\",pcomm=\"sshd\"" */
	uint64_t realtime_ns;
	uint64_t *values; /* of all columns */
	uint8_t *present;
};

struct openmetrics {
	struct tables tables;
	struct row *rows;
	size_t n, room;
};

static int openmetrics_open(const struct ctprof_host *host, void **ret_self)
{
	*ret_self = tables_new(host, sizeof(struct openmetrics));
	return *ret_self ? 0 : -ENOMEM;
}

static void openmetrics_close(void *closed)
{
	struct openmetrics *self = closed;

	for (size_t i = 0; i < self->n; i++) {
		free(self->rows[i].labels);
		free(self->rows[i].values);
		free(self->rows[i].present);
	}
	free(self->rows);
	tables_free(&self->tables);
}

static int openmetrics_table(void *called, const struct ctprof_table *table)
{
	return tables_add(called, table);
}

/* ---- rows -------------------------------------------------------------------------- */

/* Names of boots, kernels and coverage would begin new series. */
static bool is_label(const struct ctprof_table_column *column)
{
	static const char *const others[] = {"boot", "kernel", "partial"};

	if (!(column->flags & CTPROF_COLUMN_NAMES) || column->type != CTPROF_TYPE_TEXT)
		return false;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcmp(column->name, others[i]) == 0)
			return false;
	return true;
}

/* '"', '\\' and line ends have escapes; other control characters have none. */
static void put_label(struct json *out, const char *name, const struct ctprof_text *text)
{
	if (out->used > 0)
		json_literal(out, ",");
	json_raw(out, name, strlen(name));
	json_literal(out, "=\"");
	for (uint32_t i = 0; i < text->length; i++) {
		char c = text->bytes[i];

		if (c == '"' || c == '\\')
			json_literal(out, "\\");
		if (c == '\n')
			json_literal(out, "\\n");
		else
			json_raw(out, (unsigned char)c < ' ' || c == 0x7f ? "?" : &c, 1);
	}
	json_literal(out, "\"");
}

static int make_labels(const struct ctprof_table *table, const struct ctprof_records *records,
		       uint64_t row, struct row *ret_row)
{
	struct json labels;
	int r = json_init(&labels, JSON_ROOM);
	uint64_t value;

	if (r < 0)
		return r;
	for (uint64_t i = 0; i < table->n_columns; i++) {
		const struct ctprof_table_column *column = tables_column(table, i);

		if (!tables_value(records, row, i, &value))
			continue;
		if (column->type == CTPROF_TYPE_TIME)
			ret_row->realtime_ns = value;
		if (is_label(column))
			put_label(&labels, column->name, tables_text(value));
	}
	json_raw(&labels, "", 1);
	r = labels.error;
	ret_row->labels = r < 0 ? NULL : strdup(labels.data);
	json_free(&labels);
	return ret_row->labels ? 0 : -ENOMEM;
}

static uint64_t count_words(const struct ctprof_text *text)
{
	uint64_t n = text->length > 0;

	for (uint32_t i = 0; i < text->length; i++)
		n += text->bytes[i] == ' ';
	return n;
}

static int keep_row(struct openmetrics *self, const struct ctprof_table *table,
		    const struct ctprof_records *records, uint64_t row)
{
	size_t n = table->n_columns;

	if (self->n == self->room) {
		size_t room = 2 * self->room + 64;
		struct row *rows = realloc(self->rows, room * sizeof *rows);

		if (!rows)
			return -ENOMEM;
		self->rows = rows;
		self->room = room;
	}
	struct row *kept = &self->rows[self->n++];
	*kept = (struct row){.values = malloc(n * sizeof *kept->values), .present = malloc(n)};
	if (!kept->values || !kept->present)
		return -ENOMEM;
	memcpy(kept->values, records->values + row * n, n * sizeof *kept->values);
	memcpy(kept->present, records->present + row * n, n);
	for (uint64_t i = 0; i < n; i++)
		if (kept->present[i] && family_is_of_partial(tables_column(table, i)))
			kept->values[i] = count_words(tables_text(kept->values[i]));
	return make_labels(table, records, row, kept);
}

static int openmetrics_records(void *called, const struct ctprof_records *records)
{
	struct openmetrics *self = called;
	const struct ctprof_table *table = tables_of(&self->tables, records);
	int r = table ? 0 : -EINVAL;

	for (uint64_t row = 0; r == 0 && row < records->n; row++)
		r = keep_row(self, table, records, row);
	if (r == -ENOMEM)
		self->tables.host->error(self->tables.host, "out of memory");
	return r;
}

/* ---- the text ------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->labels, y->labels);

	return order ? order
		     : (x->realtime_ns > y->realtime_ns) - (x->realtime_ns < y->realtime_ns);
}

static void put_sample(struct json *out, const struct family *family, const struct row *row,
		       uint64_t value)
{
	char text[REAL_ROOM], time[32];

	family_value(family, value, text);
	snprintf(time, sizeof time, " %" PRIu64 ".%09" PRIu64 "\n", row->realtime_ns / 1000000000,
		 row->realtime_ns % 1000000000);
	json_raw(out, family->name, strlen(family->name));
	if (family->is_counter)
		json_literal(out, "_total");
	json_literal(out, "{");
	json_raw(out, row->labels, strlen(row->labels));
	json_literal(out, "} ");
	json_raw(out, text, strlen(text));
	if (row->realtime_ns > 0)
		json_raw(out, time, strlen(time));
	else
		json_literal(out, "\n");
}

/* Two captures of one host at one time are one. */
static bool is_twice(const struct openmetrics *self, size_t i)
{
	return i > 0 && compare_rows(&self->rows[i - 1], &self->rows[i]) == 0;
}

static void put_family(struct openmetrics *self, const struct family *family)
{
	struct json *out = &self->tables.out;
	bool is_begun = false;

	for (size_t i = 0; i < self->n; i++) {
		const struct row *row = &self->rows[i];

		if (!row->present[family->column] || is_twice(self, i))
			continue;
		if (!is_begun)
			family_put_header(family, out);
		is_begun = true;
		put_sample(out, family, row, row->values[family->column]);
	}
}

static int openmetrics_finish(void *called)
{
	struct openmetrics *self = called;
	struct families families;

	if (self->n > 0)
		qsort(self->rows, self->n, sizeof *self->rows, compare_rows);
	int r = families_make(&families, self->tables.list[0]);
	for (size_t i = 0; r == 0 && i < families.n; i++)
		put_family(self, &families.list[i]);
	families_free(&families);
	json_literal(&self->tables.out, "# EOF\n");
	return r < 0 ? r : tables_flush(&self->tables);
}

SINK_PLUGIN("openmetrics", "Writes groups of threads as OpenMetrics text", .open = openmetrics_open,
	    .close = openmetrics_close, .finish = openmetrics_finish, .table = openmetrics_table,
	    .records = openmetrics_records, .tables = CTPROF_TABLE_GROUPS,
	    .usual_tables = CTPROF_TABLE_GROUPS, .flags = CTPROF_SINK_TEXT)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes groups of threads as OpenMetrics 1.0 text.  All samples of a family must be together, and
 * those of a series in the order of time, so rows are kept until the end.  Without timestamps the
 * output is the older text format of Prometheus, with the last sample of each series.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ctprof/histogram.h"
#include "families.h"
#include "option.h"
#include "real.h"
#include "tables.h"
#include "utf8.h"

struct row {
	char *labels; /* "host=\"web-1\",pcomm=\"sshd\"" */
	uint64_t realtime_ns;
	uint64_t *values; /* of all columns */
	uint8_t *present;
	uint64_t **counts; /* counts of all columns; NULL: not a histogram */
	uint64_t n; /* number of columns; the table is the host's, and may not exist at close */
};

struct openmetrics {
	struct tables tables;
	struct row *rows;
	size_t n, room;
	bool is_classic; /* the older format, without timestamps */
};

static int openmetrics_open(const struct ctprof_host *host, void **ret_self)
{
	const char *timestamps = host->option(host, "timestamps");
	struct openmetrics *self = tables_new(host, sizeof *self);

	*ret_self = self;
	if (!self)
		return -ENOMEM;
	self->is_classic = timestamps && strcmp(timestamps, "off") == 0;
	return 0;
}

static void openmetrics_close(void *closed)
{
	struct openmetrics *self = closed;

	for (size_t i = 0; i < self->n; i++) {
		for (uint64_t k = 0; self->rows[i].counts && k < self->rows[i].n; k++)
			free(self->rows[i].counts[k]);
		free(self->rows[i].counts);
		free(self->rows[i].labels);
		free(self->rows[i].values);
		free(self->rows[i].present);
	}
	free(self->rows);
	tables_free(&self->tables);
}

/* ---- rows -------------------------------------------------------------------------- */

/* Whether a column is a label.  The names of boots and kernels, and the coverage, would begin new
 * series. */
static bool is_label(const struct ctprof_table_column *column)
{
	static const char *const others[] = {"boot", "kernel", "partial"};

	if (!(column->flags & CTPROF_TABLE_COLUMN_NAMES) || column->type != CTPROF_TYPE_TEXT)
		return false;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcmp(column->name, others[i]) == 0)
			return false;
	return true;
}

/* Appends a label.  '"', '\\' and line ends have escapes; other invisible characters are shown as
 * \xNN. */
static void put_label(struct json *out, const char *name, const struct ctprof_text *text)
{
	if (out->used > 0)
		json_literal(out, ",");
	json_raw(out, name, strlen(name));
	json_literal(out, "=\"");
	for (size_t at = 0; at < text->length;) {
		char shown[UTF8_SHOWN];
		size_t n;
		uint32_t code;

		if (text->bytes[at] == '\n') {
			json_literal(out, "\\n");
			at++;
			continue;
		}
		at += utf8_show(text->bytes + at, text->length - at, shown, &n, &code);
		for (size_t i = 0; i < n; i++) {
			if (shown[i] == '"' || shown[i] == '\\')
				json_literal(out, "\\");
			json_raw(out, &shown[i], 1);
		}
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
		const struct ctprof_table_column *column = BORDER_AT(table->columns, i);

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

/* Reads the counts of a histogram, by bucket, from the text of a table: {"40":3}.  The caller frees
 * them; NULL: out of memory. */
static uint64_t *parse_counts(const struct ctprof_text *text)
{
	uint64_t *counts = calloc(CTPROF_BUCKETS, sizeof *counts);
	char *at = strchr(text->bytes, '"');

	while (counts && at) {
		unsigned long bucket = strtoul(at + 1, &at, 10);

		if (strncmp(at, "\":", 2) != 0)
			break;
		uint64_t count = strtoull(at + 2, &at, 10);
		if (bucket < CTPROF_BUCKETS)
			counts[bucket] = count;
		at = strchr(at, '"');
	}
	return counts;
}

/* Keeps the contents of a column's text, which is lent for this call only. */
static int keep_text(struct row *kept, const struct ctprof_table_column *column, uint64_t i)
{
	const struct ctprof_text *text = tables_text(kept->values[i]);

	if (!kept->present[i])
		return 0;
	if (family_is_of_partial(column))
		kept->values[i] = count_words(text);
	if (column->kind != CTPROF_HISTOGRAM)
		return 0;
	kept->counts[i] = parse_counts(text);
	return kept->counts[i] ? 0 : -ENOMEM;
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
	*kept = (struct row){.values = malloc(n * sizeof *kept->values),
			     .present = malloc(n),
			     .counts = calloc(n, sizeof *kept->counts),
			     .n = n};
	if (!kept->values || !kept->present || !kept->counts)
		return -ENOMEM;
	memcpy(kept->values, records->values + row * n, n * sizeof *kept->values);
	memcpy(kept->present, records->present + row * n, n);
	int r = 0;
	for (uint64_t i = 0; r == 0 && i < n; i++)
		r = keep_text(kept, BORDER_AT(table->columns, i), i);
	return r < 0 ? r : make_labels(table, records, row, kept);
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

/* suffix: end of the family's name; le: the bound of a bucket, or NULL. */
static void put_sample(struct openmetrics *self, const struct family *family, const struct row *row,
		       const char *suffix, const char *le, const char *value)
{
	struct json *out = &self->tables.out;
	const char *parts[] = {
		family->name,       suffix, "{", row->labels, le ? ",le=\"" : "", le ? le : "",
		le ? "\"} " : "} ", value};
	char time[32];

	snprintf(time, sizeof time, " %" PRIu64 ".%09" PRIu64 "\n", row->realtime_ns / 1000000000,
		 row->realtime_ns % 1000000000);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		json_raw(out, parts[i], strlen(parts[i]));
	if (row->realtime_ns > 0 && !self->is_classic)
		json_raw(out, time, strlen(time));
	else
		json_literal(out, "\n");
}

static void put_number(struct openmetrics *self, const struct family *family, const struct row *row)
{
	char text[REAL_ROOM];

	family_value(family, row->values[family->column], text);
	put_sample(self, family, row, family->is_counter ? "_total" : "", NULL, text);
}

/* Marks the buckets whose bounds are written in all rows of the family, so that no series begins
 * late: both bounds of each bucket in use. */
static void mark_bounds(const struct openmetrics *self, const struct family *family,
			bool ret_bounds[CTPROF_BUCKETS])
{
	for (size_t i = 0; i < self->n; i++) {
		const uint64_t *counts = self->rows[i].counts[family->column];

		for (uint32_t k = 0; counts && k < CTPROF_BUCKETS; k++)
			if (counts[k] > 0)
				ret_bounds[k] = ret_bounds[k > 0 ? k - 1 : 0] = true;
	}
}

/* Tables have no sums of a histogram's values.  The older format also requires the number of values
 * as a sample of its own, _count. */
static void put_buckets(struct openmetrics *self, const struct family *family,
			const struct row *row, const bool bounds[CTPROF_BUCKETS])
{
	const uint64_t *counts = row->counts[family->column];
	char bound[REAL_ROOM], number[REAL_ROOM] = "0";
	uint64_t n = 0;

	for (uint32_t k = 0; k < CTPROF_BUCKETS; k++) {
		n += counts[k];
		snprintf(number, sizeof number, "%" PRIu64, n);
		family_value(family, ctprof_bucket_most(k), bound);
		if (bounds[k])
			put_sample(self, family, row, "_bucket", bound, number);
	}
	put_sample(self, family, row, "_bucket", "+Inf", number);
	if (self->is_classic)
		put_sample(self, family, row, "_count", NULL, number);
}

/* Rows of the same series and time are written once; without timestamps, only the last row of each
 * series is written. */
static bool is_left_out(const struct openmetrics *self, size_t i)
{
	const struct row *rows = self->rows;

	if (self->is_classic)
		return i + 1 < self->n && strcmp(rows[i].labels, rows[i + 1].labels) == 0;
	return i > 0 && compare_rows(&rows[i - 1], &rows[i]) == 0;
}

static void put_family(struct openmetrics *self, const struct family *family)
{
	bool is_begun = false, bounds[CTPROF_BUCKETS] = {false};

	if (family->is_histogram)
		mark_bounds(self, family, bounds);
	for (size_t i = 0; i < self->n; i++) {
		const struct row *row = &self->rows[i];

		if (!row->present[family->column] || is_left_out(self, i))
			continue;
		if (!is_begun)
			family_put_header(family, self->is_classic, &self->tables.out);
		is_begun = true;
		if (family->is_histogram)
			put_buckets(self, family, row, bounds);
		else
			put_number(self, family, row);
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
	if (!self->is_classic)
		json_literal(&self->tables.out, "# EOF\n");
	return r < 0 ? r : tables_flush(&self->tables);
}

static const struct ctprof_option_word timestamps[] = {
	OPTION_WORD("on", NULL),
	OPTION_WORD("off", "the older text format, which node_exporter's textfile collector reads"),
};

static const struct ctprof_option options[] = {
	OPTION(WORD, "timestamps", "Whether each sample has the time of its capture",
	       .default_value = "on", OPTION_WORDS(timestamps)),
};

SINK_PLUGIN_OPTIONS("openmetrics", "Writes groups of threads as OpenMetrics text", options, 1,
		    .open = openmetrics_open, .close = openmetrics_close,
		    .finish = openmetrics_finish, .table = tables_add,
		    .records = openmetrics_records, .tables = CTPROF_TABLE_GROUPS,
		    .usual_tables = CTPROF_TABLE_GROUPS, .flags = CTPROF_SINK_TEXT)

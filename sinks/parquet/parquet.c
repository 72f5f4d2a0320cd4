/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a table as an Apache Parquet file. */
#include <errno.h>
#include <stdlib.h>

#include "chunk.h"

/* A row group is held in memory until one of these limits is reached. */
#define GROUP_ROWS 65536
#define GROUP_BYTES (32u << 20)
#define LEVEL 1
#define MAGIC "PAR1"
#define METRICS_KEY "ctprof.metrics"

struct parquet {
	struct tables tables;
	struct chunk *chunks; /* one per column */
	uint64_t n_columns;
	struct chunk_room room;
	struct json groups; /* metadata of the groups written */
	uint64_t n_groups, n_rows, n_in_group;
	uint64_t at; /* bytes written */
};

static void parquet_close(void *closed)
{
	struct parquet *self = closed;

	for (uint64_t i = 0; i < self->n_columns; i++)
		chunk_free(&self->chunks[i]);
	free(self->chunks);
	ZSTD_freeCCtx(self->room.zstd);
	json_free(&self->room.page);
	json_free(&self->room.packed);
	json_free(&self->groups);
	tables_free(&self->tables);
}

static int parquet_open(const struct ctprof_host *host, void **ret_self)
{
	struct parquet *self = tables_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	int r = json_init(&self->room.page, JSON_ROOM);
	r = r < 0 ? r : json_init(&self->room.packed, JSON_ROOM);
	r = r < 0 ? r : json_init(&self->groups, JSON_ROOM);
	self->room.zstd = ZSTD_createCCtx();
	if (r == 0 && self->room.zstd &&
	    !ZSTD_isError(
		    ZSTD_CCtx_setParameter(self->room.zstd, ZSTD_c_compressionLevel, LEVEL))) {
		*ret_self = self;
		return 0;
	}
	host->error(host, "out of memory");
	parquet_close(self);
	return -ENOMEM;
}

static int fail(const struct parquet *self, int r)
{
	if (r < 0)
		self->tables.host->error(self->tables.host,
					 r == -ENOMEM ? "out of memory"
						      : "the output cannot be written");
	return r;
}

static int parquet_table(void *called, const struct ctprof_table *table)
{
	struct parquet *self = called;
	int r;

	if (self->tables.n > 0) {
		self->tables.host->error(self->tables.host, "a Parquet file holds one table");
		return -E2BIG;
	}
	r = tables_add(&self->tables, table);
	self->chunks = r < 0 ? NULL : calloc(table->n_columns, sizeof *self->chunks);
	if (!self->chunks)
		return fail(self, -ENOMEM);
	for (; r == 0 && self->n_columns < table->n_columns; self->n_columns++)
		r = chunk_init(&self->chunks[self->n_columns],
			       BORDER_AT(table->columns, self->n_columns));
	json_literal(&self->tables.out, MAGIC);
	self->at = sizeof MAGIC - 1;
	return fail(self, r);
}

/* ---- row groups --------------------------------------------------------------- */

static void put_group(struct parquet *self, const struct chunk_place *places)
{
	struct thrift thrift;
	uint64_t bytes = 0;

	/* Adds an element to the list in the footer. */
	thrift_init(&thrift, &self->groups);
	thrift_list_structs(&thrift, 1, self->n_columns);
	for (uint64_t i = 0; i < self->n_columns; i++) {
		chunk_put_meta(&self->chunks[i], &places[i], &thrift);
		bytes += places[i].uncompressed;
	}
	thrift_i64(&thrift, 2, (int64_t)bytes);
	thrift_i64(&thrift, 3, (int64_t)self->n_in_group);
	thrift_end(&thrift);
	self->n_groups++;
}

static int end_group(struct parquet *self)
{
	struct chunk_place *places = calloc(self->n_columns, sizeof *places);
	int r = places ? 0 : -ENOMEM;

	for (uint64_t i = 0; r == 0 && i < self->n_columns; i++)
		r = chunk_write(&self->chunks[i], &self->room, &self->tables.out, &self->at,
				&places[i]);
	if (r == 0)
		put_group(self, places);
	free(places);
	for (uint64_t i = 0; i < self->n_columns; i++)
		chunk_clear(&self->chunks[i]);
	self->n_in_group = 0;
	return r < 0 ? r : self->groups.error;
}

static bool is_full(const struct parquet *self)
{
	size_t bytes = 0;

	if (self->n_in_group >= GROUP_ROWS)
		return true;
	for (uint64_t i = 0; i < self->n_columns; i++)
		bytes += chunk_bytes(&self->chunks[i]);
	return bytes >= GROUP_BYTES;
}

/* Adds rows column by column, as each column has buffers of its own. */
static int add_rows(struct parquet *self, const struct ctprof_records *records, uint64_t from,
		    uint64_t to)
{
	int r = 0;

	for (uint64_t i = 0; r == 0 && i < self->n_columns; i++)
		r = chunk_add(&self->chunks[i], records, i, from, to);
	self->n_rows += to - from;
	self->n_in_group += to - from;
	return r;
}

static int parquet_records(void *called, const struct ctprof_records *records)
{
	struct parquet *self = called;
	int r = 0;

	if (!tables_of(&self->tables, records))
		return -EINVAL;
	for (uint64_t from = 0; r == 0 && from < records->n; from += CHUNK_ROWS) {
		uint64_t left = records->n - from;

		r = add_rows(self, records, from, from + (left < CHUNK_ROWS ? left : CHUNK_ROWS));
		if (r == 0 && is_full(self))
			r = end_group(self);
	}
	return fail(self, r);
}

/* ---- the footer ------------------------------------------------------------------ */

static void put_schema(const struct parquet *self, struct thrift *thrift)
{
	thrift_list_structs(thrift, 2, self->n_columns + 1);
	thrift_element(thrift);
	thrift_string(thrift, 4, self->tables.list[0]->name);
	thrift_i32(thrift, 5, (int32_t)self->n_columns);
	thrift_end(thrift);
	for (uint64_t i = 0; i < self->n_columns; i++)
		chunk_put_schema(&self->chunks[i], thrift);
}

/* Describes the columns. */
static int put_metrics(const struct parquet *self, struct thrift *thrift)
{
	struct json text;
	int r = json_init(&text, JSON_ROOM);

	if (r < 0)
		return r;
	tables_describe(self->tables.list[0], &text);
	r = text.error;
	thrift_list_structs(thrift, 5, 1);
	thrift_element(thrift);
	thrift_string(thrift, 1, METRICS_KEY);
	thrift_bytes(thrift, 2, text.data, text.used);
	thrift_end(thrift);
	json_free(&text);
	return r;
}

/* Declares for every column that its bounds are in the order of its type. */
static void put_orders(const struct parquet *self, struct thrift *thrift)
{
	thrift_list_structs(thrift, 7, self->n_columns);
	for (uint64_t i = 0; i < self->n_columns; i++) {
		thrift_element(thrift);
		thrift_struct(thrift, 1);
		thrift_end(thrift);
		thrift_end(thrift);
	}
}

static int put_file(const struct parquet *self, struct json *footer)
{
	struct thrift thrift;

	thrift_init(&thrift, footer);
	thrift_i32(&thrift, 1, 1);
	put_schema(self, &thrift);
	thrift_i64(&thrift, 3, (int64_t)self->n_rows);
	thrift_list_structs(&thrift, 4, self->n_groups);
	json_raw(footer, self->groups.data, self->groups.used);
	int r = put_metrics(self, &thrift);
	thrift_string(&thrift, 6, "ctprof version " CTPROF_VERSION);
	put_orders(self, &thrift);
	thrift_end(&thrift);
	return r < 0 ? r : footer->error;
}

static int parquet_finish(void *called)
{
	struct parquet *self = called;
	struct json footer;
	int r = self->n_in_group > 0 ? end_group(self) : 0;

	r = r < 0 ? r : json_init(&footer, JSON_ROOM);
	if (r < 0)
		return fail(self, r);
	r = put_file(self, &footer);
	uint32_t length = (uint32_t)footer.used;
	json_raw(&self->tables.out, footer.data, footer.used);
	json_raw(&self->tables.out, (const char *)&length, sizeof length);
	json_literal(&self->tables.out, MAGIC);
	json_free(&footer);
	return r < 0 ? fail(self, r) : tables_flush(&self->tables);
}

SINK_PLUGIN("parquet", "Writes a table as an Apache Parquet file", .open = parquet_open,
	    .close = parquet_close, .finish = parquet_finish, .table = parquet_table,
	    .records = parquet_records)

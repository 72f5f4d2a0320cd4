/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the values of a column in one row group: a data page; for texts, preceded by a page with
 * their distinct values. */
#pragma once

#include <zstd.h>

#include "dictionary.h"
#include "tables.h"
#include "thrift.h"

struct chunk {
	const struct ctprof_table_column *column;
	uint32_t physical; /* of Parquet: BOOLEAN ... */
	uint64_t n_rows, n_values;
	struct json levels; /* a bit per row: whether it has a value */
	struct json values; /* in the form of a page; texts by their numbers, 4 bytes each */
	struct dictionary dictionary;
	uint32_t last;     /* number of the text in the previous row */
	uint64_t min, max; /* bits of the smallest and the largest value; numbers of texts */
};

/* The position of a chunk in the file. */
struct chunk_place {
	uint64_t dictionary_at, data_at; /* dictionary_at is 0 if it has no dictionary */
	uint64_t compressed, uncompressed;
};

/* Buffers in which pages are made, one after the other. */
struct chunk_room {
	ZSTD_CCtx *zstd;
	struct json page, packed;
};

/* Returns 0 or -ENOMEM. */
int chunk_init(struct chunk *chunk, const struct ctprof_table_column *column);
void chunk_free(struct chunk *chunk);
/* Adds a column's values of the rows from..to, at most CHUNK_ROWS: 0 or -ENOMEM. */
#define CHUNK_ROWS 256
int chunk_add(struct chunk *chunk, const struct ctprof_records *records, uint64_t column,
	      uint64_t from, uint64_t to);
/* Returns the approximate number of bytes it holds. */
size_t chunk_bytes(const struct chunk *chunk);
/* Writes the pages to out, after *at bytes written before; *at is advanced.  The chunk is then
 * empty, except for the data that chunk_put_meta() needs. */
int chunk_write(struct chunk *chunk, struct chunk_room *room, struct json *out, uint64_t *at,
		struct chunk_place *ret_place);
/* Writes its metadata as a list element: a struct ColumnChunk. */
void chunk_put_meta(const struct chunk *chunk, const struct chunk_place *place,
		    struct thrift *thrift);
/* Empties the chunk. */
void chunk_clear(struct chunk *chunk);
/* Writes its schema as a list element: a struct SchemaElement. */
void chunk_put_schema(const struct chunk *chunk, struct thrift *thrift);

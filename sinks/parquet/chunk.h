/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of a column in one row group: a page of data, for texts after one of their
 * distinct values. */
#pragma once

#include <zstd.h>

#include "dictionary.h"
#include "tables.h"
#include "thrift.h"

struct chunk {
	const struct ctprof_table_column *column;
	uint32_t physical; /* of Parquet: BOOLEAN ... */
	uint64_t n_rows, n_values;
	struct json levels; /* a bit a row: whether there is a value */
	struct json values; /* as a page has them; of texts their numbers, 4 bytes each */
	struct dictionary dictionary;
	uint32_t last;     /* number of the text before */
	uint64_t min, max; /* bits of the least and the greatest value; of texts numbers */
};

/* Where a chunk is in the file. */
struct chunk_place {
	uint64_t dictionary_at, data_at; /* dictionary_at 0: there is none */
	uint64_t compressed, uncompressed;
};

/* Room that pages are made in, one after the other. */
struct chunk_room {
	ZSTD_CCtx *zstd;
	struct json page, packed;
};

/* -ENOMEM. */
int chunk_init(struct chunk *chunk, const struct ctprof_table_column *column);
void chunk_free(struct chunk *chunk);
/* Adds a column's values of the rows from..to, at most CHUNK_ROWS: 0 or -ENOMEM. */
#define CHUNK_ROWS 256
int chunk_add(struct chunk *chunk, const struct ctprof_records *records, uint64_t column,
	      uint64_t from, uint64_t to);
/* Bytes it holds, about. */
size_t chunk_bytes(const struct chunk *chunk);
/* Writes the pages to out, which has written *at bytes before; *at grows.  The chunk is empty
 * then, but for what chunk_tell() needs. */
int chunk_write(struct chunk *chunk, struct chunk_room *room, struct json *out, uint64_t *at,
		struct chunk_place *ret_place);
/* Its metadata: a struct ColumnChunk, as an element. */
void chunk_tell(const struct chunk *chunk, const struct chunk_place *place, struct thrift *thrift);
/* Empties it. */
void chunk_clear(struct chunk *chunk);
/* Its struct SchemaElement, as an element. */
void chunk_tell_schema(const struct chunk *chunk, struct thrift *thrift);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by all sinks that write tables: the list of tables, their values, and an output buffer. */
#pragma once

#include <stdbool.h>

#include "border.h"
#include "json.h"

#define TABLES_MAX 8

struct tables {
	const struct ctprof_host *host;
	const struct ctprof_table *list[TABLES_MAX]; /* by table number */
	uint32_t n;
	struct json out; /* drained into the host's output */
};

/* open() of a sink that has no other state. */
int tables_open(const struct ctprof_host *host, void **ret_self);
/* Allocates a sink's own struct of that size, which begins with a struct tables; the rest is
 * zeroed.  NULL, after host->error(): out of memory. */
void *tables_new(const struct ctprof_host *host, size_t size);
/* close() of a sink, or its end: frees the struct; the sink must have freed its own members. */
void tables_free(void *self);
/* table() of a sink, or its beginning: adds a table to the list; 0, or -E2BIG after
 * host->error(). */
int tables_add(void *self, const struct ctprof_table *table);
/* Returns the table to which records belong; NULL, after host->error(): unknown. */
const struct ctprof_table *tables_of(const struct tables *tables,
				     const struct ctprof_records *records);
/* finish() of a sink, or its end: writes out the buffer; 0, or the -errno of this or an earlier
 * write. */
int tables_flush(void *self);

/* Whether column i of a row has a value, which *ret_value is then. */
static inline bool tables_value(const struct ctprof_records *records, uint64_t row, uint64_t i,
				uint64_t *ret_value)
{
	uint64_t at = row * records->n_columns + i;

	*ret_value = records->values[at];
	return records->present[at] != 0;
}

static inline const struct ctprof_text *tables_text(uint64_t value)
{
	return (const struct ctprof_text *)(uintptr_t)value;
}

static inline double tables_real(uint64_t value)
{
	double real;

	memcpy(&real, &value, sizeof real);
	return real;
}

/* Writes a time such as "2026-11-22T03:12:05.123456Z". */
#define TABLES_TIME_ROOM 40
void tables_time(uint64_t realtime_ns, char ret_text[TABLES_TIME_ROOM]);

/* Writes the unit, kind and help of every column as a JSON object, by column name. */
void tables_describe(const struct ctprof_table *table, struct json *json);
/* Returns the word for a kind: "counter"; "" for 0 and unknown kinds. */
const char *tables_kind(uint32_t kind);

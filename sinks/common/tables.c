/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ctprof/words.h"

#define BUFFER_BYTES (1u << 17)
#define NS_PER_S 1000000000u
#define NS_PER_US 1000u

static int drain(void *context, const char *data, size_t used)
{
	const struct ctprof_host *host = context;

	return host->write(host, data, used);
}

void *tables_new(const struct ctprof_host *host, size_t size)
{
	struct tables *tables = calloc(1, size);

	if (tables && json_init(&tables->out, BUFFER_BYTES) < 0) {
		tables_free(tables);
		tables = NULL;
	}
	if (!tables) {
		host->error(host, "out of memory");
		return NULL;
	}
	tables->host = host;
	tables->out.drain = drain;
	tables->out.context = (void *)(uintptr_t)host;
	return tables;
}

void tables_free(void *self)
{
	struct tables *tables = self;

	json_free(&tables->out);
	free(tables);
}

int tables_open(const struct ctprof_host *host, void **ret_self)
{
	*ret_self = tables_new(host, sizeof(struct tables));
	return *ret_self ? 0 : -ENOMEM;
}

int tables_add(void *self, const struct ctprof_table *table)
{
	struct tables *tables = self;

	if (table->number != tables->n || tables->n == TABLES_MAX) {
		tables->host->error(tables->host, "table %" PRIu32 " is one too many",
				    table->number);
		return -E2BIG;
	}
	tables->list[tables->n++] = table;
	return 0;
}

const struct ctprof_table *tables_of(const struct tables *tables,
				     const struct ctprof_records *records)
{
	if (records->table < tables->n &&
	    tables->list[records->table]->n_columns == records->n_columns)
		return tables->list[records->table];
	tables->host->error(tables->host, "records of table %" PRIu32 ", which does not exist",
			    records->table);
	return NULL;
}

int tables_flush(void *self)
{
	struct tables *tables = self;
	struct json *out = &tables->out;

	if (!out->error && out->used > 0)
		out->error = drain(out->context, out->data, out->used);
	out->used = 0;
	if (out->error)
		tables->host->error(tables->host, "the output cannot be written");
	return out->error;
}

void tables_time(uint64_t realtime_ns, char ret_text[TABLES_TIME_ROOM])
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S);
	struct tm utc;
	char text[TABLES_TIME_ROOM / 2 + 1] = "";

	if (gmtime_r(&seconds, &utc))
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(ret_text, TABLES_TIME_ROOM, "%s.%06uZ", text,
		 (unsigned int)(realtime_ns % NS_PER_S / NS_PER_US));
}

#define WORD(number, word) {number, word},

const char *tables_kind(uint32_t kind)
{
	static const struct {
		uint32_t kind;
		const char *word;
	} words[] = {CTPROF_KIND_WORDS(WORD)};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (words[i].kind == kind)
			return words[i].word;
	return "";
}

void tables_describe(const struct ctprof_table *table, struct json *json)
{
	json_literal(json, "{");
	for (uint64_t i = 0; i < table->n_columns; i++) {
		const struct ctprof_table_column *column = BORDER_AT(table->columns, i);

		json_print(json, "%s:{\"unit\":%s,\"kind\":%s,\"help\":%s}", column->name,
			   column->unit, tables_kind(column->kind), column->help);
		if (i + 1 < table->n_columns)
			json_literal(json, ",");
	}
	json_literal(json, "}");
}

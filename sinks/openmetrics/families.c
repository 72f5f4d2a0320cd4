/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "families.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PREFIX "ctprof_"

/* A unit of columns, and the base unit that ends the name of a family. */
struct family_unit {
	const char *word, *base;
	uint64_t divisor;       /* a power of ten */
	int decimals;           /* of the divisor */
	const char *endings[2]; /* end of a column name, replaced by the base unit */
};

static const struct family_unit units[] = {
	{"ns", "seconds", 1000000000, 9, {"_ns"}},
	{"us", "seconds", 1000000, 6, {"_usec", "_us"}},
	{"ticks", "seconds", 100, 2, {"_clock_ticks", "_ticks"}},
	{"bytes", "bytes", 1, 0, {"_bytes", "_kib"}},
	{"ratio", "ratio", 1, 0, {"_ratio"}},
	{"centipercent", "ratio", 10000, 4, {"_centipercent"}},
};
static const struct family_unit no_unit = {"none", "", 1, 0, {NULL}};

static const struct family_unit *unit_of(const char *word)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].word, word) == 0)
			return &units[i];
	return &no_unit;
}

static bool is_taken(const struct families *families, const char *name)
{
	for (size_t i = 0; i < families->n; i++)
		if (strcmp(families->list[i].name, name) == 0)
			return true;
	return false;
}

/* Makes "run_time_ns" ctprof_run_time_seconds, unless another family has that name. */
static void name_family(const struct families *families, struct family *family)
{
	const char *name = family->source->name;
	const char *base = family->unit->base;
	size_t length = strlen(name);

	for (size_t i = 0; i < 2 && family->unit->endings[i]; i++) {
		size_t ending = strlen(family->unit->endings[i]);

		if (length > ending &&
		    strcmp(name + length - ending, family->unit->endings[i]) == 0) {
			length -= ending;
			break;
		}
	}
	for (size_t tries = 0; tries < 2; tries++, length = strlen(name)) {
		snprintf(family->name, sizeof family->name, PREFIX "%.*s%s%s", (int)length, name,
			 *base ? "_" : "", base);
		if (!is_taken(families, family->name))
			return;
	}
	family->name[0] = '\0';
}

bool family_is_of_partial(const struct ctprof_table_column *column)
{
	return column->flags & CTPROF_TABLE_COLUMN_NAMES && strcmp(column->name, "partial") == 0;
}

static bool has_size(const struct ctprof_table_column *column)
{
	return column->kind == CTPROF_HISTOGRAM || column->type == CTPROF_TYPE_U64 ||
	       column->type == CTPROF_TYPE_I64 || column->type == CTPROF_TYPE_REAL ||
	       family_is_of_partial(column);
}

int families_make(struct families *self, const struct ctprof_table *table)
{
	*self = (struct families){.list = calloc(table->n_columns, sizeof *self->list)};
	if (!self->list)
		return -ENOMEM;
	for (uint64_t i = 0; i < table->n_columns; i++) {
		const struct ctprof_table_column *column = BORDER_AT(table->columns, i);
		struct family *family = &self->list[self->n];

		if (!has_size(column))
			continue;
		*family = (struct family){
			.unit = unit_of(column->unit),
			.source = column,
			.column = i,
			.is_counter = column->kind == CTPROF_COUNTER,
			.is_histogram = column->kind == CTPROF_HISTOGRAM,
		};
		name_family(self, family);
		self->n += family->name[0] != '\0';
	}
	return 0;
}

void families_free(struct families *self)
{
	free(self->list);
}

/* The format before OpenMetrics does not escape quotes in these lines. */
static void put_line(struct json *out, const char *what, const struct family *family,
		     bool is_classic, const char *text)
{
	const char *name = family->name;

	json_literal(out, "# ");
	json_raw(out, what, strlen(what));
	json_literal(out, " ");
	json_raw(out, name, strlen(name));
	if (is_classic && family->is_counter)
		json_literal(out, "_total");
	json_literal(out, " ");
	for (; *text; text++) {
		if (*text == '\\' || (*text == '"' && !is_classic))
			json_literal(out, "\\");
		json_raw(out, (unsigned char)*text < ' ' ? " " : text, 1);
	}
	json_literal(out, "\n");
}

void family_put_header(const struct family *family, bool is_classic, struct json *out)
{
	put_line(out, "TYPE", family, is_classic,
		 family->is_counter     ? "counter"
		 : family->is_histogram ? "histogram"
					: "gauge");
	if (*family->unit->base && !is_classic)
		put_line(out, "UNIT", family, is_classic, family->unit->base);
	if (*family->source->help)
		put_line(out, "HELP", family, is_classic, family->source->help);
}

static void put_scaled(bool is_negative, uint64_t value, const struct family_unit *unit,
		       char ret_text[REAL_ROOM])
{
	int n = snprintf(ret_text, REAL_ROOM, "%s%" PRIu64, is_negative ? "-" : "",
			 value / unit->divisor);

	if (value % unit->divisor != 0)
		snprintf(ret_text + n, (size_t)(REAL_ROOM - n), ".%0*" PRIu64, unit->decimals,
			 value % unit->divisor);
}

void family_value(const struct family *family, uint64_t value, char ret_text[REAL_ROOM])
{
	const struct ctprof_table_column *source = family->source;
	bool is_negative = source->type == CTPROF_TYPE_I64 && (int64_t)value < 0;

	if (source->type == CTPROF_TYPE_REAL)
		real_shortest(tables_real(value) / (double)family->unit->divisor, ret_text);
	else if (source->flags & CTPROF_TABLE_COLUMN_UNLIMITED && value == UINT64_MAX)
		snprintf(ret_text, REAL_ROOM, "+Inf");
	else
		put_scaled(is_negative, is_negative ? 0 - value : value, family->unit, ret_text);
}

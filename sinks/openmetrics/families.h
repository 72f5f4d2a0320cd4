/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts columns to families of metrics: their names, and values in base units. */
#pragma once

#include "real.h"
#include "tables.h"

#define FAMILY_NAME 160

struct family_unit;

struct family {
	char name[FAMILY_NAME]; /* "ctprof_run_time_seconds" */
	const struct family_unit *unit;
	const struct ctprof_table_column *source;
	uint64_t column;
	bool is_counter, is_histogram;
};

struct families {
	struct family *list;
	size_t n;
};

/* Makes families of all columns that have a size.  0 or -ENOMEM. */
int families_make(struct families *families, const struct ctprof_table *table);
/* Whether the texts of a column list metrics whose sums are partial: the family's value is their
 * number. */
bool family_is_of_partial(const struct ctprof_table_column *column);
void families_free(struct families *families);

/* Writes TYPE, UNIT and HELP.  In the format before OpenMetrics, a counter's name ends in _total in
 * these lines, too, and there is no UNIT. */
void family_put_header(const struct family *family, bool is_classic, struct json *out);
void family_value(const struct family *family, uint64_t value, char ret_text[REAL_ROOM]);

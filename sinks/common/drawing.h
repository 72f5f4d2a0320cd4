/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every sink that draws a report needs: its parts, whatever size of them
 * the host was compiled with, and words for values that are no numbers. */
#pragma once

#include <stdbool.h>

#include "ctprof/report.h"

/* open() and close() of a sink that only draws: all it keeps is its host. */
int drawing_open(const struct ctprof_host *host, void **ret_self);
void drawing_close(void *self);

static inline const void *drawing_element(const void *first, uint64_t i)
{
	/* Every struct of the border begins with its size. */
	const uint32_t *size = first;

	return (const char *)first + i * *size;
}

static inline const struct ctprof_report_section *
drawing_section(const struct ctprof_report *report, uint64_t i)
{
	return drawing_element(report->sections, i);
}

static inline const struct ctprof_report_row *
drawing_row(const struct ctprof_report_section *section, uint64_t i)
{
	return drawing_element(section->rows, i);
}

static inline const struct ctprof_report_orphan *drawing_only(const struct ctprof_report *report,
							      unsigned int side, uint64_t i)
{
	return drawing_element(report->only[side], i);
}

static inline const struct ctprof_report_rename *drawing_rename(const struct ctprof_report *report,
								uint64_t i)
{
	return drawing_element(report->renames, i);
}

/* The section's own table; NULL: it has rows. */
const struct ctprof_report_table *drawing_table(const struct ctprof_report_section *section);

/* What the table's totals are made of, in one word; NULL: that is not told. */
const char *drawing_covered(const struct ctprof_report_table *table);

static inline const struct ctprof_report_field *
drawing_field(const struct ctprof_report_table *table, uint64_t i)
{
	return drawing_element(table->fields, i);
}

static inline const struct ctprof_report_line *drawing_line(const struct ctprof_report_table *table,
							    uint64_t i)
{
	return drawing_element(table->lines, i);
}

static inline bool drawing_is_total(const struct ctprof_report_line *line)
{
	return (line->flags & CTPROF_LINE_TOTAL) != 0;
}

/* Exact or standing in for what could not be read. */
static inline bool drawing_is_number(const struct ctprof_value *value)
{
	return value->type == CTPROF_VALUE_NUMBER || value->type == CTPROF_VALUE_ESTIMATE;
}

/* The command the report is of: "show", "compare", "memory". */
const char *drawing_command(const struct ctprof_report *report);

static inline bool drawing_is_compare(const struct ctprof_report *report)
{
	return (report->flags & CTPROF_REPORT_COMPARE) != 0;
}

/* A value in words: our own text around some of the host's. */
struct drawing_words {
	char before[64];
	const char *text; /* bytes of the host's, to be escaped; never NULL */
	char after[64];
};

/* "-5..10", "SCHED_OTHER (3/5)", "4 cpus (0-3)", "max"; false for numbers and
 * absent values. */
bool drawing_words(const struct ctprof_value *value, struct drawing_words *ret_words);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of a report while they are put together, and amounts that add up. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

/* ---- amounts ---- */

/* A number that is exact, stands in for what could not be read, or is not there. */
typedef struct amount {
	guint32 type; /* CTPROF_VALUE_NUMBER, _ESTIMATE or _ABSENT */
	guint64 number;
} Amount;

#define AMOUNT_ABSENT ((Amount){.type = CTPROF_VALUE_ABSENT})

/* A sum in the making: exact only when every part was, absent when all were. */
typedef struct amount_sum {
	guint64 number;
	guint64 n, n_estimates, n_absent;
} AmountSum;

void amount_sum_add(AmountSum *sum, Amount part);
void amount_sum_merge(AmountSum *sum, const AmountSum *part);
Amount amount_sum_total(const AmountSum *sum);
/* The same of a total: of nothing it is 0. */
Amount amount_sum_of_all(const AmountSum *sum);
/* Descending; what is absent comes last. */
gint amount_compare(Amount a, Amount b);

/* What a total is made of, by how it was read. */
typedef struct coverage {
	guint64 exact, approximate, missing;
} Coverage;

/* ---- values ---- */

struct ctprof_value value_of_amount(Amount amount);
struct ctprof_value value_of_number(guint64 number);
/* text NULL: absent; borrowed. */
struct ctprof_value value_of_text(const char *text);
/* 100 * part / whole; absent without a whole. */
struct ctprof_value value_of_share(guint64 part, guint64 whole);

/* ---- tables ---- */

#define BYTES_FIELD(id, head)                                                                      \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .ladder = CTPROF_LADDER_BYTES,  \
		.name = (id), .header = (head), .unit = "bytes"                                    \
	}
#define COUNT_FIELD(id, head)                                                                      \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .name = (id), .header = (head), \
		.unit = "none"                                                                     \
	}
#define TEXT_FIELD(id, head)                                                                       \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .name = (id), .header = (head), \
		.unit = "text"                                                                     \
	}
#define SHARE_FIELD(id, head)                                                                      \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .flags = CTPROF_FIELD_PERCENT,  \
		.name = (id), .header = (head), .unit = "percent"                                  \
	}

/* Fields, lines and notes of one section. */
typedef struct memory_table {
	const char *name, *heading;
	GArray *fields;   /* struct ctprof_report_field */
	GArray *lines;    /* struct ctprof_report_line */
	GPtrArray *cells; /* struct ctprof_value[n_fields], one for each line */
	GPtrArray *notes; /* char *, owned */
	guint64 n_cut;
	struct ctprof_report_table table;
} MemoryTable;

/* Tables in the order of their sections. */
typedef GPtrArray MemoryTables;

MemoryTables *memory_tables_new(void);
/* name, heading and fields are borrowed as long as the tables live. */
MemoryTable *memory_tables_add(MemoryTables *tables, const char *name, const char *heading,
			       const struct ctprof_report_field *fields, guint n_fields);

/* Hides a field, or shows it. */
void memory_table_hide(MemoryTable *table, guint field, gboolean hide);
void memory_table_flag(MemoryTable *table, guint field, guint32 flag);
/* A line with every cell absent. */
struct ctprof_value *memory_table_line(MemoryTable *table, guint32 flags, guint depth);
/* Of what the totals are made: so many of noun ("processes"). */
void memory_table_cover(MemoryTable *table, const char *noun, const Coverage *coverage);
/* Totals lack what is in no line: none of them is exact. */
void memory_table_estimate_totals(MemoryTable *table);
void memory_table_note(MemoryTable *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Whether limit (0: none) lets one more line in; counts it as cut if not. */
gboolean memory_table_has_room(MemoryTable *table, guint limit);
/* As a report has it; no more of it is to come. */
struct ctprof_report_section memory_table_section(MemoryTable *table);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of a report while they are put together: one table each. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "report/fold/amount.h"

/* Fields of tables, for static arrays. */
#define TABLE_FIELD(id, head, unit_, ladder_, flags_)                                              \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .flags = (flags_),              \
		.ladder = (ladder_), .name = (id), .header = (head), .unit = (unit_), .tags = ""   \
	}
#define BYTES_FIELD(id, head) TABLE_FIELD(id, head, "bytes", CTPROF_LADDER_BYTES, 0)
#define COUNT_FIELD(id, head) TABLE_FIELD(id, head, "none", CTPROF_LADDER_NONE, 0)
#define TEXT_FIELD(id, head) TABLE_FIELD(id, head, "text", CTPROF_LADDER_NONE, 0)
#define SHARE_FIELD(id, head)                                                                      \
	TABLE_FIELD(id, head, "percent", CTPROF_LADDER_NONE, CTPROF_FIELD_PERCENT)

typedef struct table {
	struct ctprof_report_section section; /* name, heading, flags, names_header, covered */
	GArray *fields;                       /* struct ctprof_report_field */
	GArray *lines;                        /* struct ctprof_report_line */
	GPtrArray *cells;                     /* struct ctprof_cell[], one for each line */
	GPtrArray *notes;                     /* char *, owned */
	GHashTable *places;                   /* field's name -> its index + 1 */
} Table;

/* Tables in the order of the report's sections. */
typedef GPtrArray Tables;

Tables *tables_new(void);
/* name, heading and names_header (NULL: lines have no names) are borrowed as
 * long as the tables live; flags: CTPROF_SECTION_*. */
Table *tables_add(Tables *tables, const char *name, const char *heading, const char *names_header,
		  guint32 flags);
/* Takes the last table away. */
void tables_drop(Tables *tables);
/* struct ctprof_report_section; no more is to come.  The tables must stay. */
GArray *tables_finish(Tables *tables);

void table_add_fields(Table *table, const struct ctprof_report_field *fields, guint n);
/* The index of the field of that name, which is added if need be. */
guint table_take_field(Table *table, const struct ctprof_report_field *field);
struct ctprof_report_field *table_field(Table *table, guint i);
/* Hides a field, or shows it. */
void table_hide(Table *table, guint field, gboolean hide);

/* A line with a cell for every field, all absent: the cells.  Fields are
 * complete then. */
struct ctprof_cell *table_line(Table *table, guint32 flags, guint depth);
/* The same for what has names. */
struct ctprof_cell *table_named_line(Table *table, const char *const *names, guint n_names);
/* A line of one field: the cell. */
struct ctprof_cell *table_metric(Table *table, const char *const *names, guint n_names,
				 guint field);
/* The line made last, to fill in what else it has. */
struct ctprof_report_line *table_last(Table *table);
void table_drop_last(Table *table);

/* Whether limit (0: none) lets one more line in; counts it as cut if not. */
gboolean table_has_room(Table *table, guint limit);
/* Keeps the first limit lines (0: all), and counts the others as cut. */
void table_cut(Table *table, guint limit);
/* Puts headings above lines of three names: a heading for each segment of the
 * first, a path, where it changes, and one for the second. */
void table_make_tree(Table *table);

/* How a row's amounts were read, from good to bad. */
enum reading { READ_NONE, READ_EXACT, READ_APPROXIMATE, READ_MISSING, N_READINGS };

/* How many rows the totals are made of, by that; READ_NONE is told nowhere. */
typedef struct tally {
	guint64 n[N_READINGS];
} Tally;

/* Counts a row of n amounts: exact with all of them whole, missing with none. */
void tally_add(Tally *tally, const struct ctprof_value *amounts, guint n);
/* covered: what is counted ("processes"). */
void table_cover(Table *table, const char *covered, const Tally *tally);
/* Totals lack what is in no line: none of them is whole. */
void table_mark_totals(Table *table);
void table_note(Table *table, const char *format, ...) G_GNUC_PRINTF(2, 3);

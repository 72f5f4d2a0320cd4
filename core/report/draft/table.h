/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of a report while they are assembled: one table each. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "report/fold/amount.h"
#include "sentence.h"

/* Fields of tables, for static arrays. */
#define ROLE_FIELD(id, head, unit_, ladder_, flags_, role_)                                        \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_report_field), .flags = (flags_),              \
		.ladder = (ladder_), .name = (id), .header = (head), .unit = (unit_), .tags = "",  \
		.role = CTPROF_FIELD_##role_                                                       \
	}
#define TABLE_FIELD(id, head, unit, ladder, flags) ROLE_FIELD(id, head, unit, ladder, flags, PLAIN)
#define BYTES_FIELD(id, head) TABLE_FIELD(id, head, "bytes", CTPROF_LADDER_BYTES, 0)
#define SHORT_BYTES(id, head)                                                                      \
	TABLE_FIELD(id, head, "bytes", CTPROF_LADDER_BYTES, CTPROF_FIELD_SHORT)
#define COUNT_FIELD(id, head) TABLE_FIELD(id, head, "none", CTPROF_LADDER_NONE, 0)
#define TEXT_FIELD(id, head) TABLE_FIELD(id, head, "text", CTPROF_LADDER_NONE, CTPROF_FIELD_CUT)
#define SUBJECT_FIELD(id, head)                                                                    \
	ROLE_FIELD(id, head, "text", CTPROF_LADDER_NONE, CTPROF_FIELD_CUT, SUBJECT)
#define SHARE_FIELD(id, head)                                                                      \
	TABLE_FIELD(id, head, "percent", CTPROF_LADDER_NONE, CTPROF_FIELD_PERCENT)

typedef struct table {
	struct ctprof_report_section section; /* name, heading, flags, names_header, covered */
	GArray *fields;                       /* struct ctprof_report_field */
	GArray *lines;                        /* struct ctprof_report_line */
	GPtrArray *cells;                     /* struct ctprof_cell[], one for each line */
	GPtrArray *notes;                     /* char *, owned */
	GPtrArray *sentences; /* const struct ctprof_sentence *, one per note; NULL: only text */
	GHashTable *places;   /* field's name -> its index + 1 */
} Table;

/* Tables in the order of the report's sections. */
typedef GPtrArray Tables;

Tables *tables_new(void);
/* name, heading and names_header (NULL: lines have no names) are borrowed for
 * the lifetime of the tables; flags: CTPROF_SECTION_*. */
Table *tables_add(Tables *tables, const char *name, const char *heading, const char *names_header,
		  guint32 flags);
/* Removes the last table. */
void tables_drop(Tables *tables);
/* Returns an array of struct ctprof_report_section; nothing may be added
 * afterwards.  The tables must outlive it. */
GArray *tables_finish(Tables *tables);

/* Finishes one table; returns its section. */
const struct ctprof_report_section *table_finish(Table *table);

/* Removes the column of verdicts if no line of the finished sections has one. */
void tables_drop_verdicts(const GArray *sections, GArray *columns);

void table_add_fields(Table *table, const struct ctprof_report_field *fields, guint n);
/* Returns the index of the field of that name; adds the field if necessary. */
guint table_take_field(Table *table, const struct ctprof_report_field *field);
struct ctprof_report_field *table_field(Table *table, guint i);
/* Hides a field, or shows it. */
void table_hide(Table *table, guint field, gboolean hide);

/* Returns a line with these names that is not part of a table. */
struct ctprof_report_line table_names(const char *const *names, guint n_names);
/* Adds a line with a cell for every field, all absent; returns the cells.  No
 * fields can be added afterwards. */
struct ctprof_cell *table_line(Table *table, guint32 flags, guint depth);
/* Adds a line with names; otherwise like table_line(). */
struct ctprof_cell *table_named_line(Table *table, const char *const *names, guint n_names);
/* Adds a line of one field; returns its cell. */
struct ctprof_cell *table_metric(Table *table, const char *const *names, guint n_names,
				 guint field);
/* Adds a line with a role, otherwise like table_line(). */
struct ctprof_cell *table_role_line(Table *table, guint32 flags, guint32 role);
/* Returns the last line, so that its other members can be set. */
struct ctprof_report_line *table_last(Table *table);
void table_drop_last(Table *table);

/* Whether limit (0: none) allows another line; if not, counts it as cut. */
gboolean table_has_room(Table *table, guint limit);
/* Keeps the lines of the first limit names (0: all), and counts the others as cut. */
void table_cut(Table *table, guint limit);
/* Puts headings above lines of three names: a heading for each segment of the
 * first, a path, where it changes, and one for the second. */
void table_make_tree(Table *table);

/* How completely a row's amounts were read, best first. */
enum reading { READ_NONE, READ_EXACT, READ_APPROXIMATE, READ_MISSING, N_READINGS };

/* The number of rows in the totals, by how they were read; READ_NONE is not
 * shown. */
typedef struct tally {
	guint64 n[N_READINGS];
} Tally;

/* Counts a row of n amounts: exact if all of them are complete, missing if none
 * is present. */
void tally_add(Tally *tally, const struct ctprof_value *amounts, guint n);
/* covered: what is counted ("processes"). */
void table_note_coverage(Table *table, const char *covered, const Tally *tally);
/* Marks the totals as partial, since they lack rows that have no line. */
void table_mark_totals(Table *table);
void table_note(Table *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Adds a sentence as a note; it must outlive the table.  before: put in front of its text. */
void table_note_sentence(Table *table, const char *before, Sentence *sentence);

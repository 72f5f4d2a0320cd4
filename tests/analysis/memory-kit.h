/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows about memory made by hand, on one side or two, and what a view makes of
 * them as text. */
#pragma once

#include <glib.h>

#include "sample.h"

typedef struct memory_kit {
	AnalysisOptions options; /* files: "x.ctprof.zst", "y.ctprof.zst" */
	GPtrArray *sides[2];     /* rows; the other side counts once it has some */
	GHashTable *groups[2];   /* slot groups that are captured */
	guint side;              /* that rows are added to */

	/* Of the report drawn last. */
	Sample *samples[2];
	Analysis *analysis;
	const struct ctprof_report *report;
} MemoryKit;

void memory_kit_init(MemoryKit *kit);
void memory_kit_clear(MemoryKit *kit);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MemoryKit, memory_kit_clear)

/* Makes the snapshot have the slot group, even without a row. */
void memory_kit_capture(MemoryKit *kit, const char *group);
/* A row of a slot group: an object of that name, or with NULL a process.
 * cells: "METRIC=VALUE;METRIC=VALUE", the last of a metric counts; "METRIC=!"
 * is not applicable. */
void memory_kit_row(MemoryKit *kit, const char *group, const char *name, gint32 pid,
		    const char *cells);
/* "KEY=NUMBER;KEY=NUMBER" as that map of the last row. */
void memory_kit_map(MemoryKit *kit, const char *metric, const char *entries);

/* Draws a view of ctprof memory, or with NULL the sections of show and compare. */
void memory_kit_draw(MemoryKit *kit, const char *view);
/* The section of that name; NULL: there is none. */
const struct ctprof_report_section *memory_kit_section(const MemoryKit *kit, const char *name);
/* A line's cell in the field of that name. */
const struct ctprof_cell *memory_kit_cell(const struct ctprof_report_section *section, guint64 line,
					  const char *field);
/*
 * A section's lines: two blanks a level, then the fields of the list, ' '
 * between: "-" absent, "~5" partial; of two sides "5>7", or one of them where
 * both are the same.  Before a context line stands '^', before a total '='.
 */
char *memory_kit_dump(const MemoryKit *kit, const char *section, const char *fields);
/* The section's notes, a line each. */
char *memory_kit_notes(const MemoryKit *kit, const char *section);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hand-made rows about memory, on one side or two, and a view of them rendered
 * as text. */
#pragma once

#include <glib.h>

#include "sample.h"

typedef struct memory_kit {
	AnalysisOptions options; /* files: "x.ctprof.zst", "y.ctprof.zst" */
	GPtrArray *sides[2];     /* rows; the other side counts once it has some */
	GHashTable *groups[2];   /* slot groups that are captured */
	guint side;              /* the side that rows are added to */

	/* For the report drawn last. */
	Sample *samples[2];
	Analysis *analysis;
	const struct ctprof_report *report;
} MemoryKit;

void memory_kit_init(MemoryKit *kit);
void memory_kit_clear(MemoryKit *kit);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MemoryKit, memory_kit_clear)

/* Makes the snapshot have the slot group, even without a row. */
void memory_kit_capture(MemoryKit *kit, const char *group);
/* Adds a row of a slot group: an object of that name, or a process if NULL.
 * cells: "METRIC=VALUE;METRIC=VALUE"; the last value of a metric counts, and
 * "METRIC=!" means not applicable. */
void memory_kit_row(MemoryKit *kit, const char *group, const char *name, gint32 pid,
		    const char *cells);
/* Sets a map of the last row to "KEY=NUMBER;KEY=NUMBER". */
void memory_kit_map(MemoryKit *kit, const char *metric, const char *entries);

/* Draws a view of ctprof memory, or the sections of show and compare if NULL. */
void memory_kit_draw(MemoryKit *kit, const char *view);
/* Returns the section of that name, or NULL. */
const struct ctprof_report_section *memory_kit_section(const MemoryKit *kit, const char *name);
/* Returns a line's cell in the field of that name. */
const struct ctprof_cell *memory_kit_cell(const struct ctprof_report_section *section, guint64 line,
					  const char *field);
/*
 * Returns a section's lines: two blanks per level, then the listed fields,
 * separated by ' ': "-" absent, "~5" partial; for two sides "5>7", or one value
 * if both are equal.  A context line begins with '^', a total with '='.
 */
char *memory_kit_dump(const MemoryKit *kit, const char *section, const char *fields);
/* Returns the section's notes, one per line. */
char *memory_kit_notes(const MemoryKit *kit, const char *section);

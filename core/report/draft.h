/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of a report while they are put together. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "report/section/sections.h"

typedef struct draft {
	GArray *sections; /* struct ctprof_report_section */
	GPtrArray *rows;  /* their arrays */
} Draft;

/* An empty array of struct ctprof_report_row. */
GArray *draft_rows_new(void);

void draft_init(Draft *draft);
void draft_clear(Draft *draft);

/* Adds a section and takes its rows.  heading NULL: the section's. */
void draft_add(Draft *draft, enum section_id id, const char *heading, enum ctprof_layout layout,
	       const char *group_header, GArray *rows, guint64 n_cut);
/* Likewise a section that only the files know of; its name outlives the draft. */
void draft_add_named(Draft *draft, const char *name, const char *heading, enum ctprof_layout layout,
		     const char *group_header, GArray *rows, guint64 n_cut);
/* Keeps the rows of the first limit lines (0: all); returns how many lines went.
 * With the layout WIDE a group is a line. */
guint64 draft_cut(GArray *rows, enum ctprof_layout layout, guint limit);

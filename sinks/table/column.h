/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The columns a report may ask for, and the text of their cells. */
#pragma once

#include "ctprof/report.h"
#include "grid.h"

struct column;

/* The column of an enum ctprof_column, or NULL. */
const struct column *column_find(guint32 id);
/* The cell of the header line. */
void column_head(const struct column *column, Grid *grid, guint i,
		 const struct ctprof_report *report, const struct ctprof_report_section *section);
/* The cell of a row; the group's is left empty for a layout to fill. */
void column_fill(const struct column *column, Grid *grid, guint i,
		 const struct ctprof_report *report, const struct ctprof_report_row *row);
/* Whether the section has rows, and none of them anything in it. */
gboolean column_is_blank(const struct column *column, const struct ctprof_report *report,
			 const struct ctprof_report_section *section);
gboolean column_is_group(const struct column *column);
/* Whether its cells are aligned to the right. */
gboolean column_is_right(const struct column *column);

/* A value: "1.500µs", "0..39", "-"; ladder is an enum ctprof_ladder. */
void column_put_value(GString *text, const struct ctprof_value *value, guint32 ladder);
/* Both sides in one cell: "A → B (+D)", one of them when they are equal and
 * have no delta. */
void column_put_pair(GString *text, const struct ctprof_report_row *row);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values reported for a group: folded and derived metrics. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "groups.h"
#include "report/fold/derived.h"
#include "report/fold/measure.h"

typedef struct figure {
	struct ctprof_report_field field;
	const char *section;           /* the section that shows it */
	const Measure *measure;        /* NULL: derived */
	const struct derived *derived; /* NULL: folded */
	const Measure *inputs[DERIVED_MAX_INPUTS];
	gboolean nominal; /* a category: not sortable */
} Figure;

/* An array of Figure: the measures by rank, then the derived ones in order. */
GArray *figures_new(const Measures *measures);
/* The measures only, without derived metrics. */
GArray *figures_plain(const Measures *measures);
/* The report field of a measure, with that name. */
struct ctprof_report_field figure_field(const Measure *measure, const char *name);
/* NULL: unknown. */
const Figure *figures_find(const GArray *figures, const char *name);

/* An input of a figure: a folded value of a side; grown: its growth since the other
 * side, if it is a counter.  measure NULL: ABSENT. */
void figure_input(const Measure *measure, const Group *group, const Layout *const layouts[SIDES],
		  guint side, gboolean grown, struct ctprof_value *ret_value);
/* Takes over an input's coverage if it is the least complete so far. */
void figure_cover(struct ctprof_value *value, const struct ctprof_value *input);
/* Whether a run or window has what it grew by: a counter, or what is derived of some.  A ratio
 * is already that of what was counted. */
gboolean figure_grows(const Figure *figure);
/* CTPROF_METRIC_* */
guint32 figure_flags(const Figure *figure);

/* The values of both sides.  window: the candidate's ratio is that of the
 * counts since the baseline. */
void figure_values(const Figure *figure, const Group *group, const Layout *const layouts[SIDES],
		   gboolean window, struct ctprof_value ret_values[SIDES]);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values reported for a group: folded and derived metrics. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "frame/percentile.h"
#include "frame/quantity.h"
#include "groups.h"
#include "report/fold/measure.h"

typedef struct figure {
	struct ctprof_report_field field;
	const char *section;     /* the section that shows it */
	const Measure *measure;  /* NULL: derived */
	const Quantity *derived; /* NULL: folded */
	const Measure *inputs[QUANTITY_INPUTS];
	const Percentile *percentile; /* of a histogram; NULL: all of it, or another kind */
	gboolean nominal;             /* a category: not sortable */
} Figure;

/* An array of Figure: the measures by rank, then the derived ones in order. */
GArray *figures_new(const Measures *measures);
/* The measures only, without derived metrics. */
GArray *figures_plain(const Measures *measures);
/* The report field of a measure, with that name. */
struct ctprof_report_field figure_field(const Measure *measure, const char *name);
/* NULL: unknown. */
const Figure *figures_find(const GArray *figures, const char *name);

/* The sides for which values are asked. */
typedef struct span {
	const Layout *layouts[SIDES];
	guint side;
	gboolean grown; /* of counters, what they grew by since the other side */
} Span;

/* The measures of a formula's inputs; NULL: unknown. */
void formula_bind(const Formula *formula, const Measures *measures,
		  const Measure *ret_inputs[QUANTITY_INPUTS]);
/* REAL, with the coverage of the least complete input; ABSENT unless all are present. */
void formula_value(const Formula *formula, const Measure *const inputs[QUANTITY_INPUTS],
		   Record *const sides[SIDES], const Span *span, struct ctprof_value *ret_value);
/* Whether a run or window has what it grew by: a counter, or what is derived of some.  A ratio
 * is already that of what was counted. */
gboolean figure_grows(const Figure *figure);
/* The histogram of a side; NULL: none, or a percentile of it. */
const Histogram *figure_histogram(const Figure *figure, const Group *group,
				  const Layout *const layouts[SIDES], guint side);
/* CTPROF_METRIC_* */
guint32 figure_flags(const Figure *figure);

/* The values of both sides.  window: the candidate's ratio is that of the
 * counts since the baseline. */
void figure_values(const Figure *figure, const Group *group, const Layout *const layouts[SIDES],
		   gboolean window, struct ctprof_value ret_values[SIDES]);

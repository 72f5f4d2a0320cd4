/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Figures: the values reported for a group, which are folded or derived metrics. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "frame/percentile.h"
#include "frame/quantity.h"
#include "groups.h"
#include "report/fold/measure.h"

typedef struct figure {
	struct ctprof_report_field field;
	const char *section;     /* the section that shows the value */
	const Measure *measure;  /* NULL: derived */
	const Quantity *derived; /* NULL: folded */
	const Measure *inputs[QUANTITY_INPUTS];
	const Percentile *percentile; /* of a histogram; NULL: all of it, or another kind */
	gboolean nominal;             /* a category: not sortable */
} Figure;

/* Returns an array of Figure: the measures by rank, then the derived ones in order. */
GArray *figures_new(const Measures *measures);
/* Returns the measures only, without derived metrics. */
GArray *figures_plain(const Measures *measures);
/* NULL: unknown. */
const Figure *figures_find(const GArray *figures, const char *name);

/* The sides whose values are requested. */
typedef struct span {
	guint side;
	gboolean grown; /* for counters, the growth since the other side */
} Span;

/* Finds the measures of a formula's inputs; NULL: unknown. */
void formula_bind(const Formula *formula, const Measures *measures,
		  const Measure *ret_inputs[QUANTITY_INPUTS]);
/* Computes a REAL, with the coverage of the least complete input; ABSENT unless all are present. */
void formula_value(const Formula *formula, const Measure *const inputs[QUANTITY_INPUTS],
		   Record *const sides[SIDES], const Span *span, struct ctprof_value *ret_value);
/* Whether a run or window shows the growth of the figure: a counter, or an amount derived from
 * counters.  Ratios do not grow: they are computed from such growth. */
gboolean figure_grows(const Figure *figure);
/* Returns the histogram of a side; NULL: the figure has none, or is a percentile of it. */
const Histogram *figure_histogram(const Figure *figure, const Group *group, guint side);
/* Returns CTPROF_METRIC_*. */
guint32 figure_flags(const Figure *figure);

/* Computes the values of both sides. window: the candidate's ratio is computed from the counts
 * since the baseline. */
void figure_values(const Figure *figure, const Group *group, gboolean window,
		   struct ctprof_value ret_values[SIDES]);

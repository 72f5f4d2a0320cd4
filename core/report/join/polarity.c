/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "polarity.h"

#include <math.h>

#define DEFAULT_PERCENT 5
/* For a ratio, whose change has no percentage. */
#define DEFAULT_RATIO 0.05

/* Returns the smallest change of the field that is judged, in its unit. */
static gdouble gate_of(const struct ctprof_report_field *field)
{
	if (field->gate > 0)
		return (gdouble)field->gate;
	if (field->ladder == CTPROF_LADDER_RATIO)
		return DEFAULT_RATIO;
	return ladder_find(field->ladder)->large;
}

/* Growth from 0 exceeds any percentage. */
static gboolean passes_percent(const struct ctprof_report_field *field,
			       const struct ctprof_cell *change)
{
	gdouble percent = field->gate_percent > 0 ? field->gate_percent : DEFAULT_PERCENT;

	return !(change->flags & CTPROF_CELL_HAS_PCT) || fabs(change->pct) >= percent;
}

guint32 polarity_judge(const struct ctprof_report_field *field, const struct ctprof_cell *change)
{
	gboolean grew = change->delta > 0;

	if (field->polarity == CTPROF_POLARITY_NEUTRAL ||
	    !(change->flags & CTPROF_CELL_HAS_DELTA) ||
	    change->flags & (CTPROF_CELL_SAME | CTPROF_CELL_PARTIAL) ||
	    fabs(change->delta) < gate_of(field) || !passes_percent(field, change))
		return 0;
	return (field->polarity == CTPROF_MORE_IS_WORSE) == grew ? CTPROF_CELL_WORSE
								 : CTPROF_CELL_BETTER;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values reported for a group: folded and derived metrics. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "derived.h"
#include "measure.h"
#include "report/join/groups.h"

typedef struct figure {
	struct ctprof_report_field field;
	const char *section;           /* whose lines they are */
	const Measure *measure;        /* NULL: derived */
	const struct derived *derived; /* NULL: folded */
	const Measure *inputs[DERIVED_MAX_INPUTS];
	gboolean nominal; /* a category: nothing to sort by */
} Figure;

/* An array of Figure: the measures by rank, then the derived ones in order. */
GArray *figures_new(const Measures *measures);
/* The measures alone: those that nothing is derived from. */
GArray *figures_plain(const Measures *measures);
/* The field of a measure, under that name. */
struct ctprof_report_field figure_field(const Measure *measure, const char *name);
/* NULL: unknown. */
const Figure *figures_find(const GArray *figures, const char *name);
/* All names, alphabetically, for messages. */
char *figures_list(const GArray *figures);

/* The values of both sides.  window: of a ratio the candidate's is that of what
 * was counted since the baseline. */
void figure_values(const Figure *figure, const Group *group, const Layout *const layouts[SIDES],
		   gboolean window, struct ctprof_value ret_values[SIDES]);

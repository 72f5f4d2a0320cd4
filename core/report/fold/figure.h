/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is told of a group: folded metrics, and what is derived from them. */
#pragma once

#include <glib.h>

#include "derived.h"
#include "measure.h"
#include "report/join/groups.h"

typedef struct figure {
	const char *name, *unit, *tags;
	guint32 ladder;
	enum section_id section;       /* primary, delay, derived */
	const Measure *measure;        /* NULL: derived */
	const struct derived *derived; /* NULL: folded */
	const Measure *inputs[DERIVED_MAX_INPUTS];
	guint32 kind;     /* of the measure; 0: derived */
	gboolean nominal; /* a category: nothing to sort by */
} Figure;

/* An array of Figure: the measures by rank, then the derived ones in order. */
GArray *figures_new(const Measures *measures);
/* The measures alone: those that nothing is derived from. */
GArray *figures_plain(const Measures *measures);
/* NULL: unknown. */
const Figure *figures_find(const GArray *figures, const char *name);
/* All names, alphabetically, for messages. */
char *figures_list(const GArray *figures);

void figure_value(const Figure *figure, const Group *group, guint side, const Layout *layout,
		  struct ctprof_value *ret_value);

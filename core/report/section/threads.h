/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of figures: primary (and delay), derived. */
#pragma once

#include <glib.h>

#include "report/draft.h"
#include "report/plan.h"

/* What the rows are made from. */
typedef struct tables {
	const Plan *plan;
	const GPtrArray *groups; /* Group */
	const GArray *figures;   /* Figure */
	const Layout *layouts[SIDES];
	const Figure *sort; /* first of --sort-by, or NULL */
} Tables;

void tables_draft_primary(const Tables *tables, Draft *draft);
void tables_draft_derived(const Tables *tables, Draft *draft);
/* Whether a condition of --fail-on holds in any group. */
gboolean tables_hold(const Tables *tables);

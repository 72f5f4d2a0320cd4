/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pressure stall information, of the host and of cgroups: metrics named
 * psi.RESOURCE.some|full.WHAT. */
#pragma once

#include <glib.h>

#include "report/draft.h"
#include "report/join/pair.h"
#include "report/view.h"

enum { PRESSURE_RESOURCES = 4 };

extern const char *const pressure_resources[PRESSURE_RESOURCES];

gboolean pressure_is_metric(const Metric *metric);

/* Where the metrics are found. */
typedef struct pressure {
	const Measures *measures;
	const Layout *layouts[SIDES];
} Pressure;

/* Appends the rows "some" and "full" of a resource, below the cgroup's name
 * unless that is NULL. */
void pressure_add_rows(const Pressure *pressure, const View *view, guint resource,
		       const char *cgroup, Record *const sides[SIDES], GArray *rows);
/* Whether any pressure was measured in these rows. */
gboolean pressure_has_any(const GArray *rows);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The groups of a side, or of a window, and the values they have. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "row/buckets.h"

/* Called for each group. */
typedef struct group_taker {
	/* A group begins; threads: the number of its threads, in a window at its end. */
	void (*group)(gpointer data, const char *const *names, guint n_names, guint64 threads);
	/* One of the group's values, which may be ABSENT; in a window, the growth of a counter. */
	void (*value)(gpointer data, const struct ctprof_report_field *field,
		      const struct ctprof_value *value);
	/* The distribution of a histogram, whose percentiles are passed to value(). */
	void (*histogram)(gpointer data, const struct ctprof_report_field *field,
			  const Histogram *histogram);
	/* The group has no more values.  FALSE with an error: stop. */
	gboolean (*done)(gpointer data, GError **error);
	gpointer data;
} GroupTaker;

typedef struct draft Draft;

gboolean each_group(const Draft *draft, const GroupTaker *taker, GError **error);

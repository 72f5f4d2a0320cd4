/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The groups of a side, or of a window, and the values they have. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

/* Called for each. */
typedef struct group_taker {
	/* A group begins; threads: how many it has, in a window at its end. */
	void (*group)(gpointer data, const char *const *names, guint n_names, guint64 threads);
	/* One of its values: in a window what a counter has grown by.  ABSENT: none. */
	void (*value)(gpointer data, const struct ctprof_report_field *field,
		      const struct ctprof_value *value);
	/* It has no more.  FALSE with an error: no more groups are wanted. */
	gboolean (*done)(gpointer data, GError **error);
	gpointer data;
} GroupTaker;

typedef struct draft Draft;

gboolean each_group(const Draft *draft, const GroupTaker *taker, GError **error);

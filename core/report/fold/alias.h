/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Short names of metrics for users to type, as in the columns of the first screen. */
#pragma once

#include <glib.h>

typedef struct alias {
	const char *name, *metric;
} Alias;

/* Ended by a NULL name. */
extern const Alias aliases[];

/* The metric of an alias; any other name unchanged, borrowed. */
const char *alias_metric(const char *name);
/* Translates a list of names, "turn,-read", to what a source measures:
 * "wait_time_ns,timeslices, -read_bytes".  The caller frees it. */
char *alias_inputs(const char *list);
/* The alias of a metric, or NULL. */
const char *alias_of(const char *metric);

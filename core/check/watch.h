/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Intercepts the calls between the host and the one plugin that is checked in
 * this process, and reports broken rules of the interface.
 */
#pragma once

#include "plugin/plugin.h"

/* The aspects that are watched; each is a check of that name in the findings. */
enum watch_check {
	WATCH_METRICS,     /* definitions */
	WATCH_RESULTS,     /* what the plugin's functions return */
	WATCH_PUTS,        /* values */
	WATCH_FILES,       /* what is opened, and whether it was declared */
	WATCH_DESCRIPTORS, /* left open */
	WATCH_THREADS,     /* threads left running, or calling the host when they must not */
	N_WATCH_CHECKS
};

/* Begins to watch plugin, which is loaded but not yet opened.  Call once. */
void watch_begin(Plugin *plugin, const Root *root);
/* From now on, host->wanted() returns 0 for everything. */
void watch_want_nothing(void);
/* Returns the counter of puts that this thread's batches refuse. */
guint64 *watch_refused(void);
/* Returns the number of the plugin's declared files that have been opened. */
guint watch_n_used(void);
/* Returns the names of the declared metrics, as a list for registry_seal(); NULL: none. */
char *watch_metric_list(void);
/* Closes the plugin and reports the findings of every check, or OK. unused:
 * note needs that were never opened. */
void watch_end(gboolean unused);

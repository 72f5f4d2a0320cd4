/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stands between the host and the one plugin that is checked in this process:
 * sees every call either makes, and tells what broke a rule of the border.
 */
#pragma once

#include "plugin/plugin.h"

/* What is watched; each is a check of that name in the findings. */
enum watch_check {
	WATCH_METRICS,     /* definitions */
	WATCH_RESULTS,     /* what the plugin's functions return */
	WATCH_PUTS,        /* values */
	WATCH_FILES,       /* what is opened, and whether it was declared */
	WATCH_DESCRIPTORS, /* left open */
	WATCH_THREADS,     /* left running, or calling when they may not */
	N_WATCH_CHECKS
};

/* Puts itself around plugin, which is loaded and not yet opened.  Once. */
void watch_begin(Plugin *plugin, const Root *root);
/* From now on host->wanted() says 0 of everything. */
void watch_want_nothing(void);
/* How many of its declared files were opened by now. */
guint watch_n_used(void);
/* Names of the metrics declared, as a list for registry_seal(); NULL: none. */
char *watch_metric_list(void);
/* Closes the plugin and tells the findings of every check, OK when there is
 * nothing to say.  unused: needs that were never opened are worth a note. */
void watch_end(gboolean unused);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of one plugin file, for its author's tests. */
#pragma once

#include "child.h"
#include "plugin/session.h"

typedef struct check_request {
	const char *file;
	const Globals *globals; /* the root it runs on, and its settings */
	const GArray *pids;     /* gint32; NULL: all */
	guint timeout_s;        /* of each step */
} CheckRequest;

/* Returns findings in the order of the checks; they end early if the file cannot be loaded.  An
 * error is ctprof's own, not the plugin's: the tree to read cannot be made. */
GPtrArray *check_plugin(const CheckRequest *request, GError **error);

/* The step that loads the file and reads its descriptor. */
void check_load(gconstpointer request);

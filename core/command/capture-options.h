/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the commands that capture share: options, and one capture into a file. */
#pragma once

#include <glib.h>

#include "plugin/session.h"

#define CAPTURING_SUFFIX ".ctprof.zst"

/* Options of capture and stat. */
extern const GOptionEntry capturing_entries[];
/* What a capture may cost: theirs, and memory's. */
extern const GOptionEntry capturing_cost_entries[];

typedef struct capturing_request {
	char *output;          /* file; NULL: named after host and time */
	char *sink;            /* what writes it; NULL: the snapshot sink */
	char *groups;          /* as --groups takes them; NULL: what that option says */
	char *metrics;         /* as --metrics takes them; NULL: all */
	char **pids;           /* as text; NULL: all */
	gboolean leaders_only; /* of each process its leader alone is read */
	gboolean is_interim;   /* nobody is told of the file */
} CapturingRequest;

/* Captures as the options and the request say, and tells how it went. */
gboolean capturing_run(Globals *globals, const CapturingRequest *request, GError **error);

/* "250ms", "2s", "1.5s" as milliseconds; a number alone is seconds. */
gboolean capturing_parse_time(const char *option, const char *text, guint64 *ret_ms,
			      GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the commands that capture share: options, and one capture into a file. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "plugin/session.h"

#define CAPTURING_SUFFIX ".ctprof.zst"

/* Options of capture and stat. */
extern const Option capturing_options[];
/* What a capture may cost: theirs, and memory's. */
extern const Option capturing_cost_options[];

typedef struct capturing_request {
	char *output;          /* file; NULL: named after host and time */
	char *sink;            /* what writes it; NULL: the snapshot sink */
	char *groups;          /* as --groups takes them; NULL: what that option says */
	const char *source;    /* the plugin they are of; NULL: any */
	char *metrics;         /* as --metrics takes them; NULL: all */
	char **pids;           /* decimal numbers; NULL: all */
	gboolean leaders_only; /* of each process its leader alone is read */
	gboolean is_interim;   /* nobody is told of the file */
	gboolean listens;      /* for threads that end, from before wait() */
	/* Called before anything is read.  why: nobody listens, one clause; NULL:
	 * somebody does.  FALSE: the capture is not to be made after all.  NULL: it
	 * is made at once. */
	gboolean (*wait)(gpointer data, const char *why);
	gpointer data;
} CapturingRequest;

/* --pid as numbers, gint32; NULL when it was not given. */
GArray *capturing_list_pids(char **pids);

/* Does now what --delayacct asks for, once: for captures of several processes.  The
 * request is checked first. */
gboolean capturing_prepare(Globals *globals, const CapturingRequest *request, GError **error);
/* Captures as the options and the request say, and tells how it went. */
gboolean capturing_run(Globals *globals, const CapturingRequest *request, GError **error);

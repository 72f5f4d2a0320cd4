/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Captures of this host: one into a file, or any number of them with sources that stay open. */
#pragma once

#include <glib.h>

#include "capture/capture.h"
#include "capture/receiver.h"
#include "plugin/session.h"

#define CAPTURING_SUFFIX ".ctprof.zst"

/* Set by the options of commands. */
typedef struct capturing_choice {
	char *groups;       /* --groups; NULL: the usual ones */
	guint64 jobs;       /* workers; 0: the number for which the load leaves room */
	gboolean delayacct; /* switch kernel.task_delayacct on first */
} CapturingChoice;

extern CapturingChoice capturing_choice;

typedef struct capturing_request {
	char *output; /* file; NULL: named after host and time */
	char *sink;   /* the sink that writes it; NULL: the snapshot sink */
	char *groups; /* in the format of --groups; NULL: the value of that option */
	/* needs: selects the metrics that are read by default.  added: groups that are also read if
	 * a plugin has them, NULL-terminated.  NULL: the usual ones. */
	gboolean (*needs)(const Metric *metric);
	const char *const *added;
	const char *source;    /* the plugin that must provide the groups; NULL: any */
	char *metrics;         /* in the format of --metrics; NULL: all */
	char **pids;           /* decimal numbers; NULL: all */
	gboolean leaders_only; /* only leaders are read */
	gboolean no_threads;   /* no processes are read */
	gboolean is_interim;   /* the file is not reported to the user */
	gboolean listens;      /* listens for ended threads, beginning before wait() */
	/* With listens: sources sample from the moment at which another process sets this; NULL:
	 * from the first capture on. */
	const guint *may_sample;
	/* Called before anything is read.  why: the reason why ended threads are not recorded, one
	 * clause; NULL: they are.  FALSE: cancels the capture.  wait NULL: capture at once. */
	gboolean (*wait)(gpointer data, const char *why);
	/* Takes the rows instead of a file: nothing is written or reported, and sink is only loaded
	 * for later use.  NULL: a file is written. */
	TakeRows each;
	/* Captures like capture_run(), for a sink that writes only tables. */
	gboolean (*tabulate)(const Session *session, Plugin *sink, Output *output,
			     CaptureOptions *options, CaptureResult *ret_result, GError **error);
	/* Called after all rows, with the plugins still loaded. */
	gboolean (*finished)(gpointer data, const Session *session, GError **error);
	gpointer data; /* for these functions */
} CapturingRequest;

/* A series of captures with sources that stay open. */
typedef struct capturing Capturing;

/* Opens the sources, and listens if requested; the request must stay valid.  ret_output: gets the
 * file that the request names; NULL: no file is opened. */
Capturing *capturing_begin(Globals *globals, const CapturingRequest *request, Output **ret_output,
			   GError **error);
void capturing_end(Capturing *capturing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Capturing, capturing_end)

const Session *capturing_session(const Capturing *capturing);
Plugin *capturing_sink(const Capturing *capturing);
/* Returns why ended threads are not recorded, one clause; NULL: they are. */
const char *capturing_exits_failure(const Capturing *capturing);
/* Returns HOST-TIME and the suffix. */
char *capturing_name_output(const Root *root, const char *suffix);

/* Captures into output; sample NULL: a single capture. */
gboolean capturing_sample(Capturing *capturing, Output *output, const CaptureSample *sample,
			  CaptureResult *ret_result, GError **error);
/* Call between two captures. */
void capturing_again(Capturing *capturing);

/* Returns the values of --pid as numbers, gint32; NULL if not given. */
GArray *capturing_list_pids(char **pids);

/* Carries out --delayacct now, once for captures by several processes. Checks the request first. */
gboolean capturing_prepare(Globals *globals, const CapturingRequest *request, GError **error);
/* Captures as the options and the request say, and reports the result. */
gboolean capturing_run(Globals *globals, const CapturingRequest *request, GError **error);

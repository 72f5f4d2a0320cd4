/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One picture of a root: walk, sources, sink. */
#pragma once

#include <glib.h>

#include "base/root.h"
#include "cgroupset.h"
#include "guard/output.h"
#include "handoff.h"
#include "listen.h"
#include "plugin/plugin.h"
#include "row/absence.h"
#include "row/registry.h"

/* A capture that is one of a recording's. */
typedef struct capture_sample {
	guint64 number; /* from 1 */
	/* What happened since the one before, as this one begins at time, or NULL; NULL: none. */
	char *(*take_note)(gpointer data, const RootTime *time);
	gpointer data; /* its own */
} CaptureSample;

typedef struct capture_options {
	guint jobs;                      /* 0: online CPUs less the load */
	const GArray *pids;              /* gint32; NULL: all */
	gboolean leaders_only;           /* of each process one thread: its leader */
	gboolean no_threads;             /* no process is read, nor looked for */
	CaptureRows each;                /* takes the rows where there is no sink */
	gpointer data;                   /* its own */
	Listener *listener;              /* of threads that ended; NULL: none */
	const struct ctprof_fact *facts; /* options as given, for the snapshot */
	guint n_facts;
	const CaptureSample *sample; /* NULL: a capture by itself */
	gboolean go_on; /* the sources have started, and read for another sample before */
	/* Samples: the sink has the one before as it was read, so that a thread which is the
	 * same need not be read. */
	gboolean may_skip;
	CgroupSet *cgroups; /* samples: begun, and with what the one before left; NULL: own */
	Redactor *redactor; /* of names; NULL: they are written as they are */
} CaptureOptions;

typedef struct capture_result {
	guint64 threads, processes, vanished; /* threads: rows, so leaders only if so asked */
	guint64 objects;
	guint64 refused;        /* processes of which nothing may be read */
	gboolean hides_threads; /* other users' processes are not even listed */
	gdouble seconds, skew;  /* of all; from the first thread read to the last */
	GArray *absences;       /* Absence, in order of group and reason */
} CaptureResult;

void capture_result_clear(CaptureResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CaptureResult, capture_result_clear)

/*
 * Captures root through the live sources among plugins (Plugin *, opened, the
 * registry sealed) into sink (NULL: options->each).  Fails when nothing could be read, the sink
 * failed, or the user interrupted.  ret_result is
 * written only on success; clear it.
 */
gboolean capture_run(const Root *root, GPtrArray *plugins, Registry *registry, Plugin *sink,
		     Output *output, const CaptureOptions *options, CaptureResult *ret_result,
		     GError **error);

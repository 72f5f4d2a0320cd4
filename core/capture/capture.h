/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Captures a root once: from the walk through the sources to the sink. */
#pragma once

#include <glib.h>

#include "base/root.h"
#include "between.h"
#include "cgroupset.h"
#include "guard/output.h"
#include "plugin/plugin.h"
#include "receiver.h"
#include "row/absence.h"
#include "row/registry.h"

/* A capture that is a sample of a recording. */
typedef struct capture_sample {
	guint64 number; /* from 1 */
	/* Returns what happened between the previous sample and this one, which begins at time;
	 * NULL: nothing.  The caller frees the text.  May be NULL. */
	char *(*take_note)(gpointer data, const RootTime *time);
	gpointer data; /* for take_note */
	/* The user's marks since the previous sample. */
	const struct ctprof_fact *marks;
	guint n_marks;
} CaptureSample;

typedef struct capture_options {
	guint jobs;                      /* 0: online CPUs less the load */
	const GArray *pids;              /* gint32; NULL: all */
	gboolean leaders_only;           /* read only the leader of each process */
	gboolean no_threads;             /* neither look for processes nor read them */
	TakeRows each;                   /* takes the rows if there is no sink */
	gpointer data;                   /* for each */
	Between *listener;               /* records threads that ended; NULL: none */
	const struct ctprof_fact *facts; /* options as given, for the snapshot */
	guint n_facts;
	const CaptureSample *sample; /* NULL: a single capture */
	gboolean go_on;              /* the sources have started, and have read an earlier sample */
	/* Samples: the sink has the previous sample as it was read, so an unchanged thread need not
	 * be read again. */
	gboolean may_skip;
	CgroupSet *cgroups; /* samples: after cgroup_set_begin(), kept between them; NULL: own */
	Redactor *redactor; /* replaces names; NULL: they are written as they are */
} CaptureOptions;

typedef struct capture_result {
	guint64 threads, processes, vanished; /* threads: rows; with leaders_only, leaders */
	guint64 objects;
	guint64 refused;        /* number of processes that may not be read at all */
	gboolean hides_threads; /* other users' processes are not even listed */
	gdouble seconds, skew;  /* time: of the whole capture; from the first thread to the last */
	GArray *absences;       /* Absence, in order of group and reason */
} CaptureResult;

void capture_result_clear(CaptureResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CaptureResult, capture_result_clear)

/*
 * Captures root through the live sources among plugins (Plugin *, opened, the
 * registry sealed) into sink (NULL: options->each).  Fails if nothing could be read, the sink
 * failed, or the user interrupted.  *ret_result is set only on success; the caller then
 * clears it.
 */
gboolean capture_run(const Root *root, GPtrArray *plugins, Registry *registry, Plugin *sink,
		     Output *output, const CaptureOptions *options, CaptureResult *ret_result,
		     GError **error);

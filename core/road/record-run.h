/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process that records: samples at a fixed rate into files that grow. */
#pragma once

#include <glib.h>

#include "capturing.h"
#include "marks.h"
#include "workload.h"

/* State in shared memory, with which the next process continues after a plugin brought one down. */
typedef struct record_state {
	guint64 bytes;          /* bytes of the whole samples in the file */
	guint64 samples;        /* taken, in all files */
	guint64 late, lost;     /* samples skipped; samples not written */
	gint64 tick_ns;         /* when the next sample is due; CLOCK_MONOTONIC, 0: at once */
	gint64 end_ns;          /* when to stop; 0: not yet known */
	gint64 file_ns;         /* when the file was begun */
	gboolean wants_another; /* the file has reached the maximum size or age */
	Marks marks;            /* for the next sample */
} RecordState;

/* A group that is not read in every sample. */
typedef struct record_slow {
	char *group;
	guint64 every_ns;
	guint64 due_ns; /* when it is read next */
} RecordSlow;

typedef struct record_plan {
	Globals *globals;
	CapturingRequest *request;
	char *path; /* NULL: named after host and time; "-": standard output */
	guint64 interval_ns;
	guint64 duration_ns, count; /* 0: no end */
	char **every;               /* GROUP=TIME; NULL: none */
	guint64 max_size;           /* bytes; 0: any */
	guint64 max_age_ns;         /* 0: any */
	guint64 keep;               /* number of full files that are kept */
	Workload *workload;         /* NULL: none */
	GArray *slow;               /* RecordSlow, of every */
	RecordState *state;         /* all zero at first */
	Output *output;             /* the file */
	MarkInputs mark_inputs;
} RecordPlan;

/* Reads plan->every. */
gboolean record_parse_every(RecordPlan *plan, GError **error);
/* Opens the file, with the rights of the user. */
gboolean record_open(RecordPlan *plan, GError **error);
/* A SuperviseStep that records into the file; data is the plan.  Called again, in another process,
 * after a plugin failed. */
int record_step(gpointer data, GError **error);

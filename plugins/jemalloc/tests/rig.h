/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starts workers to be examined, and the plugin that examines them. */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "ctprof/source.h"
#include "fakehost.h"

/* Returns the path of a file that the build made for the tests. */
char *rig_built(const char *name);
/* Whether the file exists; otherwise skips the test with g_test_skip(). */
gboolean rig_need(const char *path, const char *what);

/* One thread, as the worker reports it. */
struct truth {
	int tid; /* in the worker's own PID namespace */
	guint64 allocated;
	guint64 deallocated;
};

typedef struct {
	GPid child; /* the process that was started */
	pid_t pid;  /* the worker itself */
	int to, from;
	GArray *truth; /* struct truth */
} RigWorker;

/* Starts argv (NULL-terminated) with preload (or NULL) and waits for "ready". */
RigWorker *rig_worker_new(const char *const *argv, const char *preload);
/* The same, but if the worker ends instead: NULL, with its last output in *ret_why. */
RigWorker *rig_worker_try(const char *const *argv, const char *preload, char **ret_why);
/* Closes the worker's stdin; returns its remaining output. */
char *rig_worker_finish(RigWorker *worker);
/* Whether the worker has reported this thread. */
gboolean rig_worker_told(const RigWorker *worker, int tid);
void rig_worker_free(RigWorker *worker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigWorker, rig_worker_free)

typedef struct {
	FakeHost *fake;
	const struct ctprof_source_ops *ops;
	void *self;
	void *context;
	GArray *tids; /* gint32: the rows of the last rig_collect() */
} Rig;

/* Opens and starts the plugin; mode and helper: its options, or NULL. */
Rig *rig_new(const char *mode, const char *helper);
void rig_free(Rig *rig);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Rig, rig_free)

/* Collects one batch with every thread of the process. */
void rig_collect(Rig *rig, pid_t pid);
/* Collects the capture-scope batch. */
void rig_collect_summary(Rig *rig);
/* Asserts that all rows are measured, and equal to the worker's truth, to the byte. */
void rig_assert_truth(Rig *rig, const RigWorker *worker);
/* Asserts that all rows are absent for this reason, and jemalloc_measured is 0. */
void rig_assert_absent(Rig *rig, guint32 why);

/* Returns the number of rows of the last rig_collect() that were measured. */
guint rig_n_measured(Rig *rig);
/* Waits for a line in the process's status, for as long as the test may take. */
void rig_wait_for(GPid pid, const char *line);
/* Whether the last rig_collect() had several threads, all of them measured. */
gboolean rig_are_measured(Rig *rig);

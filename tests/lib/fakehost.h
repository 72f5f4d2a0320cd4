/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A fake host for a plugin under test: registers metrics, keeps what is put
 * into a batch, and returns it by metric name.  Aborts the test on anything the
 * interface forbids (unknown slot, wrong type, row out of range).
 */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"
#include "ctprof/sink.h"
#include "ctprof/source.h"

typedef struct fake_host FakeHost;

/* Paths of the three roots; NULL: that root is missing (-ENOENT). */
FakeHost *fake_host_new(const char *proc, const char *sys, const char *cgroup, gboolean live);
void fake_host_free(FakeHost *fake);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FakeHost, fake_host_free)

/* The table to hand to a plugin's open(). */
const struct ctprof_host *fake_host_table(FakeHost *fake);

/* Sets the value of an option; call before open(). */
void fake_host_option(FakeHost *fake, const char *key, const char *value);
/* Adds a metric to the wanted ones; if never called, all are wanted. */
void fake_host_want(FakeHost *fake, const char *name);

/* The last message of error(), or "". */
const char *fake_host_error(FakeHost *fake);
/* All log() lines, each "LEVEL message\n". */
const char *fake_host_log(FakeHost *fake);
/* All findings, each "GROUP STATE why|remedy\n". */
const char *fake_host_findings(FakeHost *fake);
/* How often open_file() was called with a path that ends in suffix. */
guint fake_host_opens(FakeHost *fake, const char *suffix);
/* Everything a sink has written. */
const GByteArray *fake_host_written(FakeHost *fake);
/* The definition of a registered metric, or NULL. */
const struct ctprof_metric *fake_host_metric(FakeHost *fake, const char *name);
guint fake_host_n_metrics(FakeHost *fake);

/* Adds a target for the next batch; task_fd is opened below the proc root (-1
 * if it does not exist).  fake_host_add_cgroup for cgroup batches. */
void fake_host_add_thread(FakeHost *fake, gint32 tgid, gint32 tid);
void fake_host_add_cgroup(FakeHost *fake, const char *path);
/* Returns a batch over the targets added since the last one; owned by fake.  With
 * CTPROF_SCOPE_OBJECT or _EXIT it starts empty, and the plugin adds rows until it
 * is full. */
struct ctprof_batch *fake_host_batch(FakeHost *fake, guint32 scope);

/* The contents of the last batch: the state, and the value if PRESENT. */
guint32 fake_host_state(FakeHost *fake, guint64 row, const char *name);
guint64 fake_host_u64(FakeHost *fake, guint64 row, const char *name);
gint64 fake_host_i64(FakeHost *fake, guint64 row, const char *name);
/* Text, cpuset ("0,1,5") or map ("k=1 l=2", ordered by key) as a string. */
const char *fake_host_string(FakeHost *fake, guint64 row, const char *name);
/* Rows of the last batch. */
guint fake_host_rows(FakeHost *fake);
/* The target of a row of the last batch. */
const struct ctprof_target *fake_host_target(FakeHost *fake, guint64 row);
/* Returns the row of an object in the last batch, or -1 if it has none. */
gint64 fake_host_find_object(FakeHost *fake, const char *group, const char *name);
/* Sets the number of objects or exits that a batch has room for; 256 if never
 * called. */
void fake_host_room(FakeHost *fake, guint rows);
gboolean fake_host_row_vanished(FakeHost *fake, guint64 row);

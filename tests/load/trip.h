/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random rows with every kind of value, to be written and read back. */
#pragma once

#include "kit.h"
#include "row/batch.h"

typedef struct trip {
	Kit *kit;
	Registry *registry;
	GStringChunk *names;
	guint64 random; /* any number: determines everything that is generated */
	Output *output;
	struct ctprof_host table;
	GString *rows[N_ROW_CLASSES]; /* what was written */
	guint64 bad_puts;
} Trip;

/* All metrics that the format knows, and for each scope one of each kind and unit. */
void trip_init(Trip *trip, guint32 seed);
void trip_clear(Trip *trip);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Trip, trip_clear)

/* Returns a random number below n. */
guint trip_below(Trip *trip, guint n);
/* Puts a random value. */
void trip_put_any(Trip *trip, struct ctprof_batch *batch, guint64 row, const Metric *metric);
/* Puts at most max bytes of any value except NUL; utf8: well-formed ones. */
gsize trip_any_bytes(Trip *trip, gboolean utf8, char *bytes, gsize max);
/* The path of cgroup i: bytewise ascending, as a capture gives them. */
void trip_make_path(Trip *trip, guint i, struct ctprof_target *target);
/* struct ctprof_metric_info of the registry's metrics, as a sink is given them. */
GArray *trip_list_metrics(const Registry *registry);
/* Fails with the first line that differs, and the row it is in. */
void trip_assert_same(const char *written, const char *loaded);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Snapshot files made by hand or by the sink, and what load.c makes of them. */
#pragma once

#include <glib.h>

#include "snapshot/read.h"

#define NO_SNAPSHOT "not a ctprof snapshot ('ctprof capture' writes one): "

/* The limits of the reader; 0: the default of core/snapshot. */
typedef struct load_limits {
	guint64 max_bytes;    /* decompressed */
	guint64 max_threads;  /* records */
	guint max_depth;      /* nesting */
	guint max_string;     /* bytes */
	guint max_window_log; /* zstd */
} LoadLimits;

/* Reads a snapshot, or the last sample of a recording. */
Loaded *load_file(Plugin *sink, const char *path, TakeRows each, gpointer data, GError **error);

typedef struct kit Kit;

/* A folder for files, and the snapshot sink, opened. */
Kit *kit_new(void);
void kit_free(Kit *kit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Kit, kit_free)

Plugin *kit_sink(Kit *kit);
/* Another instance of the sink. */
void kit_reopen(Kit *kit);
/* The file that is written and loaded. */
const char *kit_path(const Kit *kit);
void kit_write_bytes(Kit *kit, const void *data, gsize size);
/* Returns the bytes of JSON text compressed as one frame with a checksum. */
GBytes *kit_compress(const char *text, gsize len);
void kit_write_text(Kit *kit, const char *text);

/* The file's rows as text, see dump_rows(), threads first; NULL with an error. */
char *kit_load(Kit *kit, const LoadLimits *limits, GError **error);
/* The same of a sample of a recording. */
char *kit_load_sample(Kit *kit, Recording *recording, guint sample, guint n_exits, GError **error);
/* The facts of what was loaded last, as text. */
const char *kit_facts(const Kit *kit);

/*
 * A line a row: its scope, and tgid/tid (a leader's with '*') or path; then one
 * a metric, by name: "  METRIC = VALUE", "= !REASON" when absent.  No two values
 * look alike.
 */
void dump_rows(GString *dump, const Registry *registry, const struct ctprof_rows *rows);

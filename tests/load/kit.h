/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Snapshot files, handmade or written by the sink, and the result of loading them. */
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
/* The same for a sample of a recording. */
char *kit_load_sample(Kit *kit, Recording *recording, guint sample, guint n_exits, GError **error);
/* The facts of what was loaded last, as text. */
const char *kit_facts(const Kit *kit);

/*
 * A line for each row: its scope, and tgid/tid (with '*' for a leader) or path;
 * then one for each metric, by name: " METRIC = VALUE", or "= !REASON" if
 * absent.  Different values always have different texts.
 */
void dump_rows(GString *dump, const Registry *registry, const struct ctprof_rows *rows);

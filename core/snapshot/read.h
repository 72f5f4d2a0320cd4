/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a snapshot file back: its metrics first, then its rows, in pieces. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "row/registry.h"

/* A fact of the file's "capture" object and what stands beside it. */
typedef struct load_facts {
	guint64 realtime_ns; /* captured_at_unix_ns */
	guint64 boottime_ns; /* when it began; 0: unknown */
	GHashTable *options; /* key -> value, as given to capture */
	GPtrArray *plugins;  /* "NAME STATE" */
} LoadFacts;

/* Called with the rows of one scope, thread rows in many pieces; registry holds
 * the file's metrics, sealed.  FALSE with an error ends the reading. */
typedef gboolean (*LoadRows)(gpointer data, const Registry *registry,
			     const struct ctprof_rows *rows, GError **error);

/* A snapshot that was read. */
typedef struct loaded {
	Registry *registry;
	GStringChunk *strings; /* of its definitions */
	LoadFacts facts;
} Loaded;

/*
 * Reads path ("-": standard input) through sink's read op.  Errors are one
 * line: the file, the byte offset of the decompressed text, what was expected.
 */
Loaded *load_file(Plugin *sink, const char *path, LoadRows each, gpointer data, GError **error);
void loaded_free(Loaded *loaded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Loaded, loaded_free)

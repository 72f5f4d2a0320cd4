/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a snapshot file back: its metrics first, then its rows, in pieces. */
#pragma once

#include <glib.h>

#include "facts.h"
#include "plugin/plugin.h"
#include "row/registry.h"

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

/* A file of samples of one boot, in the order of time; a snapshot is one of one. */
typedef struct recording Recording;

/* Opens path ("-": standard input) to be read through sink's read op, and finds its
 * samples.  sink must outlive it, and reads one recording at a time quickest. */
Recording *recording_open(Plugin *sink, const char *path, GError **error);
void recording_free(Recording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recording, recording_free)

/* At least 1. */
guint recording_n_samples(const Recording *recording);
/* CLOCK_REALTIME when the sample began, in ns; 0: not known before it is read. */
guint64 recording_time(const Recording *recording, guint sample);
/* Says what is missing at the end of the file, one sentence; NULL: nothing. */
const char *recording_damage(const Recording *recording);
/*
 * Reads a sample through sink's read op.  Errors are one line: the file, the byte offset of the
 * decompressed text, what was expected.  n_exits: exit rows of how many samples up to this one
 * are wanted, at least 1.  The sample after the one read last costs what has changed, any other
 * up to 64 times that.
 */
Loaded *recording_read(Recording *recording, guint sample, guint n_exits, LoadRows each,
		       gpointer data, GError **error);
/* The same of the host's row alone: quick, however many threads there are. */
Loaded *recording_read_host(Recording *recording, guint sample, guint n_exits, LoadRows each,
			    gpointer data, GError **error);

/* While a sample is read, in its LoadRows: what is known of it by then.  FALSE: nothing of its
 * host yet.  Borrowed. */
const LoadFacts *recording_facts(const Recording *recording);
gboolean recording_peek_host(const Recording *recording, struct ctprof_rows *ret_rows);

/* The last sample up to this one that a part of the recording can begin with. */
guint recording_find_key(const Recording *recording, guint sample);
/* Writes the samples first, from recording_find_key() on, to last. */
gboolean recording_cut(Recording *recording, guint first, guint last, Output *output,
		       GError **error);

void loaded_free(Loaded *loaded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Loaded, loaded_free)

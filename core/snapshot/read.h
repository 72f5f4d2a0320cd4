/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a snapshot file back: its metrics first, then its rows, in pieces. */
#pragma once

#include <glib.h>

#include "bytes.h"
#include "facts.h"
#include "plugin/plugin.h"
#include "row/registry.h"

/* A snapshot that was read. */
typedef struct loaded {
	Registry *registry;
	GStringChunk *strings; /* of the registry's definitions */
	LoadFacts facts;
} Loaded;

/* Samples of one boot, in the order of time; a snapshot is a recording of one sample. */
typedef struct recording Recording;

/* Opens path ("-": standard input) to be read through sink's read op, and finds its samples.  sink
 * must outlive the recording; it is fastest if it reads one recording at a time. */
Recording *recording_open(Plugin *sink, const char *path, GError **error);
void recording_free(Recording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recording, recording_free)

/* Returns the number of samples, at least 1. */
guint recording_n_samples(const Recording *recording);
/* Returns CLOCK_REALTIME at the start of the sample, in ns; 0: not known before the sample is
 * read. */
guint64 recording_time(const Recording *recording, guint sample);
/* Returns a sentence about what is missing; NULL: nothing. */
const char *recording_damage(const Recording *recording);
/* Adds to that sentence. */
void recording_add_damage(Recording *recording, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Returns the bytes of the recording.  Call recording_list() after changing them. */
Bytes *recording_bytes(const Recording *recording);
gboolean recording_list(Recording *recording, GError **error);
/* Returns the number of the file, from 0, that a sample is in; G_MAXUINT: it is not known. */
guint recording_part(const Recording *recording, guint sample);
/*
 * Reads a sample through sink's read op.  Errors are one line: the file, the byte offset in the
 * decompressed text, what was expected.  n_exits: the number of samples, up to this one, whose exit
 * rows and marks are wanted; at least 1.  each NULL: only the facts are wanted.  Reading the next
 * sample costs as much as has changed; any other, up to 64 times that.
 */
Loaded *recording_read(Recording *recording, guint sample, guint n_exits, TakeRows each,
		       gpointer data, GError **error);
/* Whether a snapshot must be found sound before its first row; otherwise rows may come before an
 * error. */
void recording_set_must_check(Recording *recording, gboolean must_check);
/* Reads only the host's row, in the same way: fast for any number of threads. */
Loaded *recording_read_host(Recording *recording, guint sample, guint n_exits, TakeRows each,
			    gpointer data, GError **error);

/* Call these in a TakeRows, while a sample is read: they return what has been read so far.  FALSE:
 * the host's row has not been read.  Borrowed. */
const LoadFacts *recording_facts(const Recording *recording);
gboolean recording_peek_host(const Recording *recording, struct ctprof_rows *ret_rows);

/* Returns the last sample, up to this one, with which a part of the recording can begin. */
guint recording_find_key(const Recording *recording, guint sample);
/* Writes the samples up to last, beginning with recording_find_key() of first. */
gboolean recording_cut(Recording *recording, guint first, guint last, Output *output,
		       GError **error);

void loaded_free(Loaded *loaded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Loaded, loaded_free)

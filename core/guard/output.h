/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a sink's bytes go.  A regular file appears whole or not at all (delivery.h).
 * Opened and committed with the rights of the user who runs ctprof.
 */
#pragma once

#include <glib.h>

typedef struct output Output;

/*
 * path "-": standard output, which must not be a terminal when binary.  A
 * device or pipe is written directly, unless another user may have put it there.
 * A symbolic link to a file is refused.  Only before plugins are opened
 * (session_open()): after that the process has no rights to open it.
 */
Output *output_open(const char *path, gboolean binary, GError **error);
/*
 * Makes a file that is there while it grows, for one writer: it is locked.  path must
 * not exist; "-": standard output.  A process that is forked after this can write it,
 * after output_cut().
 */
Output *output_open_growing(const char *path, GError **error);
/* What is kept of files that were rotated: as if each of keep files had been allowed that size
 * (bytes) and age; 0: any. */
typedef struct output_limits {
	guint64 keep, max_size, max_age_ns;
} OutputLimits;

/*
 * Makes room for a file of that path: what is there becomes PATH.1, that PATH.2, and so
 * on.  The last ones are removed if they exceed the limits, by size and age, not by number: a
 * program that is started again and again leaves small files.  Fails if another process
 * writes it.
 */
gboolean output_rotate(const char *path, const OutputLimits *limits, GError **error);
/* Takes back what a growing file has beyond its first bytes, and that a write failed. */
gboolean output_cut(Output *output, guint64 bytes, GError **error);
/* Removes a growing file. */
void output_remove(Output *output);
/* Makes a file that has no name, so that nothing of it outlives this process and those it
 * forks; returns a path for them, to write it (output_open()) and to read it. */
char *output_make_unnamed(GError **error);
/* What is written stays in memory, for output_take_text(); never committed. */
Output *output_open_memory(GError **error);
/* What it has, which the caller frees; then it is empty again. */
char *output_take_text(Output *output, GError **error);
/* Discards what was not committed. */
void output_free(Output *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Output, output_free)

/* 0 or -errno; once failed, always failed. */
int output_write(Output *output, const void *data, gsize size);
/* Whether a write failed; then sets the error that says so. */
gboolean output_failed(const Output *output, GError **error);
/* A regular file is its owner's alone; this lets everybody read it (0644).  As soon as
 * it is opened: see there. */
void output_publish(Output *output);
/* Makes the file appear. */
gboolean output_commit(Output *output, GError **error);

guint64 output_bytes(const Output *output);
/* The path to tell the user; "standard output" for "-". */
const char *output_label(const Output *output);

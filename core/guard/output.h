/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The destination of a sink's bytes.  A regular file appears whole or not at all (delivery.h).
 * It is opened and committed with the rights of the user who runs ctprof.
 */
#pragma once

#include <glib.h>

typedef struct output Output;

/*
 * path "-": standard output, which must not be a terminal if binary.  A device or pipe is written
 * directly; it is refused if another user may have put it there.  A symbolic link to a file is
 * refused.  Call this before plugins are opened (session_open()): after that, the process may not
 * open files.
 */
Output *output_open(const char *path, gboolean binary, GError **error);
/*
 * Creates a file that is visible while it grows, and locks it for one writer.  path must
 * not exist; "-": standard output.  A process that is forked later can write to it after
 * output_cut().
 */
Output *output_open_growing(const char *path, GError **error);
/* Returns the name of the file that was rotated i times, "NAME.i"; 0: NAME.  The caller frees it.
 */
char *output_name_rotated(const char *name, guint i);
/* Whether a file of that name was made by rotation of one of the others. */
gboolean output_is_rotated(const char *name, const char *const *others);
/* Limits of rotated files: in total, keep times max_size bytes, and keep times max_age_ns of age;
 * 0: no limit. */
typedef struct output_limits {
	guint64 keep, max_size, max_age_ns;
} OutputLimits;

/*
 * Makes room for a file at path: the existing file becomes PATH.1, PATH.1 becomes PATH.2, and
 * so on.  The oldest are removed if they exceed the limits, by size and age, not by number: a
 * program that is started again and again leaves small files.  Fails if another process
 * is writing to the file.
 */
gboolean output_rotate(const char *path, const OutputLimits *limits, GError **error);
/* Cuts a growing file to its first bytes, and clears the error of a failed write. */
gboolean output_cut(Output *output, guint64 bytes, GError **error);
/* Removes a growing file. */
void output_remove(Output *output);
/* Makes a file without a name, so that it does not outlive this process and those it forks.
 * Returns a path by which these can write it (output_open()) and read it; the caller frees it. */
char *output_make_unnamed(GError **error);
/* Opens an output in memory, for output_take_text(); it is never committed. */
Output *output_open_memory(GError **error);
/* Returns its text, which the caller frees, and empties the output. */
char *output_take_text(Output *output, GError **error);
/* Discards the output unless it was committed. */
void output_free(Output *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Output, output_free)

/* Returns 0 or -errno; after a failure, every later write fails, too. */
int output_write(Output *output, const void *data, gsize size);
/* Whether a write failed; sets the error if so. */
gboolean output_failed(const Output *output, GError **error);
/* Lets everyone read the file (0644), which otherwise only its owner can.  Call it as soon as
 * the file is open, while the process has the rights to do so: see output_open(). */
void output_publish(Output *output);
/* Makes the file appear. */
gboolean output_commit(Output *output, GError **error);

guint64 output_bytes(const Output *output);
/* Returns the path to show to the user; "standard output" for "-". */
const char *output_label(const Output *output);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where a sink's bytes go.  A regular file appears whole or not at all: it is
 * written without a name in the directory where it is to be (under a temporary
 * name where the file system has only files with names), synced and linked.
 * Everything is done with the rights of the user who runs ctprof.
 */
#pragma once

#include <glib.h>

typedef struct output Output;

/*
 * path "-": standard output, which must not be a terminal when binary.  A
 * device or pipe is written directly, unless another user may have put it there.
 * A symbolic link to a file is refused.
 */
Output *output_open(const char *path, gboolean binary, GError **error);
/* Discards what was not committed. */
void output_free(Output *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Output, output_free)

/* 0 or -errno; once failed, always failed. */
int output_write(Output *output, const void *data, gsize size);
/* Whether a write failed; then sets the error that says so. */
gboolean output_failed(const Output *output, GError **error);
/* A regular file is its owner's alone; this lets everybody read it (0644). */
void output_publish(Output *output);
/* Makes the file appear. */
gboolean output_commit(Output *output, GError **error);

guint64 output_bytes(const Output *output);
/* The path to tell the user; "standard output" for "-". */
const char *output_label(const Output *output);

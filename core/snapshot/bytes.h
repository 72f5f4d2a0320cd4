/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bytes of a recording or snapshot, read from a file, several consecutive files, or a pipe. */
#pragma once

#include <glib.h>

typedef struct bytes {
	char *label;      /* the file that was opened, for messages */
	GArray *files;    /* int: descriptors; if empty, all is in kept */
	GArray *ends;     /* guint64: the offset at which each file ends */
	GByteArray *kept; /* input that can be read only once */
	guint64 at;       /* the offset of the next byte to be read, up to the size */
} Bytes;

/* path "-": standard input. */
Bytes *bytes_open(const char *path, GError **error);
void bytes_free(Bytes *bytes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Bytes, bytes_free)

/* Puts a file before the others if it is a regular file of the same owner, and not a link.
 * path: see userfile_open().  Returns 0 or -errno. */
int bytes_prepend(Bytes *bytes, const char *path);
/* Drops the first n files. */
void bytes_drop(Bytes *bytes, guint n);
/* Returns the total size; 0: unknown. */
guint64 bytes_size(const Bytes *bytes);
/* Returns the number of bytes read, 0 at the end, or -errno. */
gint64 bytes_read(Bytes *bytes, void *data, gsize size);

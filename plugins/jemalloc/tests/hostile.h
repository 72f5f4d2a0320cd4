/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ELF files that no toolchain writes, for readers that must survive them. */
#pragma once

#include <elf.h>
#include <glib.h>

/* A section: its name, and the claims of its header. */
struct hostile_section {
	const char *name;
	guint32 type;
	guint64 flags, offset, size, entsize;
	guint32 link;
};

/* A place to put real bytes; NULL data ends a list. */
struct hostile_piece {
	guint64 offset;
	gconstpointer data;
	gsize len;
};

/* Writes a file: the bytes of `program` (an executable that runs; NULL: none), holes and pieces up
 * to size, and then the sections' headers.  One of the program's headers without effect becomes a
 * PT_TLS of 4096 bytes. */
void hostile_write(const char *path, const char *program, guint64 size,
		   const struct hostile_piece *pieces, const struct hostile_section *sections,
		   guint n);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the lines of a mountinfo file, which the kernel's show_mountinfo() writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* A host full of containers has a few thousand mounts of 200 bytes. */
#define MOUNTINFO_BYTES (4u << 20)

/* One mount.  The texts are as in the file: root, point and source are escaped. */
struct mountinfo {
	uint32_t major, minor;
	struct text root;
	struct text point;
	struct text type;
	struct text source;  /* may be empty */
	struct text options; /* the file system's, not the mount's */
};

/* Returns false if it is not a mountinfo line. */
bool mountinfo_parse(const char *line, size_t len, struct mountinfo *ret);

/* Undoes the escapes ("\040"); ret must have room for text.len bytes, and may be the text itself.
 * Returns the bytes written. */
size_t mountinfo_unescape(struct text text, char *ret);

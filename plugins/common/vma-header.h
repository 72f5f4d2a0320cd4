/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the line of each mapping in maps, and in smaps before its values (show_map_vma()). */
#pragma once

#include "text.h"

struct vma_header {
	uint64_t start, end;
	char permissions[4]; /* the last character: 's' shared, 'p' private */
	uint64_t offset;     /* of start in the file */
	uint32_t major, minor;
	uint64_t inode;
	struct text path; /* as printed: with "\012" for a line end; any byte but '\n' */
};

/* Parses a line without its '\n'; false if it is a different kind of line. */
bool vma_parse_header(struct text line, struct vma_header *ret);

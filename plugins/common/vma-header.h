/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line that maps has of each mapping, and smaps before its values (show_map_vma()). */
#pragma once

#include "text.h"

struct vma_header {
	uint64_t start, end;
	char permissions[4]; /* the last: 's' shared, 'p' private */
	uint64_t offset;     /* of start in the file */
	uint32_t major, minor;
	uint64_t inode;
	struct text path; /* as printed: with "\012" for a line end; any byte but '\n' */
};

/* Without its '\n'; false: it is another line. */
bool vma_parse_header(struct text line, struct vma_header *ret);

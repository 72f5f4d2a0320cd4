/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the mappings (VMAs) of a smaps file one by one, from pieces of text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vma-header.h"

/* Maximum length of a path; the kernel prints at most a page of it. */
#define VMA_PATH_MAX 3840u

enum vma_field {
	VMA_SIZE,
	VMA_RSS,
	VMA_PSS,
	VMA_SHARED_CLEAN,
	VMA_SHARED_DIRTY,
	VMA_PRIVATE_CLEAN,
	VMA_PRIVATE_DIRTY,
	VMA_ANONYMOUS,
	VMA_SHARED_HUGETLB,
	VMA_PRIVATE_HUGETLB,
	VMA_SWAP,
	VMA_N_FIELDS,
};

struct vma {
	struct vma_header header; /* path unescaped, at most VMA_PATH_MAX bytes */
	uint32_t present;         /* bit 1 << enum vma_field */
	uint64_t bytes[VMA_N_FIELDS];
};

struct vma_reader {
	/* Called for each complete mapping; data that vma points to is
	 * borrowed. */
	void (*found)(void *data, const struct vma *vma);
	void *data;
	/* Internal. */
	bool inside;
	unsigned hint; /* the field expected next */
	struct vma vma;
	char path[VMA_PATH_MAX];
};

void vma_reader_init(struct vma_reader *ret, void (*found)(void *data, const struct vma *vma),
		     void *data);
/* Reads every complete line, and the rest if last.  Returns the bytes used; the caller must pass
 * the remaining ones again with the next piece. */
size_t vma_reader_take(struct vma_reader *reader, const char *text, size_t len, bool last);

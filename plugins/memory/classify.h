/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Classifies the contents of a mapping by its path and the file system of its device. */
#pragma once

#include "mounts.h"
#include "text.h"

enum object_kind {
	OBJECT_ANONYMOUS,
	OBJECT_SHMEM, /* shared anonymous memory */
	OBJECT_HEAP,
	OBJECT_STACK,
	OBJECT_FILE,
	OBJECT_TMPFS,
	OBJECT_MEMFD,
	OBJECT_SYSV,
	OBJECT_HUGETLB,
	OBJECT_VDSO,
	OBJECT_VVAR,
	OBJECT_VSYSCALL,
	OBJECT_PSEUDO,
	OBJECT_N_KINDS,
};

/* Returns "anon", "shmem", ... */
const char *classify_kind_name(enum object_kind kind);

/* Returns the name of a mapping with that path: the path, or "<anonymous>". */
struct text classify_label(struct text path);

/* Classifies a mapping; device: the kind of file system of its device. */
enum object_kind classify_mapping(const struct mounts *mounts, enum mount_kind device,
				  struct text path);

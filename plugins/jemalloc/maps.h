/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists the files that a process executes from, using its maps (fs/proc/task_mmu.c). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "vma-header.h"

/* Parses one line without its '\n'; false if it is malformed, or the mapping is empty. */
bool maps_parse_line(struct text line, struct vma_header *ret);

/* A file with at least one executable mapping; start, end and offset are of its
 * lowest mapping. */
struct maps_file {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t dev; /* major << 32 | minor */
	uint64_t ino;
	bool deleted; /* its name refers to another file, or to none */
	char *path;   /* absolute, NUL-terminated */
};

struct maps {
	size_t n;
	size_t room;
	struct maps_file *files;
};

/*
 * Reads dirfd/path.  After much text, it queries the kernel for the remaining mappings of files, if
 * possible (PROCMAP_QUERY). 0, or -errno: -EFBIG if the file exceeds 64 MiB, -ETIMEDOUT if it takes
 * longer than two seconds, -EINVAL if it is not a maps file. ret must be passed to maps_clear() in
 * either case.
 */
int maps_read(const struct ctprof_host *host, int dirfd, const char *path, struct maps *ret);
void maps_clear(struct maps *maps);

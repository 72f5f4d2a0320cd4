/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System V shared memory, by the columns of /proc/sysvipc/shm. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "amount.h"
#include "text.h"

enum sysv_column {
	SYSV_ID,
	SYSV_KEY,
	SYSV_ATTACHES,
	SYSV_OWNER,
	SYSV_SIZE,
	SYSV_RSS,
	SYSV_SWAP,
	SYSV_N_COLUMNS,
};

/* A segment.  A value that has no column, or is not a number, is absent. */
struct sysv_segment {
	struct amount at[SYSV_N_COLUMNS]; /* SYSV_ID is always known */
};

struct sysv {
	struct sysv_segment *segments; /* by id, each once */
	size_t n;
	size_t n_malformed;
};

/* 0 or -errno: -EINVAL: malformed; -ENOENT: the kernel has no such file. */
int sysv_parse(const char *text, size_t len, struct sysv *ret);
int sysv_read(const struct ctprof_host *host, struct sysv *ret);
void sysv_clear(struct sysv *sysv);
/* Returns NULL if there is no such segment in this IPC namespace. */
const struct sysv_segment *sysv_find(const struct sysv *sysv, uint64_t id);

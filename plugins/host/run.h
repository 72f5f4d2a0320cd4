/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one collection of a capture: where it puts, and its scratch space. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/plugin.h"
#include "metrics.h"
#include "text.h"

#define HOST_MAX_TEXT 4096u
#define HOST_MAX_CPUS 8192u /* the most CONFIG_NR_CPUS can be */

struct host_run {
	const struct ctprof_host *host;
	struct ctprof_batch *batch;
	const uint32_t *slots; /* HOST_N_METRICS */

	char text[65536]; /* the file that was read last */
	uint32_t cpus[HOST_MAX_CPUS];
	uint32_t siblings[HOST_MAX_CPUS];
	/* A map being built; keys and texts are in bytes. */
	struct ctprof_map_entry entries[HOST_MAX_CPUS];
	size_t n_entries;
	char bytes[262144];
	size_t n_bytes;
};

/* Reads a file below a root (enum ctprof_root) into text; its length or -errno. */
ssize_t host_run_read(struct host_run *run, uint32_t root, const char *path);
/* The same of the beginning only, which is all that is wanted of a long file. */
ssize_t host_run_read_head(struct host_run *run, uint32_t root, const char *path);
/* A file's only value, trimmed: 0, or -errno; -EINVAL when it is empty. */
int host_run_read_value(struct host_run *run, uint32_t root, const char *path,
			struct text *ret_value);

/* All return 0, but for a text with a NUL inside: -EINVAL, and it is not put.
 * Of a text at most HOST_MAX_TEXT bytes. */
int host_run_put_text(struct host_run *run, size_t metric, struct text value);
int host_run_put_string(struct host_run *run, size_t metric, const char *value);
int host_run_put_u64(struct host_run *run, size_t metric, uint64_t value);
int host_run_put_i64(struct host_run *run, size_t metric, int64_t value);
/* error: -errno, where -EINVAL stands for what is no such file's content. */
void host_run_put_error(struct host_run *run, size_t metric, int error);

/* Builds a map of texts: begin, add, put.  Adding copies; 0, or -EFBIG when
 * there is no more room: part of a map is not to be put. */
void host_run_begin_map(struct host_run *run);
int host_run_add(struct host_run *run, const char *key, struct text value);
int host_run_put_map(struct host_run *run, size_t metric);

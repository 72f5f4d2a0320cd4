/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The single collection of a capture: its destination and scratch space. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/plugin.h"
#include "metrics.h"
#include "text.h"

#define HOST_MAX_TEXT 4096u
#define HOST_MAX_CPUS 8192u /* maximum of CONFIG_NR_CPUS */

#define HOST_MAX_SLOW 4u

/* Values that later samples of a recording take from the first one, as they cannot change, or are
 * expensive for the host to read. */
struct host_kept {
	const char *xacct; /* NULL: not read yet */
	struct {
		char name[48], value[32]; /* an empty value: not read yet */
	} slow[HOST_MAX_SLOW];
};

struct host_run {
	const struct ctprof_host *host;
	struct host_kept *kept;
	struct ctprof_batch *batch;
	const uint32_t *slots; /* HOST_N_METRICS */

	char text[65536]; /* the last file read */
	uint32_t cpus[HOST_MAX_CPUS];
	uint32_t siblings[HOST_MAX_CPUS];
	/* A map being built; its keys and texts are in bytes. */
	struct ctprof_map_entry entries[HOST_MAX_CPUS];
	size_t n_entries;
	char bytes[262144];
	size_t n_bytes;
};

/* Reads a file below a root (enum ctprof_root) into text; returns its length or -errno. */
ssize_t host_run_read(struct host_run *run, uint32_t root, const char *path);
/* Reads only the beginning, which suffices for the version line. */
ssize_t host_run_read_head(struct host_run *run, uint32_t root, const char *path);
/* Reads a file's only value, trimmed: 0, or -errno; -EINVAL if it is empty. */
int host_run_read_value(struct host_run *run, uint32_t root, const char *path,
			struct text *ret_value);

/* All return 0, except -EINVAL for a text that contains a NUL, which is not put.  A text is cut at
 * HOST_MAX_TEXT bytes. */
int host_run_put_text(struct host_run *run, size_t metric, struct text value);
int host_run_put_string(struct host_run *run, size_t metric, const char *value);
int host_run_put_u64(struct host_run *run, size_t metric, uint64_t value);
int host_run_put_i64(struct host_run *run, size_t metric, int64_t value);
/* Puts why a value is missing; error: -errno, where -EINVAL means malformed content. */
void host_run_put_error(struct host_run *run, size_t metric, int error);

/* Builds a map of texts: begin, add, put.  Adding copies; 0, or -EFBIG if there
 * is no room: an incomplete map must not be put. */
void host_run_begin_map(struct host_run *run);
int host_run_add(struct host_run *run, const char *key, struct text value);
int host_run_put_map(struct host_run *run, size_t metric);

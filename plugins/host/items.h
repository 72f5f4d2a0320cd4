/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of the host's values, one row each. */
#pragma once

#include "run.h"

struct host_item {
	/* Puts metrics first to first + n - 1, or the reasons for their absence,
	 * and returns 0; or -errno, which applies to all of them (-EINVAL:
	 * malformed content). */
	int (*collect)(struct host_run *run, const struct host_item *item);
	enum host_metric first;
	size_t n;
	uint32_t root; /* enum ctprof_root of path */
	const char *path;
	const char *other; /* an older name of path, or NULL */
};

/* In the last row, collect is NULL. */
extern const struct host_item host_items[];

/* Defined in cpus.c. */
int host_collect_count(struct host_run *run, const struct host_item *item);
int host_collect_first_siblings(struct host_run *run, const struct host_item *item);
int host_collect_governors(struct host_run *run, const struct host_item *item);
/* Defined in kernel.c. */
int host_collect_name(struct host_run *run, const struct host_item *item);
int host_collect_arch(struct host_run *run, const struct host_item *item);
int host_collect_delayacct(struct host_run *run, const struct host_item *item);
int host_collect_xacct(struct host_run *run, const struct host_item *item);
int host_collect_tunables(struct host_run *run, const struct host_item *item);

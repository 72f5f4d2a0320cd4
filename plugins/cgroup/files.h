/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a cgroup's directory, one row each. */
#pragma once

#include "mounts.h"
#include "row.h"
#include "text.h"

struct cgroup_file {
	enum cgroup_hierarchy hierarchy;
	const char *name;
	/* Puts metrics first to first + n - 1, or the reason for their
	 * absence. */
	void (*put)(struct cgroup_row *row, const struct cgroup_file *file, struct text text);
	enum cgroup_metric first;
	size_t n;
	/* In v1, the root also has the file, although nothing is charged to the root. */
	bool not_of_top;
	/* The parsers of files that consist of one number, or of one map. */
	bool (*number)(const char *text, size_t len, uint64_t *ret);
	bool (*map)(const char *text, size_t len, struct cgroup_map *ret);
	/* The n keys of a "key value" file, and the divisors of their values. */
	const struct cgroup_field {
		const char *key;
		uint64_t divisor;
	} * fields;
};

/* The last row has no name. */
extern const struct cgroup_file cgroup_files[];

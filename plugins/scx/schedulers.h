/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the loaded BPF schedulers: the root's and, since Linux 7.1, those of cgroups. */
#pragma once

#include <stdbool.h>

#include "ctprof/plugin.h"
#include "text.h"

#define SCHED_EXT_DIRECTORY "kernel/sched_ext"
/* More than any host has; the kernel nests them at most four deep. */
#define MAX_SCHEDULERS 64u
#define MAX_DEPTH 4u

struct scheduler {
	char path[192]; /* path of its directory, below the sys root */
	char ops[160];  /* its name, never empty */
	/* The cgroup that it is attached to: its ID, 0 for the root's scheduler; and its path, NULL
	 * if unknown. */
	uint64_t cgroup;
	char *place;
};

struct schedulers {
	size_t n;
	bool is_cut; /* there are more schedulers, or more deeply nested ones */
	struct scheduler list[MAX_SCHEDULERS];
};

/* Finds the schedulers and their cgroups.  ret must be all zeros at first; earlier results in it
 * are replaced. */
void schedulers_read(const struct ctprof_host *host, struct schedulers *ret);
void schedulers_clear(struct schedulers *schedulers);
/* Whether a scheduler is attached to a cgroup. */
bool schedulers_are_nested(const struct schedulers *schedulers);
/* Returns the scheduler of the nearest cgroup; NULL if there is none, or if the path of some
 * scheduler's cgroup is unknown. */
const struct scheduler *schedulers_nearest(const struct schedulers *schedulers, struct text cgroup);

/* The parsers are pure: they accept any bytes. */

/* Takes the next line "NAME NUMBER" of an events file; false if there is none.  For a malformed
 * line, *ret_valid is false. */
bool events_take(struct text *rest, struct text *ret_name, uint64_t *ret_number, bool *ret_valid);
/* Whether the event is a time in nanoseconds. */
bool events_is_duration(struct text name);
/* Finds the version in a name such as "layered_1.0.5_gabc": "1.0.5_gabc"; false if there is
 * none. */
bool scheduler_version(struct text ops, struct text *ret);
/* Returns the number in a directory name "sub-NUMBER"; 0 if it is not such a name. */
uint64_t scheduler_cgroup(const char *directory);

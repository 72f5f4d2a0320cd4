/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much the limits of cgroups held their threads back in a window. */
#pragma once

#include "report/draft/draft.h"

/* A cgroup that uses a smaller percentage of its memory limit has room. */
#define LEAST_FULL 95.0
#define DEFAULT_WEIGHT 100.0

typedef struct limits {
	const char *path, *unit; /* unit: its short name */
	gdouble n_periods;       /* periods that ended in the window; 0: not known */
	gdouble n_throttled;     /* of these periods */
	gdouble throttled_s;     /* time for which threads were stopped */
	gboolean is_uncounted;   /* by a BPF scheduler: known only to have used its quota */
	gdouble used_s;          /* seconds of CPU time */
	gdouble seconds;         /* of the window */
	gdouble quota;           /* CPUs; 0: none, or not known */
	gdouble period;          /* seconds; 0: none, or not known */
	gdouble n_max;           /* times memory.max was met, less cgroups below; NAN: unknown */
	gdouble n_failed;        /* the same in v1, which counts attempts; 0: none, or not known */
	gdouble n_oom;           /* times that no memory was left below memory.max; 0: see above */
	gdouble n_killed;        /* processes killed for lack of memory; 0: see above */
	gdouble memory_max;      /* bytes; 0: none, or not known */
	gdouble memory_used;     /* bytes used; 0: not known */
	gdouble weight;          /* cpu.weight, 1 to 10000; 0: not known */
} CgroupLimits;

/* Returns the CgroupLimits of the cgroups that were held back, or have a small weight, one per
 * path; call it before cgroups of the same name are joined.  The caller unrefs. */
GArray *throttling_list(const Draft *draft);
/* Returns the share of the periods or else of the window in which the cgroup was throttled; NAN:
 * not known. */
gdouble throttling_share(const CgroupLimits *limits);
/* Returns the largest share for which any of its threads may have been throttled: at most 1. */
gdouble throttling_largest_share(const CgroupLimits *limits);
/* Whether the limits apply to a cgroup, i.e. belong to it or to one above.  cgroup NULL: FALSE. */
gboolean throttling_applies(const CgroupLimits *limits, const char *cgroup);
/* Returns the percentage of its memory limit that it uses, or 100 if it met the limit by v1; NAN:
 * no limit, or not known. */
gdouble throttling_filled(const CgroupLimits *limits);

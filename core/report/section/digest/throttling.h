/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How far the limits of cgroups held their threads back in a window. */
#pragma once

#include "report/draft/draft.h"

/* A cgroup that uses less of its memory limit, in percent, has room. */
#define LEAST_FULL 95.0

typedef struct limits {
	const char *path, *unit; /* unit: its short name */
	gdouble n_periods;       /* that ended in the window; 0: not known */
	gdouble n_throttled;     /* of them */
	gdouble throttled_s;     /* threads stood still for so long */
	gboolean is_uncounted;   /* by a BPF scheduler: it used its quota, and no more is known */
	gdouble used_s;          /* of CPU time */
	gdouble seconds;         /* of the window */
	gdouble quota;           /* CPUs; 0: none, or not known */
	gdouble period;          /* seconds; 0: the same */
	gdouble n_max;           /* times that memory.max was met, not below; NAN: not known */
	gdouble memory_max;      /* bytes; 0: none, or not known */
	gdouble memory_used;     /* bytes of it; 0: not known */
} Limits;

/* Limits of the cgroups that were held back, each by its path: to be called before those of one
 * name are joined.  The caller unrefs. */
GArray *limits_list(const Draft *draft);
/* The share of the window, or of the periods, in which it was throttled; NAN: it is
 * not known. */
gdouble limits_throttled(const Limits *limits);
/* The same, as long as one thread in it may have been throttled: at most 1. */
gdouble limits_most_throttled(const Limits *limits);
/* Whether that cgroup is in it; NULL: it is not known. */
gboolean limits_hold(const Limits *limits, const char *cgroup);
/* The percentage of its memory limit that it uses; NAN: it has none, or that is not known. */
gdouble limits_filled(const Limits *limits);

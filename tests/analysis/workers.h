/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of threads that do nothing but run. */
#pragma once

#include "sample.h"

/* Adds a thread with the given TID, also as TGID, and run_time_ns. */
void workers_add(Sample *sample, gint32 tid, const char *pcomm, const char *comm,
		 const char *cgroup, guint64 run_time);
/* Returns a sample with a thread for each name in a blank-separated list, as pcomm, comm and
 * cgroup. */
Sample *workers_new(const char *names);
/* Makes services on two sides: one stays the same, one grows, one appears and one disappears. */
void workers_new_pair(Sample **ret_a, Sample **ret_b);

/* Options for only the primary and derived rows of these metrics. */
AnalysisOptions workers_options(GroupBy group_by, char *metrics);
/* Returns "GROUP A>B" for each row of the first section, "-GROUP" and "+GROUP" for rows that only
 * one side has. */
char *workers_dump(const struct ctprof_report *report);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of threads that do nothing but run. */
#pragma once

#include "sample.h"

/* A thread of that tid, and tgid, with a run_time_ns. */
void workers_add(Sample *sample, gint32 tid, const char *pcomm, const char *comm,
		 const char *cgroup, guint64 run_time);
/* A thread for each name of a blank separated list, as pcomm, comm and cgroup. */
Sample *workers_new(const char *names);
/* Two services, of which one grew; a third came, a fourth went. */
void workers_new_pair(Sample **ret_a, Sample **ret_b);

/* Only primary and derived rows of these metrics. */
AnalysisOptions workers_options(GroupBy group_by, char *metrics);
/* "GROUP A>B" of each row of the first section, "-GROUP" and "+GROUP" of
 * those of one side. */
char *workers_dump(const struct ctprof_report *report);

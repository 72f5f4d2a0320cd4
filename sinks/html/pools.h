/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pools of threads, or of processes: the table that the page is about. */
#pragma once

#include "markup.h"

/* Where the CPU time of the host went, by pool; nothing when it is not known.  Returns the
 * pieces that are drawn (chart.h). */
GArray *pools_put_cpu(FILE *stream, const struct ctprof_report *report);
/* The table, in which each pool of threads opens to show its time account. */
void pools_put(FILE *stream, const struct ctprof_report *report,
	       const struct ctprof_report_section *section);
/* Its exact numbers, for the script and for whoever reads the page by program. */
void pools_put_data(FILE *stream, const struct ctprof_report *report);

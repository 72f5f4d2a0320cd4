/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows where the time of a pool's threads went, from the fields of the pool's line. */
#pragma once

#include "markup.h"

/* Whether the section has the fields that an account is made of. */
gboolean account_exists(const struct ctprof_report_section *section);
/* Returns the largest number of threads of a pool that ran or waited at any time. */
double account_longest(const struct ctprof_report *report,
		       const struct ctprof_report_section *section);
/* Writes a small bar of the time in which the pool's threads ran or waited; longest: the number of
 * threads that its full width represents. */
void account_put_bar(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line, double longest);
/* Writes all of the threads' time, as bars and a table; one for each side that has its own. */
void account_put(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section,
		 const struct ctprof_report_line *line);
/* Writes the key to the colours of the small bars. */
void account_put_key(FILE *stream);

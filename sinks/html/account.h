/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the time of a pool's threads went, from the fields of its line. */
#pragma once

#include "markup.h"

/* Whether the section's lines have what an account is made of. */
gboolean account_is_there(const struct ctprof_report_section *section);
/* A small bar of the time in which the pool's threads wanted something. */
void account_put_bar(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *section,
		     const struct ctprof_report_line *line);
/* All of their time, as bars and a table; two of them when the sides have their own. */
void account_put(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section,
		 const struct ctprof_report_line *line);
/* What the colours of the small bars mean. */
void account_put_key(FILE *stream);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a section becomes columns and lines. */
#pragma once

#include <stdio.h>

#include "ctprof/report.h"

/* Prints the section's table, and what is below it. */
void layout_draw(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section);

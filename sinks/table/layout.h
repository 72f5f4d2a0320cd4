/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the rows of a section become lines. */
#pragma once

#include <stdio.h>

#include "ctprof/report.h"

/* Prints the section's table, in the layout it asks for. */
void layout_draw(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section);

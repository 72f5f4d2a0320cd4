/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The busy CPUs of a recording's host, window by window. */
#pragma once

#include "markup.h"

/* Nothing where the report is not of a recording, or no window has CPU time.
 * known: pieces of a chart (chart.h) whose colours its pools have in this one, too. */
void history_put(FILE *stream, const struct ctprof_report *report, const GArray *known);

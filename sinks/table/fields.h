/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of their own fields: a line of them is a line here. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "ctprof/report.h"

/* Columns, then totals below a rule, coverage and notes. */
void fields_draw(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_table *table);

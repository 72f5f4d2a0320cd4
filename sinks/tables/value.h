/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the values of cells for people. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

/* Appends a value: "1.500µs", "~2.000KiB" if it is incomplete, "0..39", "-". */
void value_append(GString *text, const struct ctprof_report_field *field,
		  const struct ctprof_value *value);
/* Returns the number by which a value is sorted; NAN: it is sorted by its text. */
double value_rank(const struct ctprof_value *value);
/* Appends the change of a cell that has a delta: "+2.000ms", "~-1", "+5/s". */
void value_append_delta(GString *text, const struct ctprof_report_field *field,
			const struct ctprof_cell *cell);
/* Appends both sides: "A → B (+D)"; only one if they are equal and have no delta. */
void value_append_pair(GString *text, const struct ctprof_report_field *field,
		       const struct ctprof_cell *cell);
/* Appends "12.3%", or "+12.3%" if is_signed. */
void value_append_percent(GString *text, double value, int decimals, gboolean is_signed);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the values of cells for people. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

/* A value: "1.500µs", "~2.000KiB" when it is incomplete, "0..39", "-". */
void value_append(GString *text, const struct ctprof_report_field *field,
		  const struct ctprof_value *value);
/* Returns the number by which a value is sorted; NAN: it is sorted by its text. */
double value_rank(const struct ctprof_value *value);
/* The change of a cell that has a delta: "+2.000ms", "~-1", "+5/s". */
void value_append_delta(GString *text, const struct ctprof_report_field *field,
			const struct ctprof_cell *cell);
/* Both sides: "A → B (+D)"; only one if they are equal and have no delta. */
void value_append_pair(GString *text, const struct ctprof_report_field *field,
		       const struct ctprof_cell *cell);
/* "12.3%", "+12.3%". */
void value_append_percent(GString *text, double value, int decimals, gboolean is_signed);

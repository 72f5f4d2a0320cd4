/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A distribution as a row of bars, one character each. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

/* Appends " ▁▂▇▃▁", from the first bucket that has values to the last, on a logarithmic axis;
 * nothing for a cell without a distribution. */
void sparkline_append(GString *text, const struct ctprof_cell *cell, unsigned side);

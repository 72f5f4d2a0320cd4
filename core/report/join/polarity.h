/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a change is worse, better, or neither. */
#pragma once

#include <glib.h>

#include "change.h"
#include "ctprof/report.h"

/* Returns CTPROF_CELL_WORSE, CTPROF_CELL_BETTER, or 0: the field is neutral, the change is below a
 * gate or is not a number, or the two sides lack different rows. */
guint32 polarity_judge(const struct ctprof_report_field *field, const struct ctprof_cell *change);

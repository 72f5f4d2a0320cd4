/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pools whose cost differs most between the two sides, as bars. */
#pragma once

#include "markup.h"

/* Nothing where the sides have no cost of their own: of a window, of one capture. */
void change_put(FILE *stream, const struct ctprof_report *report,
		const struct ctprof_report_section *pools);

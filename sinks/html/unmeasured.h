/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which metrics no line has a value of, and why. */
#pragma once

#include "markup.h"

/* Nothing when all were measured. */
void unmeasured_put(FILE *stream, const struct ctprof_report *report);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The counts of a histogram, by bucket (ctprof/histogram.h). */
#pragma once

#include "ctprof/histogram.h"
#include "ctprof/sink.h"

/* Reads them from the text of a table: {"40":3}.  The caller frees them; NULL: out of memory. */
uint64_t *distribution_parse(const struct ctprof_text *text);

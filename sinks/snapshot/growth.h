/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms in a frame of changes: by how much each bucket grew, as [bucket,growth,...]. */
#pragma once

#include "ctprof/histogram.h"

#include "json.h"
#include "kept.h"

/* Writes the growth of a histogram since the row.  If the row lacks it, or some count fell, returns
 * false and writes nothing. */
bool growth_write(struct json *json, const struct kept_row *row, uint32_t slot, uint64_t bits);
/* Adds the growth of each bucket to the row's histogram. 0, -ENOMEM, or -EBADMSG: the row has none,
 * or a count exceeds 64 bits. */
int growth_add(const struct kept_rows *rows, struct kept_row *row, uint32_t slot,
	       const uint64_t growth[CTPROF_BUCKETS]);

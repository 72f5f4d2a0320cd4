/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recording being written: frames, each one sample.  Values that are the same as in the
 * previous sample are not written again, except in a key frame; see docs/file-format.md.
 */
#pragma once

#include "border.h"
#include "snapshot.h"

/* The number of the sample in a recording, from 1; 0: a single capture. */
static inline uint64_t series_sample(const struct ctprof_capture *capture)
{
	return BORDER_MEMBER(capture, sample, 0);
}

/* The sink's operations for samples of a recording.  0 or -errno. */
int series_begin(struct snapshot *snapshot, const struct ctprof_capture *capture);
int series_row(struct snapshot *snapshot, enum kept_class class, const struct source_row *given);
/* Passes threads that are unchanged since the previous sample. */
int series_keep(struct snapshot *snapshot, const struct ctprof_rows *rows);
int series_end(struct snapshot *snapshot, const struct ctprof_capture_end *end);
int series_finish(struct snapshot *snapshot);
/* series may be NULL. */
void series_free(struct series *series);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples of a recording, each read as if it were a single document. */
#pragma once

#include "ctprof/sink.h"

struct replay;

/* NULL: out of memory. */
struct replay *replay_new(const struct ctprof_host *host);
void replay_free(struct replay *replay);
/*
 * The sink's read(), for a file whose size is known.  The result is kept for the next call, so that
 * reading the following sample costs only its changes.
 */
int replay_read(struct replay *replay, const struct ctprof_input *input);
/* Writes the frames of samples first to last, beginning with a key frame, and their table. */
int replay_cut(struct replay *replay, const struct ctprof_input *input, uint64_t first,
	       uint64_t last);

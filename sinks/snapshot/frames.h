/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the frames of a recording, by the table at its end or one after the other. */
#pragma once

#include "ctprof/sink.h"
#include "seek.h"

/*
 * Lists the frames of the file; the list is empty if the file is not a recording, but a single
 * document or something else.  Damage at the end of the file is reported by input->damaged().  0,
 * -ENOMEM, or an errno of the host.
 */
int frames_find(const struct ctprof_input *input, struct seek_table *ret_table);
/* Copies the frames first to last, beginning with the latest key frame at or before first,
 * and writes their table.  0 or -errno. */
int frames_cut(const struct ctprof_input *input, const struct ctprof_host *host,
	       const struct seek_table *table, size_t first, size_t last);

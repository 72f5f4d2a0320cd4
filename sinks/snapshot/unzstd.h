/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of a file that is one zstd frame, in pieces, and never more of it than allowed. */
#pragma once

#include "ctprof/sink.h"

struct unzstd;

/* input must outlive it.  NULL: out of memory. */
struct unzstd *unzstd_new(const struct ctprof_input *input);
void unzstd_free(struct unzstd *unzstd);

/*
 * The next bytes of text: how many, at most size; 0 at the end, where the
 * frame is whole, its checksum right, and nothing after it.  -EBADMSG when
 * that does not hold, as told with input->fault(), or another errno of the host.
 */
int64_t unzstd_fill(struct unzstd *unzstd, char *into, size_t size);
/* Back to the beginning.  0 or -errno. */
int unzstd_rewind(struct unzstd *unzstd);
/* Decompresses what is left, or much of it, for nothing but its errors.  0 or as unzstd_fill(). */
int unzstd_drain(struct unzstd *unzstd);

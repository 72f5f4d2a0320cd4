/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decompresses a file that is one zstd frame, or two with SPLIT_MARK between them, in pieces, and
 * never more than allowed. */
#pragma once

#include "ctprof/sink.h"

/* The beginning of the message if the file is of another kind. */
#define NO_SNAPSHOT "not a ctprof snapshot ('ctprof capture' writes one): "

struct unzstd;

/* input must outlive it.  NULL: out of memory. */
struct unzstd *unzstd_new(const struct ctprof_input *input);
void unzstd_free(struct unzstd *unzstd);

/*
 * Reads the next bytes of text; returns their number, at most size; 0 at the end, if the frame is
 * complete, its checksum is correct, and nothing follows it.  Otherwise -EBADMSG, explained with
 * input->fault(), or another errno of the host.
 */
int64_t unzstd_fill(struct unzstd *unzstd, char *into, size_t size);
/* Returns to the beginning, or to the frame at offset.  0 or -errno. */
int unzstd_rewind(struct unzstd *unzstd, uint64_t offset);
/* Decompresses the rest, or much of it, only to find errors.  Returns 0, or an error as
 * unzstd_fill(). */
int unzstd_drain(struct unzstd *unzstd);

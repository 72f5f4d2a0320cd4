/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compresses JSON text into zstd frames, which are passed to the host as they are made. */
#pragma once

#include "ctprof/plugin.h"
#include "json.h"

struct stream;

/* NULL: out of memory. */
struct stream *stream_new(const struct ctprof_host *host);
void stream_free(struct stream *stream);

/* Returns the buffer to write text to; its error is the stream's. */
struct json *stream_json(struct stream *stream);
/* Ends the frame; text written afterwards begins another.  0, or the first error. */
int stream_finish(struct stream *stream);
/* Ends the first frame of a snapshot; text written afterwards is the second.  An error is the
 * buffer's. */
void stream_split(struct stream *stream);
/* Returns the size of the frame, as passed to the host. */
uint64_t stream_size(const struct stream *stream);
/* Drops a frame that was not finished, and its error. */
void stream_reset(struct stream *stream);

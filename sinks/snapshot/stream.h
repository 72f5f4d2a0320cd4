/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON text into one zstd frame, handed to the host as it comes. */
#pragma once

#include "ctprof/plugin.h"
#include "json.h"

struct stream;

/* NULL: out of memory. */
struct stream *stream_new(const struct ctprof_host *host);
void stream_free(struct stream *stream);

/* Where the text is written; its error is the stream's. */
struct json *stream_json(struct stream *stream);
/* Ends the frame.  0 or the first error. */
int stream_finish(struct stream *stream);

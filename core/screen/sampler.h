/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that reads samples while the screen answers keys. */
#pragma once

#include "road/feed.h"

typedef struct sampler Sampler;

enum sampler_job { SAMPLER_SAMPLE, SAMPLER_MEMORY };

/* Returns NULL if no thread can be started. */
Sampler *sampler_new(Feed *feed, GError **error);
/* Ends the job first; call when the process is about to end. */
void sampler_free(Sampler *sampler);

/* Readable when a job is done. */
int sampler_fd(const Sampler *sampler);
/* Whether there is a job whose end has not been taken. */
gboolean sampler_is_busy(const Sampler *sampler);
void sampler_start(Sampler *sampler, enum sampler_job job, const Demand *demand);

typedef struct sampler_end {
	enum sampler_job job;
	gboolean found; /* the result of take() or take_memory() */
	GError *error;  /* owned by the caller */
} SamplerEnd;

/* Takes the end of the job, if it is done; wait: waits until it is.  FALSE: there is none. */
gboolean sampler_take_end(Sampler *sampler, gboolean wait, SamplerEnd *ret_end);

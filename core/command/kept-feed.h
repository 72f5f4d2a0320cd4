/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both feeds of the screen have in common: a window of two samples that are kept. */
#pragma once

#include "sample.h"
#include "screen/feed.h"

/* Begins a feed of its own kind. */
typedef struct kept_feed {
	Feed feed;
	Sample *samples[2]; /* owned: the older one, the newer one; NULL: not yet */
	Sample *taken;      /* owned: the next one, which is not in sight yet; NULL: none */
	gint32 own[2];      /* as AnalysisOptions has them: of samples of this host */
} KeptFeed;

/* The calls of both feeds, whose files have functions of these names. */
#define KEPT_FEED_CALLS                                                                            \
	.take = take, .take_memory = take_memory, .keep = keep, .memory_due = memory_due,          \
	.memory_time = memory_time, .load_memory = load_memory, .is_ready = kept_feed_is_ready,    \
	.load = kept_feed_load, .save = save

void kept_feed_clear(KeptFeed *kept);
/* The newer sample becomes the older one. */
void kept_feed_push(KeptFeed *kept, Sample *sample);
/* Of struct feed. */
gboolean kept_feed_is_ready(const Feed *feed);
gboolean kept_feed_load(Feed *feed, Analysis *analysis, AnalysisOptions *options, GError **error);

/* The feeds; each is its owner's. */
typedef struct capturing_request CapturingRequest;
typedef struct globals Globals;

/* This host, as the request says.  Opens files with the rights of the user, then the sources. */
Feed *live_feed_new(Globals *globals, CapturingRequest *request, GError **error);
void live_feed_free(Feed *feed);
/* A recording. */
Feed *replay_feed_new(const Globals *globals, const char *path, GError **error);
void replay_feed_free(Feed *feed);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the screen has its samples from, of which two are held: this host, or a recording. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "report/report.h"
#include "sample.h"

typedef struct feed Feed;

/* The things on the screen, which are therefore to be read. */
typedef struct look {
	gboolean closer;       /* where threads wait */
	const Section *memory; /* this view of ctprof memory; NULL: none */
	gint32 pid;            /* the process of such a view; 0: none */
} Look;

/* Begins a feed of its own kind. */
struct feed {
	gboolean is_replay;    /* time is the file's: it can be moved in */
	Plugin *drawer;        /* the sink that draws tables */
	const char *remark;    /* about the feed as a whole: a file that is cut off; NULL: none */
	const char *memory_of; /* whose memory is read, as a report says it */
	Sample *samples[2];    /* owned: the older one, the newer one; NULL: not yet */
	Sample *taken;         /* owned: the next one, not shown yet; NULL: none */
	gint32 own[2];         /* as AnalysisOptions has them: of samples of this host */
	struct memory_reader *reader; /* of this host; NULL: none */

	/* These two may run in a thread of their own, beside everything but themselves and the
	 * functions for recordings.  Their results are shown after keep().  take: reads the next
	 * sample, of this host now, or the following one of a recording.  FALSE with no error:
	 * there is no other. */
	gboolean (*take)(Feed *feed, const Look *look, GError **error);
	/* Reads the memory that is looked at. */
	gboolean (*take_memory)(Feed *feed, const Look *look, GError **error);
	void (*keep)(Feed *feed);

	/* When the memory that is looked at is to be read: monotonic time in µs; G_MAXINT64:
	 * never. */
	gint64 (*memory_due)(const Feed *feed, const Look *look);
	/* The memory that was read; NULL: nothing yet, or with an error it cannot be read. */
	const Sample *(*memory)(const Feed *feed, const Look *look, GError **error);

	/* Writes the samples of the window to a file; where: its name, which the caller frees. */
	gboolean (*save)(Feed *feed, char **ret_where, GError **error);
	void (*free)(Feed *feed);

	/* For a recording only.  Moves the window by samples; makes it longer, or shorter, by
	 * samples; moves its end to a time, as --at takes it. */
	gboolean (*move)(Feed *feed, gint by, GError **error);
	gboolean (*stretch)(Feed *feed, gint by, GError **error);
	gboolean (*jump)(Feed *feed, const char *when, GError **error);
	/* Reads what its first screens say, window by window; the caller frees it.  Then: shows the
	 * window of that number.  Neither may run while another thread reads. */
	Series *(*past)(Feed *feed, const AnalysisOptions *options, GError **error);
	gboolean (*show)(Feed *feed, guint window, guint n_windows, GError **error);
};

/* Whether there are two samples, and so a window. */
gboolean feed_is_ready(const Feed *feed);
/* Hands the samples of the window to an analysis of these options, of which those that the
 * samples decide are set. */
gboolean feed_load(const Feed *feed, Analysis *analysis, AnalysisOptions *options, GError **error);
/* When the memory that feed_load_memory() hands on was read, CLOCK_REALTIME in ns; 0: it has
 * not been. */
guint64 feed_memory_time(const Feed *feed, const Look *look);
/* Hands the memory that is looked at to an analysis of one side.  FALSE with no error: it has
 * not been read. */
gboolean feed_load_memory(const Feed *feed, const Look *look, Analysis *analysis,
			  AnalysisOptions *options, GError **error);

/* For the feeds: the newer sample becomes the older one. */
void feed_push(Feed *feed, Sample *sample);
void feed_clear(Feed *feed);

typedef struct capturing_request CapturingRequest;
typedef struct globals Globals;

/* This host, as the request says.  Opens files with the rights of the user, then the sources. */
Feed *live_feed_new(Globals *globals, CapturingRequest *request, GError **error);
/* A recording. */
Feed *replay_feed_new(const Globals *globals, const char *path, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source of the screen's samples, two of which are held: this host, or a recording. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "report/report.h"
#include "sample.h"

typedef struct feed Feed;

/* The parts of the screen that determine what is read. */
typedef struct demand {
	gboolean shows_waits;  /* it shows where threads wait */
	const Section *memory; /* it shows this view of ctprof memory; NULL: none */
	gint32 pid;            /* the process of such a view; 0: none */
} Demand;

/* A feed of any kind begins with this struct. */
struct feed {
	gboolean is_replay;           /* it is a file, in which the window can be moved */
	Plugin *renderer;             /* the sink that draws tables */
	const char *remark;           /* about the feed as a whole, such as a truncated file; NULL:
				       * none */
	const char *memory_of;        /* whose memory is read, as in a report */
	Sample *samples[2];           /* owned: the older sample and the newer one; NULL: not yet */
	Sample *taken;                /* owned: the next sample, not shown yet; NULL: none */
	gint32 own[2];                /* as in AnalysisOptions; for samples of this host */
	struct memory_reader *reader; /* for this host; NULL: none */

	/* take and take_memory may run in another thread, concurrently with everything except each
	 * other and the functions for recordings. Their results are shown after keep(). take: reads
	 * the next sample, of this host now, or the following one of a recording.  FALSE with no
	 * error: there is no other. */
	gboolean (*take)(Feed *feed, const Demand *demand, GError **error);
	/* Reads the memory that the screen is to show. */
	gboolean (*take_memory)(Feed *feed, const Demand *demand, GError **error);
	void (*keep)(Feed *feed);

	/* Returns when the memory that the screen shows is to be read: monotonic time in µs;
	 * G_MAXINT64: never. */
	gint64 (*memory_due)(const Feed *feed, const Demand *demand);
	/* Returns the memory that was read; NULL: not read yet, or with an error it cannot be
	 * read. */
	const Sample *(*memory)(const Feed *feed, const Demand *demand, GError **error);

	/* Writes the samples of the window to a file; where: its name, which the caller frees. */
	gboolean (*save)(Feed *feed, char **ret_where, GError **error);
	void (*free)(Feed *feed);

	/* For a recording only.  move: moves the window by samples.  resize: makes it longer or
	 * shorter by samples.  jump: moves its end to a time, as --at takes it. */
	gboolean (*move)(Feed *feed, gint by, GError **error);
	gboolean (*resize)(Feed *feed, gint by, GError **error);
	gboolean (*jump)(Feed *feed, const char *when, GError **error);
	/* past: reads the values of the first screen for each window; the caller frees the series.
	 * show: shows the window of that number.  Neither may run while another thread reads. */
	Series *(*past)(Feed *feed, const AnalysisOptions *options, GError **error);
	gboolean (*show)(Feed *feed, guint window, guint n_windows, GError **error);
};

/* Whether there are two samples, and so a window. */
gboolean feed_is_ready(const Feed *feed);
/* Passes the samples of the window to an analysis of these options, and sets the options that the
 * samples determine. */
gboolean feed_load(const Feed *feed, Analysis *analysis, AnalysisOptions *options, GError **error);
/* Returns when the memory that feed_load_memory() passes on was read, CLOCK_REALTIME in ns; 0: not
 * yet. */
guint64 feed_memory_time(const Feed *feed, const Demand *demand);
/* Passes the memory that the screen shows to an analysis of one side.  FALSE with no error: it has
 * not been read. */
gboolean feed_load_memory(const Feed *feed, const Demand *demand, Analysis *analysis,
			  AnalysisOptions *options, GError **error);

/* For the feeds themselves: the newer sample becomes the older one. */
void feed_push(Feed *feed, Sample *sample);
void feed_clear(Feed *feed);

typedef struct capturing_request CapturingRequest;
typedef struct globals Globals;

/* Makes a feed of this host, as the request says.  Opens files with the rights of the user, then
 * the sources. */
Feed *live_feed_new(Globals *globals, CapturingRequest *request, GError **error);
/* Makes a feed of a recording. */
Feed *replay_feed_new(const Globals *globals, const char *path, GError **error);

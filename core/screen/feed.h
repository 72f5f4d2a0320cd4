/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the screen has its samples from: this host, or a recording. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "report/report.h"

typedef struct feed Feed;

struct feed {
	gboolean is_replay; /* time is the file's: it can be moved in */
	Plugin *drawer;     /* the sink that draws tables */
	const char *remark; /* about the feed as a whole: a file that is cut off; NULL: none */

	/* Takes the next sample: of this host now, of a recording the one after.  FALSE with no
	 * error: there is no other. */
	gboolean (*next)(Feed *feed, GError **error);
	/* Whether there are two samples, and so a window. */
	gboolean (*is_ready)(const Feed *feed);
	/* Hands the samples of the window to an analysis of these options, of which those that
	 * the samples decide are set. */
	gboolean (*load)(Feed *feed, Analysis *analysis, AnalysisOptions *options, GError **error);
	/* Whether where threads wait is read from now on; NULL: that cannot be changed. */
	void (*look_closer)(Feed *feed, gboolean closer);
	/* Writes the samples of the window to a file; where: its name, which the caller frees. */
	gboolean (*save)(Feed *feed, char **ret_where, GError **error);

	/* Of a recording alone.  Moves the window by samples; makes it longer, or shorter, by
	 * samples; moves its end to a time, as --at takes it. */
	gboolean (*move)(Feed *feed, gint by, GError **error);
	gboolean (*stretch)(Feed *feed, gint by, GError **error);
	gboolean (*jump)(Feed *feed, const char *when, GError **error);
};

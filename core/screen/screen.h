/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interactive first screen: pools of this host or of a recording, and what is in them. */
#pragma once

#include <glib.h>

#include "page.h"
#include "road/feed.h"

/* interval_ns: the time between samples while the screen is not paused. */
typedef struct screen_options {
	guint64 interval_ns;
	GroupBy group_by;
	const char *sort;   /* as --sort takes it; NULL: by cost */
	const char *filter; /* regex; NULL: none */
	char *explain;      /* the only finding to show, with its numbers; NULL: all */
	/* Only these processes, as text; NULL: all. */
	const char *const *pids;
} ScreenOptions;

/* Shows the feed until the user quits; FALSE: it ended with an error. */
gboolean screen_run(Feed *feed, const ScreenOptions *options, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first screen, alive: pools of this host or of a recording, and what is in them. */
#pragma once

#include <glib.h>

#include "page.h"
#include "road/feed.h"

/* The samples' time between each other while nothing is paused. */
typedef struct screen_options {
	guint64 interval_ns;
	GroupBy group_by;
	const char *sort;   /* as --sort takes it; NULL: by cost */
	const char *filter; /* regex; NULL: none */
	char *explain;      /* the finding to show with its numbers, alone; NULL: all */
	/* Only these processes, as text; NULL: all. */
	const char *const *pids;
} ScreenOptions;

/* Shows the feed until the user has enough; FALSE with an error otherwise. */
gboolean screen_run(Feed *feed, const ScreenOptions *options, GError **error);

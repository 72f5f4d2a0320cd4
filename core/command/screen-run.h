/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common part of top and replay: their options, and the process that draws. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "plugin/session.h"
#include "road/feed.h"

extern const Option screen_options_shown[];

typedef struct screen_request {
	Globals *globals;
	gpointer data; /* of open() */
	char **pids;   /* only these processes; NULL: all */
	/* Makes the feed; called in the process that draws. */
	Feed *(*open)(Globals *globals, gpointer data, GError **error);
} ScreenRequest;

/* Draws until the user quits, and restores the terminal; returns the exit status. */
int screen_run_supervised(const ScreenRequest *request, GError **error);

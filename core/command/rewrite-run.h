/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the commands that read a file and write a similar one. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "plugin/session.h"
#include "snapshot/read.h"

/* --output. */
extern const Option rewriting_options[];

typedef struct rewrite_run {
	const char *expected; /* what FILE must be, for messages */
	/* Writes with the sink that reads the recording; returns a description for people; NULL: it
	 * failed. */
	char *(*write)(Recording *recording, Plugin *sink, Output *output, GError **error);
} RewriteRun;

/* Runs such a command; arguments: one FILE. */
gboolean rewrite_run(const RewriteRun *run, const Globals *globals, char **arguments,
		     GError **error);

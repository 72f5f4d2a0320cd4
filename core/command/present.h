/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the commands that end in a report: reading snapshots, and where and
 * how the report is drawn. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "ctprof/report.h"
#include "plugin/plugin.h"
#include "plugin/session.h"

/* --format, --output, --no-header, --no-color, --no-pager. */
extern const Option presenting_options[];
/* --max-memory, for all commands that read files. */
extern const Option reading_options[];

/* Settings that are not options. */
typedef struct presentation {
	gboolean no_orphans; /* omit the lists of groups of one side */
	gboolean fit;        /* cut names to fit the terminal */
	gboolean is_screen;  /* as many lines as the terminal has */
} Presentation;

/* Whether the output is for people: no other --format is given. */
gboolean presenting_is_default(void);
/* The size of the output's terminal.  A pipe counts as a small terminal in height, and has
 * unlimited width (0). */
void presenting_measure(guint *ret_width, guint *ret_height);
/* Opens the file of --output; call before presenting_open(). */
Output *presenting_open_output(GError **error);
/* Returns the name of the sink that draws. */
const char *presenting_sink(void);
/* Opens a session with the plugins that read snapshots and draw --format, without
 * sources. */
Session *presenting_open(const Globals *globals, GError **error);
/* Checks in a separate process, so that no plugin stays loaded, whether that works: call it before
 * a slow report, or before running a command for one.  Returns an exit status. */
int presenting_check(const Globals *globals);
gboolean presenting_draw(const Session *session, const struct ctprof_report *report,
			 const Presentation *how, Output *output, GError **error);

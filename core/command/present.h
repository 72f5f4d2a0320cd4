/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every command that ends in a report shares: reading snapshots, and where
 * and how the report is drawn. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "ctprof/report.h"
#include "plugin/plugin.h"
#include "plugin/session.h"

/* --format, --output, --no-header, --no-color, --no-pager, --max-memory. */
extern const Option presenting_options[];

/* What the options do not say. */
typedef struct presentation {
	const char *const *files; /* what the report calls its files; NULL: as it does */
	gboolean no_orphans;      /* no lists of what only one side has */
	gboolean fit;             /* cut what does not fit the terminal */
} Presentation;

/* With the plugins that read a snapshot and draw as --format says, and no source. */
Session *presenting_open(const Globals *globals, GError **error);
/* Whether that can be had, asked in a process apart (the plugins are gone with
 * it): before a report that takes long, or a command that is run for it. */
int presenting_check(const Globals *globals);
/* Bounds the memory of this process as --max-memory says; before a file is read. */
void presenting_limit_memory(void);
/* The plugin of the session that reads snapshots. */
Plugin *presenting_reader(const Session *session);
gboolean presenting_draw(const Session *session, const struct ctprof_report *report,
			 const Presentation *how, GError **error);

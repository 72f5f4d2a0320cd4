/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that the user names, on their way into an analysis. */
#pragma once

#include "filling.h"
#include "plugin/session.h"

/* The sink that writes snapshots, and reads them. */
#define SNAPSHOT_SINK "snapshot"

/* Opens a file the user names while the process still has the user's rights; NULL and "-" are
 * passed over. */
void load_keep(const char *file);
/* Loads the plugin that reads snapshots and this sink (NULL: none), and no source: none is
 * needed to read a file. */
Session *load_session(const Globals *globals, const char *sink, GError **error);
/* Opens them. */
gboolean load_begin(Session *session, const char *sink, GError **error);
/* The plugin of the session that reads snapshots. */
Plugin *load_reader(const Session *session);
/* Opens a file; what is missing at its end is a warning. */
Recording *load_open(const Session *session, const char *file, GError **error);

/* The samples of recordings to use, as given; NULL: the last one, for a window the first and the
 * last. */
typedef struct sample_choice {
	const char *at, *sample; /* a time; a number */
	const char *from, *to;   /* times, of a window */
} SampleChoice;

extern SampleChoice sample_choice;

/* The samples at --from and --to, or the first and the last. */
gboolean load_choose(Recording *recording, guint *ret_from, guint *ret_to, GError **error);

typedef struct load_request {
	const char *const *files; /* one, or two to compare; one with .compare: a window */
	Recording *first;         /* the first of them, opened; NULL: it is not yet */
	/* The option by which they are to be two captures of one boot, else it is an error;
	 * NULL: they need not be. */
	const char *window;
	gboolean has_past; /* the past of a recording is shown */
} LoadRequest;

/* Reads the files into the filling, and sets the options that the files determine. */
gboolean load_files(const Session *session, const LoadRequest *request, Filling *filling,
		    GError **error);

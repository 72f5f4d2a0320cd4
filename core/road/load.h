/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads files that the user names into an analysis. */
#pragma once

#include "filling.h"
#include "plugin/session.h"

/* The sink that writes snapshots and reads them. */
#define SNAPSHOT_SINK "snapshot"
/* The end of the names of recordings. */
#define RECORD_SUFFIX ".ctprof"

/* Opens a file that the user names, and those that rotation made of it, while the process still has
 * the user's rights; NULL and "-" are ignored. */
void load_keep(const char *file);
/* Returns the paths of a directory's recordings, and of files that end in more, by name. */
GPtrArray *load_list(const char *directory, const char *more, GError **error);
/* Replaces the name of a directory by that of the only recording in it, not counting links. */
gboolean load_find(char **path, GError **error);
/* Loads the plugin that reads snapshots and the given sink (NULL: none), but no sources: reading a
 * file needs none. */
Session *load_session(const Globals *globals, const char *sink, GError **error);
/* Opens these plugins. */
gboolean load_begin(Session *session, const char *sink, GError **error);
/* Returns the plugin of the session that reads snapshots. */
Plugin *load_reader(const Session *session);
/* Opens a recording, with all files that rotation made of it; warns if something is missing. */
Recording *load_open(const Session *session, const char *file, GError **error);
/* Opens each file as a recording by itself: the user has also named the rotated files. */
extern gboolean load_alone;

/* The samples of recordings to use, as given; NULL: the last one, or for a window the first and the
 * last. */
typedef struct sample_choice {
	const char *at, *sample; /* a time; a number */
	const char *from, *to;   /* times, of a window */
} SampleChoice;

extern SampleChoice sample_choice;

/* Finds the samples at --from and --to, or else the first and the last. */
gboolean load_choose(Recording *recording, guint *ret_from, guint *ret_to, GError **error);

typedef struct load_request {
	const char *const *files; /* one, or two to compare; one with .compare: a window */
	Recording *first;         /* the first file, if it is open already, or NULL */
	/* The option that requires two captures of one boot; NULL: none does. */
	const char *window;
	gboolean has_past; /* the past of a recording is shown */
} LoadRequest;

/* Reads the files into the filling, and sets the options that the files determine. */
gboolean load_files(const Session *session, const LoadRequest *request, Filling *filling,
		    GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of tables, each made in a process of its own. */
#pragma once

#include <glib.h>

#include "export.h"
#include "plugin/session.h"

/* The input files that become one output file. */
typedef struct export_job {
	const Globals *globals;
	const char *format; /* the sink */
	const char *host;   /* host name for all files; NULL: from their names */
	ExportOptions options;
	const char *const *files; /* NULL after the last */
	guint first, last; /* samples of a single recording; last G_MAXUINT: all of each file */
	const char *path;  /* "-": standard output; its folder is made */
	gboolean makes_folders;
} ExportJob;

/* A SuperviseStep; data is the job. */
int export_step(gpointer data, GError **error);

/* A file's samples that began on one day. */
typedef struct export_day {
	guint32 file;        /* number among the files */
	guint32 first, last; /* samples */
	gint32 day;          /* since 1970-01-01, UTC */
} ExportDay;

#define EXPORT_MAX_DAYS 65536

/* The result that one process passes to another, in shared memory. */
typedef struct export_days {
	guint32 n;
	ExportDay days[EXPORT_MAX_DAYS];
} ExportDays;

typedef struct export_survey {
	const Globals *globals;
	const char *const *files;
	ExportDays *days; /* shared */
} ExportSurvey;

/* A SuperviseStep; data is the survey. */
int export_survey_step(gpointer data, GError **error);

/* Returns the name of the host for tables: as given, or else from the file's name; a pseudonym if
 * names are redacted.  NULL: it is not known. */
char *export_name_host(const char *given, const char *path);
/* Returns the file's base name up to ".ctprof", or else up to the first dot. */
char *export_stem_of(const char *path);

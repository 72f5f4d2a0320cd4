/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file of tables, from captures and samples.  The caller reads the captures, and the sink decides
 * what the file looks like.  Memory grows with the columns, and for groups and windows with the
 * groups (for windows also with the threads of a sample), but not with the rows.
 */
#pragma once

#include <glib.h>

#include "redact/redactor.h"
#include "report/plan/options.h"
#include "snapshot/read.h"

typedef struct export_options {
	guint32 tables; /* CTPROF_TABLE_*; 0: the sink's usual ones */
	GroupBy group_by;
	Redactor *redactor; /* replaces all names except the host's; NULL: names are kept */
} ExportOptions;

/* The capture or sample to be exported next. */
typedef struct export_sample {
	const char *file; /* for messages */
	const char *host; /* NULL: not known */
	/* The recording it is read from; NULL: it is this host's, at realtime_ns. */
	const Recording *recording;
	guint64 realtime_ns;
	gboolean goes_on; /* from the same recording as the previous sample */
} ExportSample;

typedef struct export Export;

/* Fails if the sink cannot write the requested tables. */
Export *export_new(Plugin *sink, Output *output, const ExportOptions *options, GError **error);
void export_free(Export *export);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Export, export_free)

/* Adds the metrics of a capture to be exported; call this for each one before export_begin(). */
void export_learn(Export *export, const Registry *registry);
gboolean export_begin(Export *export, GError **error);

gboolean export_begin_sample(Export *export, const ExportSample *sample, GError **error);
/* A TakeRows; data is the export. */
gboolean export_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error);
/* facts NULL: not known. */
gboolean export_end_sample(Export *export, const Registry *registry, const LoadFacts *facts,
			   GError **error);
gboolean export_finish(Export *export, GError **error);

/* Returns the number of records handed to the sink. */
guint64 export_n_records(const Export *export);
/* Whether a file must have several samples, because the only table is of windows. */
gboolean export_needs_windows(const Export *export);

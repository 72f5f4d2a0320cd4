/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file of tables, of captures and samples: what they are made of is read by others, and
 * what they become is the sink's.  Memory grows with the columns, and of groups and windows
 * with the groups (of windows also with the threads of a sample), not with the rows.
 */
#pragma once

#include <glib.h>

#include "redact/redactor.h"
#include "report/plan/options.h"
#include "snapshot/read.h"

typedef struct export_options {
	guint32 tables; /* CTPROF_TABLE_*; 0: those that are usual for the sink */
	GroupBy group_by;
	Redactor *redactor; /* of names, but for the host's; NULL: they are written as they are */
} ExportOptions;

/* The capture or sample to be exported next. */
typedef struct export_sample {
	const char *file; /* for messages */
	const char *host; /* NULL: not known */
	/* It is read from; NULL: it is this host, at that time. */
	const Recording *recording;
	guint64 realtime_ns;
	gboolean goes_on; /* it is of the same recording as the one before */
} ExportSample;

typedef struct export Export;

/* Fails if the sink cannot write the requested tables. */
Export *export_new(Plugin *sink, Output *output, const ExportOptions *options, GError **error);
void export_free(Export *export);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Export, export_free)

/* The metrics of a capture to come; those of all of them before export_begin(). */
void export_learn(Export *export, const Registry *registry);
gboolean export_begin(Export *export, GError **error);

gboolean export_begin_sample(Export *export, const ExportSample *sample, GError **error);
/* LoadRows and CaptureRows; data is the export. */
gboolean export_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error);
/* facts NULL: not known. */
gboolean export_end_sample(Export *export, const Registry *registry, const LoadFacts *facts,
			   GError **error);
gboolean export_finish(Export *export, GError **error);

/* Returns the number of records handed to the sink. */
guint64 export_n_records(const Export *export);
/* The feature for which a file needs several samples. */
gboolean export_needs_windows(const Export *export);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Synthetic snapshots to analyse, and reports as text to compare. */
#pragma once

#include <glib.h>

#include "frame/moment.h"
#include "report/report.h"

typedef struct sample Sample;

Sample *sample_new(void);
void sample_free(Sample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sample, sample_free)

/* Sets the CTPROF_METRIC_* flags of a metric. */
void sample_flag(Sample *sample, enum row_class row, const char *name, guint32 flags);
/* Adds a metric to those of sample.c; call before the first row. */
void sample_metric(Sample *sample, const char *name, guint32 kind, guint32 unit, guint32 scope,
		   const char *group);
/* The same for a metric that is a limit, for which UINT64_MAX means no limit. */
void sample_limit_metric(Sample *sample, const char *name, guint32 kind, guint32 unit,
			 guint32 scope, const char *group, gboolean limit);
/* Ends the list of metrics, even if no rows follow. */
void sample_seal(Sample *sample);

/* Begin a row, in which all but the names is absent (NULL: a name is, too). */
void sample_thread(Sample *sample, gint32 tgid, gint32 tid, const char *pcomm, const char *comm,
		   const char *cgroup);
void sample_cgroup(Sample *sample, const char *path);
void sample_object(Sample *sample, const char *group, const char *name);
/* Begins the row of an exited thread. */
void sample_exit(Sample *sample, gint32 tgid, gint32 tid, const char *comm);
void sample_host(Sample *sample);
/* Begins the row of the capture's own tallies. */
void sample_capture(Sample *sample);

/* Set a value of the row begun last.  map: "Rss=12 Pss=7". */
void sample_u64(Sample *sample, const char *name, guint64 value);
void sample_i64(Sample *sample, const char *name, gint64 value);
void sample_text(Sample *sample, const char *name, const char *text);
void sample_cpus(Sample *sample, const char *name, const char *cpus);
void sample_map(Sample *sample, const char *name, const char *entries);
void sample_map_split(Sample *sample, const char *name, const char *entries, const char *between);
/* reason: enum ctprof_absence. */
void sample_absent(Sample *sample, const char *name, guint8 reason);

const Registry *sample_registry(const Sample *sample);
gboolean sample_feed(const Sample *sample, Analysis *analysis, guint side, GError **error);
/* The same through a moment that holds the sample. */
void sample_hold(const Sample *sample, Analysis *analysis, guint side, Moment *moment);
/* Returns the analysis of one sample (b NULL) or two. */
Analysis *sample_analyse(const Sample *a, const Sample *b, AnalysisOptions *options,
			 const struct ctprof_report **ret_report);

/*
 * Returns a line for each row: "SECTION GROUP METRIC BASELINE CANDIDATE DELTA PCT
 * FLAGS"; parts of a group are joined with "|", a missing value is ".".
 * show: "SECTION GROUP METRIC VALUE".
 */
char *sample_dump(const struct ctprof_report *report);
char *sample_dump_value(const struct ctprof_value *value);
/* A cell with its line and field, as in machine-readable output. */
typedef struct sample_row {
	const struct ctprof_report_line *line;
	const struct ctprof_report_field *field;
	const struct ctprof_cell *cell;
	const char *metric;
	const struct ctprof_value *value; /* of each side */
	gdouble delta, pct;
	guint32 flags; /* of the cell */
} SampleRow;

/* Returns the section of that name, which must exist. */
const struct ctprof_report_section *sample_section(const struct ctprof_report *report,
						   const char *name);
/* Returns the rows of a section as SampleRow. */
GArray *sample_rows(const struct ctprof_report_section *section);
/* "A|p|c" */
char *sample_group(const struct ctprof_report_line *line);
/* Returns the row of that group (as in the dump) and metric, or NULL; valid
 * until later calls. */
const SampleRow *sample_find(const struct ctprof_report *report, const char *section,
			     const char *group, const char *metric);
/* Returns the dump of one section, or "" if it does not exist.  NULL: all but the
 * first screen. */
char *sample_dump_section(const struct ctprof_report *report, const char *section);
/* Returns a line "A|p|c threads" for each orphan. */
char *sample_dump_only(const struct ctprof_report *report, guint side);
/* Returns the sentence of a finding in the window between two samples, or NULL. */
char *sample_finding(const Sample *before, const Sample *after, gdouble seconds,
		     const char *finding);

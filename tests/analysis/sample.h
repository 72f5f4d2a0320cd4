/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A made-up snapshot to analyse, and reports as text to compare. */
#pragma once

#include <glib.h>

#include "frame/moment.h"
#include "report/report.h"

typedef struct sample Sample;

Sample *sample_new(void);
void sample_free(Sample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sample, sample_free)

/* CTPROF_METRIC_* of a metric. */
void sample_flag(Sample *sample, enum row_class row, const char *name, guint32 flags);
/* Before the first row: a metric besides those of sample.c. */
void sample_metric(Sample *sample, const char *name, guint32 kind, guint32 unit, guint32 scope,
		   const char *group);
/* The same, where limit says that UINT64_MAX is none. */
void sample_limit_metric(Sample *sample, const char *name, guint32 kind, guint32 unit,
			 guint32 scope, const char *group, gboolean limit);
/* No more metrics: rows may come, or none. */
void sample_seal(Sample *sample);

/* Begin a row, all of it absent but its names (NULL: absent, too). */
void sample_thread(Sample *sample, gint32 tgid, gint32 tid, const char *pcomm, const char *comm,
		   const char *cgroup);
void sample_cgroup(Sample *sample, const char *path);
void sample_object(Sample *sample, const char *group, const char *name);
/* A thread that ended. */
void sample_exit(Sample *sample, gint32 tgid, gint32 tid, const char *comm);
void sample_host(Sample *sample);
/* The tallies of the capture itself. */
void sample_capture(Sample *sample);

/* A value of the row begun last.  map: "Rss=12 Pss=7". */
void sample_u64(Sample *sample, const char *name, guint64 value);
void sample_i64(Sample *sample, const char *name, gint64 value);
void sample_text(Sample *sample, const char *name, const char *text);
void sample_cpus(Sample *sample, const char *name, const char *cpus);
void sample_map(Sample *sample, const char *name, const char *entries);
void sample_map_split(Sample *sample, const char *name, const char *entries, const char *between);
/* reason: enum ctprof_absence. */
void sample_absent(Sample *sample, const char *name, guint8 reason);

/* Rows of threads of that process are fed as those of ctprof itself. */
void sample_own(Sample *sample, gint32 tgid);

const Registry *sample_registry(const Sample *sample);
gboolean sample_feed(const Sample *sample, Analysis *analysis, guint side, GError **error);
/* The same by a moment that holds it. */
void sample_hold(const Sample *sample, Analysis *analysis, guint side, Moment *moment);
/* The report of one sample (b NULL) or two. */
Analysis *sample_analyse(const Sample *a, const Sample *b, AnalysisOptions *options,
			 const struct ctprof_report **ret_report);

/*
 * A line for each row: "SECTION GROUP METRIC BASELINE CANDIDATE DELTA PCT
 * FLAGS"; parts of a group are joined with "|", what is not there is ".".
 * show: "SECTION GROUP METRIC VALUE".
 */
char *sample_dump(const struct ctprof_report *report);
char *sample_dump_value(const struct ctprof_value *value);
/* A cell with its line and field, as machines see it. */
typedef struct sample_row {
	const struct ctprof_report_line *line;
	const struct ctprof_report_field *field;
	const struct ctprof_cell *cell;
	const char *metric;
	const struct ctprof_value *value; /* of each side */
	gdouble delta, pct;
	guint32 flags; /* of the cell */
} SampleRow;

/* The section of that name, which must be there. */
const struct ctprof_report_section *sample_section(const struct ctprof_report *report,
						   const char *name);
/* The rows of a section, SampleRow. */
GArray *sample_rows(const struct ctprof_report_section *section);
/* "A|p|c" */
char *sample_group(const struct ctprof_report_line *line);
/* The row of that group (as in the dump) and metric, or NULL; valid until some
 * more were found. */
const SampleRow *sample_find(const struct ctprof_report *report, const char *section,
			     const char *group, const char *metric);
/* The dump of only one section; "" when it is not there.  NULL: of all but the first
 * screen. */
char *sample_dump_section(const struct ctprof_report *report, const char *section);
/* "A|p|c threads" of each orphan, a line each. */
char *sample_dump_only(const struct ctprof_report *report, guint side);

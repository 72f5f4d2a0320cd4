/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From snapshot files, or this host, to a drawn report. */
#pragma once

#include <glib.h>

#include "plugin/session.h"
#include "present.h"
#include "report/report.h"
#include "snapshot/context.h"
#include "snapshot/read.h"

/* Which samples of recordings to use, as given; NULL: the last one, for a window the
 * first and the last. */
typedef struct sample_choice {
	const char *at, *sample; /* a time; a number */
	const char *from, *to;   /* times, of a window */
} SampleChoice;

/* --at and --sample; --from and --to. */
extern const Option sample_options[];
extern const Option window_options[];
extern SampleChoice sample_choice;

typedef struct report_run {
	AnalysisOptions *options;
	const char *const *files;    /* one, or two to compare; one with .compare: a window */
	Recording *first;            /* the first of them, opened; NULL: it is not yet */
	const GArray *hidden;        /* gint32: processes to leave out; NULL: none */
	gboolean must_be_window;     /* two captures of one boot, else it is an error */
	gboolean is_run;             /* one of several runs */
	const CommandFacts *command; /* the command of stat; NULL: none */
	Presentation how;
	/* Called before anything is drawn; NULL: nothing to do. */
	gboolean (*finished)(const Analysis *analysis, GError **error);
} ReportRun;

/* Opens a file; what is missing at its end is a warning. */
Recording *report_open(const Session *session, const char *file, GError **error);
/* Reads the files into an analysis of the run's options, and sets the options that the
 * files determine. */
gboolean report_load(const Session *session, const ReportRun *run, Analysis *analysis,
		     GError **error);
/* Reports where --fail-on is met, draws the report, and fails if a condition could not be
 * judged. */
gboolean report_draw(const Session *session, const Analysis *analysis,
		     const struct ctprof_report *report, const Presentation *how, Output *output,
		     GError **error);
/* From all rows to the drawn report, with its warnings. */
gboolean report_present(const Session *session, const ReportRun *run, Analysis *analysis,
			Output *output, gboolean *ret_met, GError **error);
/* Reads the files, prints the report's warnings, draws the report.  ret_met:
 * whether --fail-on is met. */
gboolean report_run(const Globals *globals, const ReportRun *run, gboolean *ret_met,
		    GError **error);

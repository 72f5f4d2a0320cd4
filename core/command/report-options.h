/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the commands that end in a report: options, reading, drawing. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "plugin/session.h"
#include "report/plan/options.h"

/* What --group-by takes, by enum group_by. */
extern const struct ctprof_option_word reporting_group_words[N_GROUP_BY];
/* Options of show, compare and stat. */
extern const Option reporting_options[];
/* Those of compare and stat alone. */
extern const Option reporting_compare_options[];

/* --pid, as given; NULL: all. */
char **reporting_pids(void);

typedef struct reporting_request {
	const char *const *files;    /* one: show, two: compare; NULL-terminated */
	const char *const *names;    /* their names in the report; NULL: files */
	gboolean is_window;          /* one recording, of which two samples are compared */
	const GArray *hidden;        /* gint32: processes to exclude; NULL: none */
	const CommandFacts *command; /* NULL: none has ended */
} ReportingRequest;

/* Runs of two sides, or of one. */
typedef struct runs_request {
	const GPtrArray *sides[2]; /* SavedRun * */
	const char *names[2];      /* their names in the report */
} RunsRequest;

/* Reads the runs and draws their report; returns the exit status. */
int reporting_run_runs(const Globals *globals, const RunsRequest *request);

/* Reports errors in the options of a comparison before there is anything to
 * compare, in a separate process; returns the exit status.  Names of metrics,
 * which only the snapshots know, are not checked. */
int reporting_check(const Globals *globals);
/* The same for runs. */
int reporting_check_runs(const Globals *globals, const RunsRequest *request);
/* Reads the files and draws the report as the options say.  Reports errors;
 * returns the exit status. */
int reporting_run(const Globals *globals, const ReportingRequest *request);

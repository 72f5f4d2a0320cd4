/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the commands that end in a report share: options, reading, drawing. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "plugin/session.h"
#include "report/options.h"

/* Options of show, compare and stat. */
extern const Option reporting_options[];
/* Those of compare and stat alone. */
extern const Option reporting_compare_options[];

/* --pid, as given; NULL: all. */
char **reporting_pids(void);

typedef struct reporting_request {
	const char *const *files;    /* one: show, two: compare; NULL-terminated */
	const char *const *names;    /* what the report calls them; NULL: files */
	const GArray *hidden;        /* gint32: processes to leave out; NULL: none */
	const CommandFacts *command; /* NULL: none has ended */
} ReportingRequest;

/* Tells what is wrong with the options of a comparison before there is anything
 * to compare, in a process apart; returns the exit status.  What only the
 * snapshots know, names of metrics, is not looked at. */
int reporting_check(const Globals *globals);
/* Reads the files and draws the report as the options say.  Errors are told;
 * returns the exit status. */
int reporting_run(const Globals *globals, const ReportingRequest *request);

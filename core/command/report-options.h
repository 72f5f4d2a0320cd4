/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the commands that end in a report: options, reading, drawing. */
#pragma once

#include <glib.h>

#include "command-line.h"
#include "report-run.h"

/* The words of --group-by, by enum group_by. */
extern const struct ctprof_option_word reporting_group_words[N_GROUP_BY];
/* The words of --swap-share, by enum swap_share. */
extern const struct ctprof_option_word reporting_share_words[2];
/* Options of show, compare and stat. */
extern const Option reporting_options[];
/* Options of compare and stat only. */
extern const Option reporting_compare_options[];

/* --pid, as given; NULL: all. */
char **reporting_pids(void);

/* Checks the options in a separate process, before there is anything to report, and reports errors;
 * returns the exit status.  The run need only have its names, and whether it compares runs.  Names
 * of metrics, which only the snapshots have, are not checked. */
int reporting_check(const Globals *globals, const ReportRun *run);
/* Reads and draws the run as the options specify; returns the exit status of the command. */
int reporting_run(Globals *globals, const ReportRun *run, GError **error);

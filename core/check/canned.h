/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The company a plugin is checked in: a source, a sink, and reports of ctprof's own. */
#pragma once

#include "plugin/plugin.h"

/* A source that tells each thread's cgroup, so that there are cgroup rows; with
 * every other kind of metric too, to feed a sink. */
Plugin *canned_source(gboolean every_kind);
/* A sink that counts which metrics of plugin get values. */
Plugin *canned_sink(const char *plugin);
/* Tells which did, which did not and why. */
void canned_sink_tell(void);

/* What sinks draw: each row of a report of show and of compare, each cell of a
 * table, names with bytes that must be escaped. */
const struct ctprof_report *canned_report_show(void);
const struct ctprof_report *canned_report_compare(void);
const struct ctprof_report *canned_report_table(void);

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

/* What sinks draw: metrics in long and in wide sections, with every type of value,
 * and a table of other fields; names with bytes that must be escaped. */
extern const struct ctprof_report canned_report_show, canned_report_compare, canned_report_table;

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counterparts for the plugin under check: a source, a sink, and made-up reports. */
#pragma once

#include "plugin/plugin.h"

/* A source that reports each thread's cgroup, so that there are cgroup rows;
 * with every_kind also metrics of every other kind, to feed a sink. */
Plugin *canned_source(gboolean every_kind);
/* A sink that counts which metrics of plugin get values. */
Plugin *canned_sink(const char *plugin);
/* Reports the metrics that got values, those that did not, and why. */
void canned_sink_report(void);

/* Makes a sink write a table with every type of column, extreme and absent values, and texts that
 * must be escaped. */
gboolean canned_tables(Plugin *sink, Output *output, GError **error);

/* Reports for sinks to draw: metrics in long and in wide sections, with every type
 * of value, and a table of other fields; names with bytes that must be escaped. */
extern const struct ctprof_report canned_report_show, canned_report_compare, canned_report_table;

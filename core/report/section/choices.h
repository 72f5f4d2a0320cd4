/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which rows are folded for sections, and under which keys. */
#pragma once

#include "report/fold/record.h"

/* Everything of the host is kept, labels too; a MeasureChoice. */
const Fold *host_choose(gconstpointer data, const Metric *metric);
/* Which metrics of a cgroup are folded, and how those of cgroups of one name
 * become one; a MeasureChoice. */
const Fold *cgroups_choose(gconstpointer data, const Metric *metric);
/* The key of a process's map: its cgroup (or NULL) and "pcomm[tgid]", or, if
 * names are patterns, the pattern of pcomm. */
void smaps_make_key(const char *cgroup, const char *pcomm, gint32 tgid, gboolean literal,
		    Store *store, RecordKey *ret_key);
/* Whether it is a pressure, of the host or of a cgroup. */
gboolean pressure_is_metric(const Metric *metric);

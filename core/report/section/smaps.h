/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section smaps_rollup: memory of processes, a line for each key of it. */
#pragma once

#include "report/fold/record.h"
#include "sections.h"

/* The key of a process's map: its cgroup (or NULL) and "pcomm[tgid]", or where
 * names are patterns the pattern of pcomm. */
void smaps_make_key(const char *cgroup, const char *pcomm, gint32 tgid, gboolean literal,
		    Store *store, RecordKey *ret_key);

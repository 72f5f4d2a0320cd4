/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metrics that more than one plugin fills: the registry keeps the first
 * declaration, so there is one text for each.
 */
#pragma once

#include "descriptor.h"

#define SHARED_METRIC_(kind, unit, scope, rank_, name, group, gates_, help, origin)                \
	METRIC_ROW(kind, unit, scope, name, group, help, origin, .rank = rank_, .gates = gates_)

#define SHARED_START_TIME                                                                          \
	SHARED_METRIC_(LABEL, TICKS, THREAD, 0, "start_time_clock_ticks", "identity", NULL,        \
		       "start of the thread after boot",                                           \
		       "stat field 22, start_boottime (copy_process)")
#define SHARED_PCOMM                                                                               \
	SHARED_METRIC_(LABEL, TEXT, THREAD, 0, "pcomm", "identity", NULL,                          \
		       "name of the process: its leader's comm", "comm of the process directory")
#define SHARED_PPID                                                                                \
	SHARED_METRIC_(LABEL, NONE, PROCESS, 0, "ppid", "identity", NULL,                          \
		       "parent process, 0 without one",                                            \
		       "stat field 4, status PPid (task_ppid_nr)")
#define SHARED_STATE                                                                               \
	SHARED_METRIC_(CATEGORY, CHAR, THREAD, 8, "state", "sched", NULL, "state letter",          \
		       "status State (get_task_state)")
#define SHARED_NR_THREADS                                                                          \
	SHARED_METRIC_(GAUGE, NONE, PROCESS, 10, "nr_threads", "sched", NULL,                      \
		       "threads of the process", "status Threads (get_nr_threads)")

/* The three values of the smaps ladder; see smaps-put.h. */
#define SHARED_SMAPS_MAP                                                                           \
	SHARED_METRIC_(MAP, KIB, PROCESS, 0, "smaps_rollup_kib", "smaps", "PROC_PAGE_MONITOR",     \
		       "memory of the process by kind", "smaps_rollup (__show_smap)")
#define SHARED_SMAPS_STATE                                                                         \
	SHARED_METRIC_(CATEGORY, TEXT, PROCESS, 0, "smaps_state", "smaps", NULL,                   \
		       "how the memory figures were read: exact, inaccessible, not-applicable, "   \
		       "timeout or skipped",                                                       \
		       "ctprof")
#define SHARED_SMAPS_SOURCE                                                                        \
	SHARED_METRIC_(CATEGORY, TEXT, PROCESS, 0, "smaps_source", "smaps", NULL,                  \
		       "file of the memory figures: rollup, smaps or sibling", "ctprof")

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU times in the rows of threads and of the leaders of processes. */
#pragma once

#include <glib.h>

#include "frame/roster.h"
#include "intake.h"

#define CPU_TICK_NS G_GUINT64_CONSTANT(10000000)

/* CPU time in ns. */
typedef struct cpu_time {
	guint64 run; /* as counted by the scheduler */
	guint64 user, system;
} CpuTime;

/* The slots of CPU times in the rows of a side. */
typedef struct cpu_slots {
	gint of[N_CPU_METRICS]; /* slots by index of cpu_metrics; -1: missing */
} CpuSlots;

CpuSlots cpu_slots_of(const Layout *layout);
/* Reads the time of a thread.  FALSE: the row has none. */
gboolean cpu_time_of(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time);
/* Reads from its leader's row what a process has been charged with for its ended children; leaves
 * run unchanged. */
gboolean cpu_time_of_children(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time);
/* Reads a process's time so far from its leader's row; leaves run unchanged.  It includes threads
 * that have ended, which have no rows. */
gboolean cpu_time_of_process(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time);
/* Reads a number and multiplies it by the length of its unit.  FALSE, and 0: it is absent. */
gboolean cpu_time_read(const RosterRow *row, gint slot, guint64 unit, guint64 *ret_ns);

void cpu_time_add(CpuTime *sum, const CpuTime *part);
/* Subtracts each part, but not below 0. */
CpuTime cpu_time_subtract(const CpuTime *a, const CpuTime *b);

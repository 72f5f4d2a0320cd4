/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sections.h"

#include <stddef.h>

const struct section sections[] = {
	{"primary", "Primary metrics", "scheduling, faults, CPU time, I/O and heap of each group"},
	{"taskstats-delay", "Primary metrics",
	 "time lost to CPU, I/O, memory and interrupt waits, and peak memory"},
	{"derived", "Derived metrics", "ratios, averages and differences of other metrics"},
	{"cgroup-stats", "CgroupStats", "CPU time, throttling and memory of each cgroup"},
	{"cgroup-limits", "Cgroup limits / knobs", "limits and weights set on each cgroup"},
	{"memory-stat", "memory.stat", "what each cgroup's memory is used for"},
	{"memory-events", "memory.events", "how often each cgroup met its memory limits"},
	{"pressure", "Pressure", "pressure stall information of each cgroup"},
	{"host-pressure", "Host pressure", "pressure stall information of the host"},
	{"smaps-rollup", "smaps_rollup", "memory of each process: RSS, PSS, private, swap"},
	{"sched-ext", "sched_ext", "state of the BPF scheduler"},
	{NULL, NULL, NULL},
};

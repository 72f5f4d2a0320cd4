/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sections.h"

#include <stddef.h>

const struct section sections[] = {
	[SECTION_PRIMARY] = {"primary", "Primary metrics",
			     "scheduling, faults, CPU time, I/O and heap of each group", 0},
	[SECTION_DELAY] = {"taskstats-delay", "Primary metrics",
			   "time lost to CPU, I/O, memory and interrupt waits, and peak memory", 0},
	[SECTION_DERIVED] = {"derived", "Derived metrics",
			     "ratios, averages and differences of other metrics", 0},
	[SECTION_CGROUP_STATS] = {"cgroup-stats", "CgroupStats",
				  "CPU time, throttling and memory of each cgroup",
				  SECTION_OF_CGROUPS},
	[SECTION_CGROUP_LIMITS] = {"cgroup-limits", "Cgroup limits / knobs",
				   "limits and weights set on each cgroup", SECTION_OF_CGROUPS},
	[SECTION_MEMORY_STAT] = {"memory-stat", "memory.stat",
				 "what each cgroup's memory is used for", SECTION_OF_CGROUPS},
	[SECTION_MEMORY_EVENTS] = {"memory-events", "memory.events",
				   "how often each cgroup met its memory limits",
				   SECTION_OF_CGROUPS},
	[SECTION_PRESSURE] = {"pressure", "Pressure", "pressure stall information of each cgroup",
			      SECTION_OF_CGROUPS},
	[SECTION_HOST_PRESSURE] = {"host-pressure", "Host pressure",
				   "pressure stall information of the host", 0},
	[SECTION_SMAPS] = {"smaps-rollup", "smaps_rollup",
			   "memory of each process: RSS, PSS, private, swap", 0},
	[SECTION_CATEGORIES] = {"memory-categories", "Memory by category",
				"PSS and swap of processes by what they are: see --categories",
				SECTION_NAMED},
	[SECTION_SCHED_EXT] = {"sched-ext", "sched_ext", "state of the BPF scheduler", 0},
	[SECTION_HOST] = {"host", "Host",
			  "kernel, CPUs, tunables: compare shows what differs, show all of it",
			  SECTION_SHOW_NAMED},
	[N_SECTIONS] = {NULL, NULL, NULL, 0},
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "derived.h"

#include <stddef.h>

#include "ctprof/plugin.h"

#define AVERAGE_DELAY(what, help_text)                                                             \
	{                                                                                          \
		"avg_" what "_delay_ns", CTPROF_UNIT_NS,                                           \
			{what "_delay_total_ns", what "_delay_count"}, help_text                   \
	}

const struct derived derived_metrics[] = {
	{"affine_success_ratio",
	 CTPROF_UNIT_NONE,
	 {"nr_wakeups_affine", "nr_wakeups_affine_attempts"},
	 "share of affine wakeup attempts that succeeded"},
	{"avg_wait_ns",
	 CTPROF_UNIT_NS,
	 {"wait_sum", "wait_count"},
	 "mean run-queue wait, from schedstats"},
	{"cpu_efficiency",
	 CTPROF_UNIT_NONE,
	 {"run_time_ns", "wait_time_ns"},
	 "share of runnable time spent on a CPU"},
	{"avg_slice_ns",
	 CTPROF_UNIT_NS,
	 {"run_time_ns", "timeslices"},
	 "mean time on a CPU per turn"},
	{"involuntary_csw_ratio",
	 CTPROF_UNIT_NONE,
	 {"nonvoluntary_csw", "voluntary_csw"},
	 "share of context switches that were forced"},
	{"disk_io_fraction",
	 CTPROF_UNIT_NONE,
	 {"read_bytes", "rchar"},
	 "share of bytes read that came from storage; above 1 with read-ahead"},
	{"live_heap_estimate",
	 CTPROF_UNIT_BYTES,
	 {"allocated_bytes", "deallocated_bytes"},
	 "bytes allocated and not freed, by jemalloc's counters"},
	{"avg_iowait_ns", CTPROF_UNIT_NS, {"iowait_sum", "iowait_count"}, "mean wait for I/O"},
	AVERAGE_DELAY("cpu", "mean wait for a CPU"),
	AVERAGE_DELAY("blkio", "mean wait for block I/O"),
	AVERAGE_DELAY("swapin", "mean wait for a page to be swapped in"),
	AVERAGE_DELAY("freepages", "mean time in direct reclaim"),
	AVERAGE_DELAY("thrashing", "mean wait for a page evicted too early"),
	AVERAGE_DELAY("compact", "mean time in direct compaction"),
	AVERAGE_DELAY("wpcopy", "mean time in write-protect copying"),
	AVERAGE_DELAY("irq", "mean time taken by interrupts"),
	{"total_offcpu_delay_ns",
	 CTPROF_UNIT_NS,
	 {"cpu_delay_total_ns", "blkio_delay_total_ns", "swapin_delay_total_ns",
	  "freepages_delay_total_ns", "thrashing_delay_total_ns", "compact_delay_total_ns",
	  "wpcopy_delay_total_ns", "irq_delay_total_ns"},
	 "all delays added up; of swapin and thrashing, which overlap, the larger"},
	{NULL, 0, {NULL}, NULL},
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "derived.h"

#include <stddef.h>
#include <string.h>

#include "ctprof/plugin.h"

static bool compute_quotient(const uint64_t *inputs, double *ret_value)
{
	if (inputs[1] == 0)
		return false;
	*ret_value = (double)inputs[0] / (double)inputs[1];
	return true;
}

/* Of the sum of both. */
static bool compute_share(const uint64_t *inputs, double *ret_value)
{
	double sum = (double)inputs[0] + (double)inputs[1];

	if (inputs[0] == 0 && inputs[1] == 0)
		return false;
	*ret_value = (double)inputs[0] / sum;
	return true;
}

static bool compute_difference(const uint64_t *inputs, double *ret_value)
{
	*ret_value = inputs[0] >= inputs[1] ? (double)(inputs[0] - inputs[1])
					    : -(double)(inputs[1] - inputs[0]);
	return true;
}

/* In the order of the inputs of total_offcpu_delay_ns. */
enum { CPU, BLKIO, SWAPIN, FREEPAGES, THRASHING, COMPACT, WPCOPY, IRQ };

/* A page that is swapped in because it was evicted too early counts as both. */
static bool compute_offcpu(const uint64_t *inputs, double *ret_value)
{
	uint64_t larger = inputs[SWAPIN] > inputs[THRASHING] ? inputs[SWAPIN] : inputs[THRASHING];

	*ret_value = (double)larger + (double)inputs[CPU] + (double)inputs[BLKIO] +
		     (double)inputs[FREEPAGES] + (double)inputs[COMPACT] + (double)inputs[WPCOPY] +
		     (double)inputs[IRQ];
	return true;
}

#define AVERAGE_DELAY(what, help_text)                                                             \
	{                                                                                          \
		"avg_" what "_delay_ns", CTPROF_UNIT_NS,                                           \
			{what "_delay_total_ns", what "_delay_count"}, help_text,                  \
			compute_quotient, "taskstats-delay"                                        \
	}

const struct derived derived_metrics[] = {
	{"affine_success_ratio",
	 CTPROF_UNIT_NONE,
	 {"nr_wakeups_affine", "nr_wakeups_affine_attempts"},
	 "share of affine wakeup attempts that succeeded",
	 compute_quotient,
	 "derived"},
	{"avg_wait_ns",
	 CTPROF_UNIT_NS,
	 {"wait_sum", "wait_count"},
	 "mean run-queue wait, from schedstats",
	 compute_quotient,
	 "derived"},
	{"cpu_efficiency",
	 CTPROF_UNIT_NONE,
	 {"run_time_ns", "wait_time_ns"},
	 "share of runnable time spent on a CPU",
	 compute_share,
	 "derived"},
	{"avg_slice_ns",
	 CTPROF_UNIT_NS,
	 {"run_time_ns", "timeslices"},
	 "mean time on a CPU per turn",
	 compute_quotient,
	 "derived"},
	{"involuntary_csw_ratio",
	 CTPROF_UNIT_NONE,
	 {"nonvoluntary_csw", "voluntary_csw"},
	 "share of context switches that were forced",
	 compute_share,
	 "derived"},
	{"disk_io_fraction",
	 CTPROF_UNIT_NONE,
	 {"read_bytes", "rchar"},
	 "share of bytes read that came from storage; above 1 with read-ahead",
	 compute_quotient,
	 "derived"},
	{"live_heap_estimate",
	 CTPROF_UNIT_BYTES,
	 {"allocated_bytes", "deallocated_bytes"},
	 "bytes allocated and not freed, by jemalloc's counters",
	 compute_difference,
	 "derived"},
	{"avg_iowait_ns",
	 CTPROF_UNIT_NS,
	 {"iowait_sum", "iowait_count"},
	 "mean wait for I/O",
	 compute_quotient,
	 "derived"},
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
	 "all delays added up; of swapin and thrashing, which overlap, the larger",
	 compute_offcpu,
	 "taskstats-delay"},
	{NULL, 0, {NULL}, NULL, NULL, "derived"},
};

bool derived_is_ratio(const struct derived *derived)
{
	return derived->compute == compute_quotient || derived->compute == compute_share;
}

const struct derived *derived_find(const char *name)
{
	for (const struct derived *derived = derived_metrics; derived->name; derived++)
		if (strcmp(derived->name, name) == 0)
			return derived;
	return NULL;
}

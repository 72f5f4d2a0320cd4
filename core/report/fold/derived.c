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

/* The share of the first input in the sum of both. */
static bool compute_share(const uint64_t *inputs, double *ret_value)
{
	double sum = (double)inputs[0] + (double)inputs[1];

	if (inputs[0] == 0 && inputs[1] == 0)
		return false;
	*ret_value = (double)inputs[0] / sum;
	return true;
}

static bool compute_sum(const uint64_t *inputs, double *ret_value)
{
	*ret_value = (double)inputs[0] + (double)inputs[1];
	return true;
}

static bool compute_same(const uint64_t *inputs, double *ret_value)
{
	*ret_value = (double)inputs[0];
	return true;
}

static bool compute_difference(const uint64_t *inputs, double *ret_value)
{
	*ret_value = inputs[0] >= inputs[1] ? (double)(inputs[0] - inputs[1])
					    : -(double)(inputs[1] - inputs[0]);
	return true;
}

/* The inputs of total_offcpu_delay_ns, in their order. */
enum { CPU, BLKIO, SWAPIN, FREEPAGES, THRASHING, COMPACT, WPCOPY, IRQ };

/* Swapping in a page that was evicted too early counts as both SWAPIN and
 * THRASHING. */
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
		.name = "avg_" what "_delay_ns", .unit = CTPROF_UNIT_NS,                           \
		.inputs = {what "_delay_total_ns", what "_delay_count"}, .help = help_text,        \
		.compute = compute_quotient, .section = SECTION_DELAY                              \
	}

const struct derived derived_metrics[] = {
	{.name = "affine_success_ratio",
	 .unit = CTPROF_UNIT_NONE,
	 .inputs = {"nr_wakeups_affine", "nr_wakeups_affine_attempts"},
	 .help = "share of affine wakeup attempts that succeeded",
	 .compute = compute_quotient,
	 .section = SECTION_DERIVED},
	{.name = "avg_wait_ns",
	 .unit = CTPROF_UNIT_NS,
	 .inputs = {"wait_sum", "wait_count"},
	 .help = "mean run-queue wait, from schedstats",
	 .compute = compute_quotient,
	 .section = SECTION_DERIVED},
	{.name = "cpu_efficiency",
	 .unit = CTPROF_UNIT_NONE,
	 .inputs = {"run_time_ns", "wait_time_ns"},
	 .help = "share of runnable time spent on a CPU",
	 .compute = compute_share,
	 .section = SECTION_DERIVED},
	{.name = "avg_slice_ns",
	 .unit = CTPROF_UNIT_NS,
	 .inputs = {"run_time_ns", "timeslices"},
	 .help = "mean time on a CPU per turn",
	 .compute = compute_quotient,
	 .section = SECTION_DERIVED},
	{.name = "avg_turn_wait_ns",
	 .unit = CTPROF_UNIT_NS,
	 .inputs = {"wait_time_ns", "timeslices"},
	 .help = "mean wait for a CPU per turn",
	 .compute = compute_quotient,
	 .section = SECTION_DERIVED,
	 .flags = CTPROF_METRIC_QUIET},
	{.name = "smaps_pss_bytes",
	 .unit = CTPROF_UNIT_BYTES,
	 .inputs = {"smaps_rollup_kib"},
	 .help = "PSS of the processes, from smaps_rollup",
	 .compute = compute_same,
	 .section = SECTION_DERIVED,
	 .flags = CTPROF_METRIC_QUIET},
	{.name = "context_switches",
	 .unit = CTPROF_UNIT_NONE,
	 .inputs = {"voluntary_csw", "nonvoluntary_csw"},
	 .help = "context switches, voluntary and forced",
	 .compute = compute_sum,
	 .section = SECTION_DERIVED,
	 .kind = CTPROF_COUNTER,
	 .flags = CTPROF_METRIC_QUIET},
	{.name = "involuntary_csw_ratio",
	 .unit = CTPROF_UNIT_NONE,
	 .inputs = {"nonvoluntary_csw", "voluntary_csw"},
	 .help = "share of context switches that were forced",
	 .compute = compute_share,
	 .section = SECTION_DERIVED},
	{.name = "disk_io_fraction",
	 .unit = CTPROF_UNIT_NONE,
	 .inputs = {"read_bytes", "rchar"},
	 .help = "share of bytes read that came from storage; above 1 with read-ahead",
	 .compute = compute_quotient,
	 .section = SECTION_DERIVED},
	{.name = "live_heap_estimate",
	 .unit = CTPROF_UNIT_BYTES,
	 .inputs = {"allocated_bytes", "deallocated_bytes"},
	 .help = "bytes allocated and not freed, by jemalloc's counters",
	 .compute = compute_difference,
	 .section = SECTION_DERIVED},
	{.name = "avg_iowait_ns",
	 .unit = CTPROF_UNIT_NS,
	 .inputs = {"iowait_sum", "iowait_count"},
	 .help = "mean wait for I/O",
	 .compute = compute_quotient,
	 .section = SECTION_DERIVED},
	AVERAGE_DELAY("cpu", "mean wait for a CPU"),
	AVERAGE_DELAY("blkio", "mean wait for block I/O"),
	AVERAGE_DELAY("swapin", "mean wait for a page to be swapped in"),
	AVERAGE_DELAY("freepages", "mean time in direct reclaim"),
	AVERAGE_DELAY("thrashing", "mean wait for a page evicted too early"),
	AVERAGE_DELAY("compact", "mean time in direct compaction"),
	AVERAGE_DELAY("wpcopy", "mean time in write-protect copying"),
	AVERAGE_DELAY("irq", "mean time taken by interrupts"),
	{.name = "total_offcpu_delay_ns",
	 .unit = CTPROF_UNIT_NS,
	 .inputs = {"cpu_delay_total_ns", "blkio_delay_total_ns", "swapin_delay_total_ns",
		    "freepages_delay_total_ns", "thrashing_delay_total_ns",
		    "compact_delay_total_ns", "wpcopy_delay_total_ns", "irq_delay_total_ns"},
	 .help = "sum of all delays; swapin and thrashing overlap, so only the larger counts",
	 .compute = compute_offcpu,
	 .section = SECTION_DELAY},
	{.name = NULL},
};

bool derived_is_ratio(const struct derived *derived)
{
	return derived->compute == compute_quotient || derived->compute == compute_share;
}

bool derived_is_share(const struct derived *derived)
{
	return derived->unit == CTPROF_UNIT_NONE && derived_is_ratio(derived);
}

const struct derived *derived_find(const char *name)
{
	for (const struct derived *derived = derived_metrics; derived->name; derived++)
		if (strcmp(derived->name, name) == 0)
			return derived;
	return NULL;
}

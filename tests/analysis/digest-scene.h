/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The host and the threads of the digest's tests. */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"

#define MIB (G_GUINT64_CONSTANT(1) << 20)

/* Metrics that the samples of all tests do not have. */
static const struct {
	const char *name;
	guint32 kind, unit, scope;
} more[] = {
	{"stime_clock_ticks", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_THREAD},
	{"voluntary_csw", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	{"nonvoluntary_csw", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	{"write_bytes", CTPROF_COUNTER, CTPROF_UNIT_BYTES, CTPROF_SCOPE_THREAD},
	{"blkio_delay_total_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD},
	{"swapin_delay_total_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD},
	{"freepages_delay_total_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD},
	{"compact_delay_total_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD},
	{"thrashing_delay_total_ns", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD},
	{"cgroup_v1", CTPROF_MAP, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
	{"cpu.nr_periods", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_CGROUP},
	{"system.cpu.user", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.nice", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.system", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.irq", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.softirq", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.steal", CTPROF_COUNTER, CTPROF_UNIT_TICKS, CTPROF_SCOPE_HOST},
	{"system.cpu.online", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
	{"system.processes", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgpgin", CTPROF_COUNTER, CTPROF_UNIT_KIB, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgpgout", CTPROF_COUNTER, CTPROF_UNIT_KIB, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgmajfault", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
	{"system.vmstat.workingset_refault_anon", CTPROF_COUNTER, CTPROF_UNIT_NONE,
	 CTPROF_SCOPE_HOST},
	{"system.vmstat.workingset_refault_file", CTPROF_COUNTER, CTPROF_UNIT_NONE,
	 CTPROF_SCOPE_HOST},
	{"psi.memory.some.total_usec", CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgscan_direct", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
	{"system.memory.total", CTPROF_LEVEL, CTPROF_UNIT_KIB, CTPROF_SCOPE_HOST},
	{"system.memory.available", CTPROF_LEVEL, CTPROF_UNIT_KIB, CTPROF_SCOPE_HOST},
	{"exits_received", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_CAPTURE},
	{"system.vmstat.oom_kill", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
};

/* The values at both ends, unless a case has others for the second. */
static const struct {
	const char *name;
	guint64 value;
	guint32 scope;
} scene[] = {
	{"system.cpu.user", 0, CTPROF_SCOPE_HOST},
	{"system.cpu.nice", 0, CTPROF_SCOPE_HOST},
	{"system.cpu.system", 0, CTPROF_SCOPE_HOST},
	{"system.cpu.irq", 0, CTPROF_SCOPE_HOST},
	{"system.cpu.softirq", 0, CTPROF_SCOPE_HOST},
	{"system.cpu.steal", 0, CTPROF_SCOPE_HOST},
	{"system.cpu.online", 4, CTPROF_SCOPE_HOST},
	{"system.processes", 0, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgpgin", 0, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgpgout", 0, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgmajfault", 0, CTPROF_SCOPE_HOST},
	{"system.vmstat.workingset_refault_anon", 0, CTPROF_SCOPE_HOST},
	{"system.vmstat.workingset_refault_file", 0, CTPROF_SCOPE_HOST},
	{"psi.memory.some.total_usec", 0, CTPROF_SCOPE_HOST},
	{"system.vmstat.pgscan_direct", 0, CTPROF_SCOPE_HOST},
	{"system.memory.total", 4096, CTPROF_SCOPE_HOST},
	{"system.memory.available", 1024, CTPROF_SCOPE_HOST},
	{"memory.max", 128 * MIB, CTPROF_SCOPE_CGROUP},
	{"system.vmstat.oom_kill", 0, CTPROF_SCOPE_HOST},
	{"cpu.nr_throttled", 0, CTPROF_SCOPE_CGROUP},
	{"cpu.throttled_usec", 0, CTPROF_SCOPE_CGROUP},
	{"cpu.nr_periods", 0, CTPROF_SCOPE_CGROUP},
	{"cpu.max_quota_us", 20000, CTPROF_SCOPE_CGROUP},
	{"cpu.max_period_us", 100000, CTPROF_SCOPE_CGROUP},
	{"run_time_ns", 0, CTPROF_SCOPE_THREAD},
	{"utime_clock_ticks", 0, CTPROF_SCOPE_THREAD},
	{"stime_clock_ticks", 0, CTPROF_SCOPE_THREAD},
	{"cutime_clock_ticks", 0, CTPROF_SCOPE_THREAD},
	{"cstime_clock_ticks", 0, CTPROF_SCOPE_THREAD},
	{"wait_time_ns", 0, CTPROF_SCOPE_THREAD},
	{"timeslices", 0, CTPROF_SCOPE_THREAD},
	{"voluntary_csw", 0, CTPROF_SCOPE_THREAD},
	{"nonvoluntary_csw", 0, CTPROF_SCOPE_THREAD},
	{"read_bytes", 0, CTPROF_SCOPE_THREAD},
	{"write_bytes", 0, CTPROF_SCOPE_THREAD},
	{"allocated_bytes", 64 * MIB, CTPROF_SCOPE_THREAD},
	{"deallocated_bytes", 0, CTPROF_SCOPE_THREAD},
	{"blkio_delay_total_ns", 0, CTPROF_SCOPE_THREAD},
	{"swapin_delay_total_ns", 0, CTPROF_SCOPE_THREAD},
	{"freepages_delay_total_ns", 0, CTPROF_SCOPE_THREAD},
	{"compact_delay_total_ns", 0, CTPROF_SCOPE_THREAD},
	{"thrashing_delay_total_ns", 0, CTPROF_SCOPE_THREAD},
	{"start_time_clock_ticks", 100, CTPROF_SCOPE_THREAD},
};

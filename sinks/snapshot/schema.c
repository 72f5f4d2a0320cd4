/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "schema.h"

#include <string.h>

static const struct schema_field thread_fields[] = {
	{"tid", VALUE_U32},
	{"tgid", VALUE_U32},
	{"pcomm", VALUE_TEXT},
	{"comm", VALUE_TEXT},
	{"cgroup", VALUE_TEXT},
	{"start_time_clock_ticks", VALUE_U64},
	{"policy", VALUE_TEXT},
	{"nice", VALUE_I32},
	{"cpu_affinity", VALUE_CPUS},
	{"processor", VALUE_I32},
	{"state", VALUE_CHAR},
	{"ext_enabled", VALUE_BOOL},
	{"run_time_ns", VALUE_U64},
	{"wait_time_ns", VALUE_U64},
	{"timeslices", VALUE_U64},
	{"voluntary_csw", VALUE_U64},
	{"nonvoluntary_csw", VALUE_U64},
	{"nr_wakeups", VALUE_U64},
	{"nr_wakeups_local", VALUE_U64},
	{"nr_wakeups_remote", VALUE_U64},
	{"nr_wakeups_sync", VALUE_U64},
	{"nr_wakeups_migrate", VALUE_U64},
	{"nr_wakeups_affine", VALUE_U64},
	{"nr_wakeups_affine_attempts", VALUE_U64},
	{"nr_migrations", VALUE_U64},
	{"nr_forced_migrations", VALUE_U64},
	{"nr_failed_migrations_affine", VALUE_U64},
	{"nr_failed_migrations_running", VALUE_U64},
	{"nr_failed_migrations_hot", VALUE_U64},
	{"wait_sum", VALUE_U64},
	{"wait_count", VALUE_U64},
	{"wait_max", VALUE_U64},
	{"voluntary_sleep_ns", VALUE_U64},
	{"sleep_max", VALUE_U64},
	{"block_sum", VALUE_U64},
	{"block_max", VALUE_U64},
	{"iowait_sum", VALUE_U64},
	{"iowait_count", VALUE_U64},
	{"exec_max", VALUE_U64},
	{"slice_max", VALUE_U64},
	{"allocated_bytes", VALUE_U64},
	{"deallocated_bytes", VALUE_U64},
	{"minflt", VALUE_U64},
	{"majflt", VALUE_U64},
	{"utime_clock_ticks", VALUE_U64},
	{"stime_clock_ticks", VALUE_U64},
	{"priority", VALUE_I32},
	{"rt_priority", VALUE_U32},
	{"core_forceidle_sum", VALUE_U64},
	{"fair_slice_ns", VALUE_U64},
	{"nr_threads", VALUE_U64},
	{"smaps_rollup_kib", VALUE_MAP},
	{"rchar", VALUE_U64},
	{"wchar", VALUE_U64},
	{"syscr", VALUE_U64},
	{"syscw", VALUE_U64},
	{"read_bytes", VALUE_U64},
	{"write_bytes", VALUE_U64},
	{"cancelled_write_bytes", VALUE_U64},
	{"cpu_delay_count", VALUE_U64},
	{"cpu_delay_total_ns", VALUE_U64},
	{"cpu_delay_max_ns", VALUE_U64},
	{"cpu_delay_min_ns", VALUE_U64},
	{"blkio_delay_count", VALUE_U64},
	{"blkio_delay_total_ns", VALUE_U64},
	{"blkio_delay_max_ns", VALUE_U64},
	{"blkio_delay_min_ns", VALUE_U64},
	{"swapin_delay_count", VALUE_U64},
	{"swapin_delay_total_ns", VALUE_U64},
	{"swapin_delay_max_ns", VALUE_U64},
	{"swapin_delay_min_ns", VALUE_U64},
	{"freepages_delay_count", VALUE_U64},
	{"freepages_delay_total_ns", VALUE_U64},
	{"freepages_delay_max_ns", VALUE_U64},
	{"freepages_delay_min_ns", VALUE_U64},
	{"thrashing_delay_count", VALUE_U64},
	{"thrashing_delay_total_ns", VALUE_U64},
	{"thrashing_delay_max_ns", VALUE_U64},
	{"thrashing_delay_min_ns", VALUE_U64},
	{"compact_delay_count", VALUE_U64},
	{"compact_delay_total_ns", VALUE_U64},
	{"compact_delay_max_ns", VALUE_U64},
	{"compact_delay_min_ns", VALUE_U64},
	{"wpcopy_delay_count", VALUE_U64},
	{"wpcopy_delay_total_ns", VALUE_U64},
	{"wpcopy_delay_max_ns", VALUE_U64},
	{"wpcopy_delay_min_ns", VALUE_U64},
	{"irq_delay_count", VALUE_U64},
	{"irq_delay_total_ns", VALUE_U64},
	{"irq_delay_max_ns", VALUE_U64},
	{"irq_delay_min_ns", VALUE_U64},
	{"hiwater_rss_bytes", VALUE_U64},
	{"hiwater_vm_bytes", VALUE_U64},
	{"taskstats_measured", VALUE_BOOL},
	{"cpu_delay_active", VALUE_BOOL},
	{"delay_block_active", VALUE_BOOL},
	{"xacct_active", VALUE_BOOL},
	{"jemalloc_measured", VALUE_BOOL},
};

static const struct schema_field cgroup_fields[] = {
	{"cpu.usage_usec", VALUE_U64},       {"cpu.nr_throttled", VALUE_U64},
	{"cpu.throttled_usec", VALUE_U64},   {"cpu.max_quota_us", VALUE_LIMIT},
	{"cpu.max_period_us", VALUE_PERIOD}, {"cpu.weight", VALUE_OPT_U64},
	{"cpu.weight_nice", VALUE_OPT_I32},  {"memory.current", VALUE_U64},
	{"memory.max", VALUE_LIMIT},         {"memory.high", VALUE_LIMIT},
	{"memory.low", VALUE_OPT_U64},       {"memory.min", VALUE_OPT_U64},
	{"memory.stat", VALUE_MAP},          {"memory.events", VALUE_MAP},
	{"pids.current", VALUE_OPT_U64},     {"pids.max", VALUE_LIMIT},
};

/* clang-format off */
#define PSI_HALF(half)                         \
	{"psi." half ".avg10", VALUE_U16},     \
	{"psi." half ".avg60", VALUE_U16},     \
	{"psi." half ".avg300", VALUE_U16},    \
	{"psi." half ".total_usec", VALUE_U64}
#define PSI_RESOURCE(resource) PSI_HALF(resource ".some"), PSI_HALF(resource ".full")
/* clang-format on */

static const struct schema_field psi_fields[] = {
	PSI_RESOURCE("cpu"),
	PSI_RESOURCE("memory"),
	PSI_RESOURCE("io"),
	PSI_RESOURCE("irq"),
};

static const struct schema_field probe_fields[] = {
	{"probe_summary.tgids_walked", VALUE_U64},
	{"probe_summary.jemalloc_detected", VALUE_U64},
	{"probe_summary.probed_ok", VALUE_U64},
	{"probe_summary.failed", VALUE_U64},
	{"probe_summary.dominant_failure", VALUE_OPT_TEXT},
	{"probe_summary.privilege_dominant", VALUE_BOOL},
};

static const struct schema_field parse_fields[] = {
	{"parse_summary.tids_walked", VALUE_U64},
	{"parse_summary.read_failures", VALUE_U64},
	{"parse_summary.read_failures_by_file", VALUE_MAP},
	{"parse_summary.dominant_read_failure", VALUE_OPT_TEXT},
	{"parse_summary.kernel_config_dominant", VALUE_BOOL},
	{"parse_summary.negative_dotted_values", VALUE_U64},
};

static const struct schema_field taskstats_fields[] = {
	{"taskstats_summary.ok_count", VALUE_U64},
	{"taskstats_summary.eperm_count", VALUE_U64},
	{"taskstats_summary.esrch_count", VALUE_U64},
	{"taskstats_summary.other_err_count", VALUE_U64},
};

static const struct schema_field sched_ext_fields[] = {
	{"sched_ext.state", VALUE_TEXT},      {"sched_ext.switch_all", VALUE_U64},
	{"sched_ext.nr_rejected", VALUE_U64}, {"sched_ext.hotplug_seq", VALUE_U64},
	{"sched_ext.enable_seq", VALUE_U64},
};

#define FIELDS(table)                                                                              \
	{                                                                                          \
		(table), sizeof(table) / sizeof((table)[0])                                        \
	}

const struct schema_fields schema_thread = FIELDS(thread_fields);
const struct schema_fields schema_cgroup = FIELDS(cgroup_fields);
const struct schema_fields schema_psi = FIELDS(psi_fields);
static const struct schema_fields schema_probe = FIELDS(probe_fields);
static const struct schema_fields schema_parse = FIELDS(parse_fields);
static const struct schema_fields schema_taskstats = FIELDS(taskstats_fields);
static const struct schema_fields schema_sched_ext = FIELDS(sched_ext_fields);

const struct schema_object schema_objects[SCHEMA_N_OBJECTS] = {
	{"host", CTPROF_SCOPE_HOST, SCHEMA_EMPTY_NULL, NULL},
	{"probe_summary", CTPROF_SCOPE_CAPTURE, SCHEMA_EMPTY_NULL, &schema_probe},
	{"parse_summary", CTPROF_SCOPE_CAPTURE, SCHEMA_EMPTY_NULL, &schema_parse},
	{"taskstats_summary", CTPROF_SCOPE_CAPTURE, SCHEMA_EMPTY_NULL, &schema_taskstats},
	{"psi", CTPROF_SCOPE_HOST, SCHEMA_EMPTY_SHAPE, &schema_psi},
	{"sched_ext", CTPROF_SCOPE_HOST, SCHEMA_EMPTY_NULL, &schema_sched_ext},
	{"extra", 0, SCHEMA_EMPTY_OMIT, NULL},
};

size_t schema_find_object(const struct ctprof_metric *metric, size_t *ret_skip)
{
	size_t i = 0;

	for (; i < SCHEMA_N_OBJECTS - 1; i++) {
		const struct schema_object *object = &schema_objects[i];
		size_t len = strlen(object->key);

		if (object->scope == metric->scope &&
		    strncmp(metric->name, object->key, len) == 0 && metric->name[len] == '.') {
			*ret_skip = len + 1;
			return i;
		}
	}
	*ret_skip = 0;
	return i;
}

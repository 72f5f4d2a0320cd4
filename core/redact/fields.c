/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fields.h"

#include <string.h>

/* Words from a fixed list of the kernel or of a source. */
#define WORDS(name_)                                                                               \
	{                                                                                          \
		.name = name_, .text = LAW_KEEP, .key = LAW_KEEP                                   \
	}

static const Field metrics[] = {
	{.name = "comm", .text = LAW_NAME, .of_kernel = TRUE},
	{.name = "pcomm", .text = LAW_NAME, .of_kernel = TRUE},
	{.name = "cgroup", .text = LAW_CGROUP},
	{.name = "cgroup_v1", .text = LAW_CGROUP, .key = LAW_KEEP},
	{.name = "scheduler_cgroup", .text = LAW_CGROUP},
	{.name = "user", .text = LAW_NAME},
	{.name = "cmdline", .text = LAW_COMMAND},
	{.name = "cwd", .text = LAW_PATH},
	{.name = "mapping_label", .text = LAW_PATH},
	{.name = "file_mount", .text = LAW_PATH},
	{.name = "tmpfs_source", .text = LAW_PATH},
	/* "PID NAME". */
	{.name = "object_consumers", .key = LAW_NAME},
	/* Opaque, like every metric not listed: they identify the boot or may name a customer. */
	{.name = "host.boot_id"},
	{.name = "host.kernel_cmdline"},
	{.name = "sched_ext.ops"},
	{.name = "sched_ext.version"},
	{.name = "scheduler_ops"},
	{.name = "scheduler"},
	/* Keys are chosen by the scheduler and can include the names of its layers. */
	{.name = "stats_numbers"},
	{.name = "stats_percent"},
	{.name = "stats_thousandths"},
	{.name = "stats_texts"},
	{.name = "stats_struct"},
	{.name = "scx_stats.meanings"},
	{.name = "sysv_key"},
	/* "comm[tid]", and addresses. */
	{.name = "lock_holder"},
	{.name = "lock_holder_waits_for"},
	{.name = "waiting_pool", .text = LAW_NAME},
	{.name = "running_pool", .text = LAW_NAME},
	WORDS("policy"),
	WORDS("memory_state"),
	WORDS("memory_source"),
	WORDS("smaps_state"),
	WORDS("smaps_source"),
	WORDS("smaps_rollup_kib"),
	WORDS("wait_channel"),
	WORDS("wait_stack"),
	WORDS("wait_state"),
	WORDS("state_samples"),
	WORDS("ended_states"),
	WORDS("states_summary.source"),
	WORDS("lock_kind"),
	WORDS("waited_for"),
	WORDS("lock_holder_state"),
	WORDS("wchan"),
	WORDS("memory.stat"),
	WORDS("memory.events"),
	WORDS("memory.swap_events"),
	WORDS("io.stat"),
	WORDS("cgroup_stat"),
	WORDS("object_kind"),
	WORDS("object_device"),
	WORDS("file_kind"),
	WORDS("mapping_kind"),
	WORDS("mapping_device"),
	WORDS("tmpfs_device"),
	WORDS("sched_ext.state"),
	WORDS("schedstat.balance.busy"),
	WORDS("schedstat.balance.idle"),
	WORDS("schedstat.balance.newidle"),
	WORDS("schedstat.pulled.busy"),
	WORDS("schedstat.pulled.idle"),
	WORDS("schedstat.pulled.newidle"),
	WORDS("schedstat.pushed"),
	WORDS("schedstat.wake_remote"),
	WORDS("schedstat.wake_affine"),
	WORDS("domain_level"),
	WORDS("sched_ext.events"),
	WORDS("sched_ext.durations"),
	WORDS("scheduler_events"),
	WORDS("scheduler_durations"),
	WORDS("bpf_summary.when"),
	WORDS("parse_summary.read_failures_by_file"),
	WORDS("parse_summary.read_failures_by_errno"),
	WORDS("parse_summary.dominant_read_failure"),
	WORDS("exits_source"),
	WORDS("probe_summary.dominant_failure"),
	WORDS("probe_summary.failures"),
	WORDS("host.cpu_model"),
	WORDS("host.cpu_vendor"),
	WORDS("host.thp_enabled"),
	WORDS("host.thp_defrag"),
	WORDS("host.sched_tunables"),
	WORDS("host.cpufreq_governor"),
	WORDS("host.kernel_name"),
	WORDS("host.kernel_release"),
	WORDS("host.arch"),
	WORDS("host.task_delayacct"),
	WORDS("host.config_task_xacct"),
	WORDS("host.clocksource"),
	WORDS("host.lsm"),
	WORDS("host.ctprof_version"),
};

static const struct {
	const char *name;
	PseudonymLaw law;
} objects[] =
	{
		{"memory-ledger", LAW_KEEP},     {"memory-tmpfs", LAW_PATH},
		{"memory-files", LAW_PATH},      {"memory-shared", LAW_PATH},
		{"memory-mappings", LAW_PATH},   {"memory-sysv", LAW_PATH},
		{"memory-swap", LAW_NAME},       {"system-disks", LAW_KEEP},
		{"system-net", LAW_NAME},        {"schedstat-cpus", LAW_KEEP},
		{"schedstat-domains", LAW_KEEP}, {"scx-schedulers", LAW_OPAQUE},
		{"states-ended", LAW_KEEP},      {"lock", LAW_OPAQUE},
		{"scx-stats", LAW_OPAQUE},       {"latency-matrix", LAW_OPAQUE},
},
  options[] = {
	  {"plugins", LAW_KEEP},  {"groups", LAW_KEEP},       {"metrics", LAW_KEEP},
	  {"pid", LAW_KEEP},      {"leaders_only", LAW_KEEP}, {"proc_root", LAW_PATH},
	  {"sys_root", LAW_PATH}, {"cgroup_root", LAW_PATH},
};

const Field *field_of_metric(const char *name)
{
	static const Field unknown = {.text = LAW_OPAQUE, .key = LAW_OPAQUE};

	for (guint i = 0; i < G_N_ELEMENTS(metrics); i++)
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i];
	return &unknown;
}

PseudonymLaw field_of_objects(const char *group)
{
	for (guint i = 0; i < G_N_ELEMENTS(objects); i++)
		if (strcmp(objects[i].name, group) == 0)
			return objects[i].law;
	return LAW_OPAQUE;
}

PseudonymLaw field_of_option(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(options); i++)
		if (strcmp(options[i].name, name) == 0)
			return options[i].law;
	return LAW_OPAQUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Describes the threads' host: hardware, kernel, and settings that affect values. */
#include <errno.h>
#include <stdlib.h>

#include "cleanup.h"
#include "ctprof/plugin.h"
#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "instance.h"
#include "items.h"
#include "need.h"
#include "run.h"
#include "slots.h"

#define GROUP "host"

struct facts {
	const struct ctprof_host *host;
	uint32_t slots[HOST_N_METRICS];
	struct host_kept kept;
};

static int facts_open(const struct ctprof_host *host, void **ret_self)
{
	struct facts *facts = instance_new(host, sizeof *facts);

	if (!facts)
		return -ENOMEM;
	facts->host = host;
	return instance_give(facts, slots_declare(host, host_metrics, HOST_N_METRICS, facts->slots),
			     ret_self);
}

/* Checks for deficiencies that a user can fix; the first missing item is reported. */
static const struct check {
	uint32_t root;
	uint32_t state;
	const char *path;
	const char *why;
	const char *remedy;
} checks[] = {
	{CTPROF_ROOT_PROC, CTPROF_FAILS, "meminfo", "the proc tree cannot be read",
	 "mount -t proc proc DIRECTORY"},
	{CTPROF_ROOT_SYS, CTPROF_PARTLY, "devices/system/cpu/online",
	 "the sys tree cannot be read: no counts of CPUs, no governors",
	 "mount -t sysfs sysfs DIRECTORY"},
	{CTPROF_ROOT_SYS, CTPROF_PARTLY, "kernel/security/lsm",
	 "host.lsm is absent: securityfs is not mounted",
	 "mount -t securityfs securityfs DIRECTORY"},
	{CTPROF_ROOT_PROC, CTPROF_PARTLY, "config.gz", "host.config_task_xacct is unknown",
	 "use a kernel built with CONFIG_IKCONFIG_PROC"},
};

static int facts_probe(void *self)
{
	const struct facts *facts = self;
	struct ctprof_finding finding = FINDING_WORKS(GROUP);

	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		if (file_check_root(facts->host, checks[i].root, checks[i].path) == 0)
			continue;
		finding_set(&finding, checks[i].state, checks[i].why, checks[i].remedy);
		break;
	}
	facts->host->finding(facts->host, &finding);
	return 0;
}

static int facts_collect(void *self, void *context, struct ctprof_batch *batch)
{
	struct facts *facts = self;
	const struct ctprof_host *host = facts->host;
	/* Half a megabyte, mostly unused, so it is not zeroed. */
	AUTO_FREE struct host_run *run = malloc(sizeof *run);

	(void)context;
	if (!run) {
		host->error(host, "out of memory");
		return -ENOMEM;
	}
	run->host = host;
	run->kept = &facts->kept;
	run->batch = batch;
	run->slots = facts->slots;
	run->n_entries = run->n_bytes = 0;
	for (const struct host_item *item = host_items; item->collect; item++) {
		if (!slots_wanted(host, &facts->slots[item->first], item->n))
			continue;
		int error = item->collect(run, item);
		for (size_t i = 0; error < 0 && i < item->n; i++)
			host_run_put_error(run, item->first + i, error);
	}
	return 0;
}

#define FROM_PROC(name, why) NEED_PARTLY(FILE, "proc/" name, why)
#define FROM_SYS(name, why) NEED_PARTLY(FILE, "sys/" name, why)
#define FROM_CPU(name, why) FROM_SYS("devices/system/cpu/" name, why)

static const struct ctprof_need needs[] = {
	NEED_PARTLY(KCONFIG, "CONFIG_IKCONFIG_PROC", "host.config_task_xacct"),
	NEED_PARTLY(KCONFIG, "CONFIG_SECURITYFS", "host.lsm"),
	NEED_PARTLY(KCONFIG, "CONFIG_SECURITY_YAMA", "host.ptrace_scope"),
	NEED_PARTLY(KCONFIG, "CONFIG_NUMA", "host.numa_nodes"),
	NEED_PARTLY(KCONFIG, "CONFIG_CPU_FREQ", "host.cpufreq_governor"),
	NEED_PARTLY(KCONFIG, "CONFIG_TRANSPARENT_HUGEPAGE", "host.thp_enabled, host.thp_defrag"),
	NEED_PARTLY(KCONFIG, "CONFIG_SCHEDSTATS", "host.sched_schedstats"),
	FROM_PROC("cpuinfo", "host.cpu_model, host.cpu_vendor"),
	FROM_PROC("meminfo", "host.total_memory_kib, host.hugepages_*"),
	FROM_PROC("cmdline", "host.kernel_cmdline"),
	FROM_PROC("version", "host.kernel_name, host.kernel_release where sys/kernel is missing"),
	FROM_PROC("config.gz", "host.config_task_xacct"),
	FROM_PROC("pressure/cpu", "host.psi_enabled"),
	FROM_PROC("sys/kernel/sched_*", "host.sched_tunables, host.sched_schedstats"),
	FROM_PROC("sys/kernel/ostype", "host.kernel_name"),
	FROM_PROC("sys/kernel/osrelease", "host.kernel_release, host.task_delayacct"),
	FROM_PROC("sys/kernel/arch", "host.arch"),
	FROM_PROC("sys/kernel/task_delayacct", "host.task_delayacct"),
	FROM_PROC("sys/kernel/yama/ptrace_scope", "host.ptrace_scope"),
	FROM_PROC("sys/kernel/perf_event_paranoid", "host.perf_event_paranoid"),
	FROM_PROC("sys/kernel/random/boot_id", "host.boot_id"),
	FROM_SYS("kernel/mm/transparent_hugepage/enabled", "host.thp_enabled"),
	FROM_SYS("kernel/mm/transparent_hugepage/defrag", "host.thp_defrag"),
	FROM_SYS("kernel/security/lsm", "host.lsm"),
	FROM_SYS("devices/system/node/online", "host.numa_nodes"),
	FROM_SYS("devices/system/clocksource/clocksource0/current_clocksource", "host.clocksource"),
	FROM_CPU("online", "host.online_cpus, host.cores, host.sockets, host.cpufreq_governor"),
	FROM_CPU("possible", "host.cpus_possible"),
	FROM_CPU("present", "host.cpus_present"),
	FROM_CPU("smt/active", "host.smt_active"),
	FROM_CPU("cpu*/topology/core_cpus_list", "host.cores"),
	FROM_CPU("cpu*/topology/thread_siblings_list", "host.cores before Linux 5.3"),
	FROM_CPU("cpu*/topology/package_cpus_list", "host.sockets"),
	FROM_CPU("cpu*/topology/core_siblings_list", "host.sockets before Linux 5.3"),
	FROM_CPU("cpu*/cpufreq/scaling_governor", "host.cpufreq_governor"),
};

SOURCE_PLUGIN("host", SERIAL, CHEAP, "hardware, kernel and settings of the host",
	      SOURCE_OPS(.open = facts_open, .close = instance_free, .probe = facts_probe,
			 .collect = facts_collect))

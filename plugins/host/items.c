/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "items.h"

#include <errno.h>
#include <unistd.h>

#include "parse.h"

static int collect_text(struct host_run *run, const struct host_item *item)
{
	struct text value;
	int result = host_run_read_value(run, item->root, item->path, &value);

	return result < 0 ? result : host_run_put_text(run, item->first, value);
}

/* Puts the only text that may be empty: a kernel can be booted without arguments. */
static int collect_cmdline(struct host_run *run, const struct host_item *item)
{
	ssize_t got = host_run_read(run, item->root, item->path);

	return got < 0 ? (int)got
		       : host_run_put_text(run, item->first,
					   text_trim((struct text){run->text, (size_t)got}));
}

static int collect_bool(struct host_run *run, const struct host_item *item)
{
	struct text value;
	int result = host_run_read_value(run, item->root, item->path, &value);
	bool on = result == 0 && text_equal(value, "1");

	if (on || (result == 0 && text_equal(value, "0")))
		return host_run_put_u64(run, item->first, on);
	return result < 0 ? result : -EINVAL;
}

static int collect_integer(struct host_run *run, const struct host_item *item)
{
	struct text value;
	int64_t number;
	int result = host_run_read_value(run, item->root, item->path, &value);

	if (result == 0 && text_i64(value, &number))
		return host_run_put_i64(run, item->first, number);
	return result < 0 ? result : -EINVAL;
}

static int collect_cpuinfo(struct host_run *run, const struct host_item *item)
{
	static const char *const keys[] = {"model name", "vendor_id"};
	ssize_t got = host_run_read_head(run, item->root, item->path);
	struct text value;

	if (got <= 0)
		return got < 0 ? (int)got : -EINVAL;
	for (size_t i = 0; i < item->n; i++)
		if (!host_parse_colon(run->text, (size_t)got, keys[i], true, &value))
			host_run_put_error(run, item->first + i, -ENOENT); /* arm64 */
		else if (host_run_put_text(run, item->first + i, value) < 0)
			host_run_put_error(run, item->first + i, -EINVAL);
	return 0;
}

static int collect_meminfo(struct host_run *run, const struct host_item *item)
{
	static const struct {
		const char *key, *unit;
	} rows[] = {
		{"MemTotal", "kB"},
		{"HugePages_Total", NULL},
		{"HugePages_Free", NULL},
		{"Hugepagesize", "kB"},
	};
	ssize_t got = host_run_read(run, item->root, item->path);
	struct text value;
	uint64_t amount;

	if (got <= 0)
		return got < 0 ? (int)got : -EINVAL;
	for (size_t i = 0; i < item->n; i++)
		if (!host_parse_colon(run->text, (size_t)got, rows[i].key, false, &value))
			host_run_put_error(run, item->first + i, -ENOENT);
		else if (host_parse_amount(value, rows[i].unit, &amount))
			host_run_put_u64(run, item->first + i, amount);
		else
			host_run_put_error(run, item->first + i, -EINVAL);
	return 0;
}

/* Puts the state of PSI.  Without pressure files, PSI is off in a running kernel; a recorded tree
 * may just lack them. */
static int collect_psi(struct host_run *run, const struct host_item *item)
{
	ssize_t got = host_run_read(run, item->root, item->path);
	bool off = got == -EOPNOTSUPP || (got == -ENOENT && run->host->live(run->host));

	if (got > 0 || off)
		return host_run_put_u64(run, item->first, !off);
	return got < 0 ? (int)got : -EINVAL;
}

/* Puts values that only the running system can provide. */
static int collect_sysconf(struct host_run *run, const struct host_item *item)
{
	int name = item->first == HOST_PAGE_SIZE ? _SC_PAGESIZE : _SC_CLK_TCK;
	long value = run->host->live(run->host) ? sysconf(name) : -1;

	return value > 0 ? host_run_put_u64(run, item->first, (uint64_t)value) : -EOPNOTSUPP;
}

static int collect_version(struct host_run *run, const struct host_item *item)
{
	return host_run_put_string(run, item->first, CTPROF_VERSION);
}

#define PROC(collect, metric, n, path)                                                             \
	{                                                                                          \
		collect, metric, n, CTPROF_ROOT_PROC, path, NULL                                   \
	}
#define SYS(collect, metric, path)                                                                 \
	{                                                                                          \
		collect, metric, 1, CTPROF_ROOT_SYS, path, NULL                                    \
	}
#define TOPOLOGY(metric, path, other)                                                              \
	{                                                                                          \
		host_collect_first_siblings, metric, 1, CTPROF_ROOT_SYS, path, other               \
	}

/* clang-format off */
const struct host_item host_items[] = {
	PROC(collect_cpuinfo, HOST_CPU_MODEL, 2, "cpuinfo"),
	PROC(collect_meminfo, HOST_TOTAL_MEMORY, 4, "meminfo"),
	SYS(collect_text, HOST_THP_ENABLED, "kernel/mm/transparent_hugepage/enabled"),
	SYS(collect_text, HOST_THP_DEFRAG, "kernel/mm/transparent_hugepage/defrag"),
	PROC(host_collect_tunables, HOST_SCHED_TUNABLES, 1, "sys/kernel"),
	SYS(host_collect_count, HOST_ONLINE_CPUS, "devices/system/cpu/online"),
	SYS(host_collect_count, HOST_NUMA_NODES, "devices/system/node/online"),
	SYS(host_collect_governors, HOST_CPUFREQ_GOVERNOR, "cpufreq/scaling_governor"),
	PROC(host_collect_name, HOST_KERNEL_NAME, 1, "sys/kernel/ostype"),
	PROC(host_collect_name, HOST_KERNEL_RELEASE, 1, "sys/kernel/osrelease"),
	PROC(host_collect_arch, HOST_ARCH, 1, "sys/kernel/arch"),
	PROC(collect_cmdline, HOST_KERNEL_CMDLINE, 1, "cmdline"),
	PROC(host_collect_delayacct, HOST_TASK_DELAYACCT, 1, "sys/kernel/task_delayacct"),
	PROC(host_collect_xacct, HOST_CONFIG_TASK_XACCT, 1, "config.gz"),
	SYS(host_collect_count, HOST_CPUS_POSSIBLE, "devices/system/cpu/possible"),
	SYS(host_collect_count, HOST_CPUS_PRESENT, "devices/system/cpu/present"),
	/* The second names are from before 5.3. */
	TOPOLOGY(HOST_CORES, "core_cpus_list", "thread_siblings_list"),
	TOPOLOGY(HOST_SOCKETS, "package_cpus_list", "core_siblings_list"),
	SYS(collect_bool, HOST_SMT_ACTIVE, "devices/system/cpu/smt/active"),
	SYS(collect_text, HOST_CLOCKSOURCE, "devices/system/clocksource/clocksource0/current_clocksource"),
	PROC(collect_bool, HOST_SCHED_SCHEDSTATS, 1, "sys/kernel/sched_schedstats"),
	PROC(collect_psi, HOST_PSI_ENABLED, 1, "pressure/cpu"),
	SYS(collect_text, HOST_LSM, "kernel/security/lsm"),
	PROC(collect_integer, HOST_PTRACE_SCOPE, 1, "sys/kernel/yama/ptrace_scope"),
	PROC(collect_integer, HOST_PERF_EVENT_PARANOID, 1, "sys/kernel/perf_event_paranoid"),
	PROC(collect_text, HOST_BOOT_ID, 1, "sys/kernel/random/boot_id"),
	PROC(collect_sysconf, HOST_PAGE_SIZE, 1, NULL),
	PROC(collect_sysconf, HOST_USER_HZ, 1, NULL),
	PROC(collect_version, HOST_CTPROF_VERSION, 1, NULL),
	PROC(NULL, 0, 0, NULL),
};
/* clang-format on */

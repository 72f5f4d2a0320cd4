/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads CPU, memory, pids, I/O and pressure of every cgroup that contains a thread, or limits one
 * that does. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "ctprof/plugin.h"
#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "files.h"
#include "instance.h"
#include "mounts.h"
#include "namespace.h"
#include "need.h"
#include "psi-parse.h"
#include "row.h"
#include "slots.h"

#define GROUP "cgroup"
#define NOT_MOUNTED "no cgroup file system is mounted"
#define FILE_BYTES 65536u
#define NOT_OPENED INT_MIN /* not an -errno */

struct cgroup {
	const struct ctprof_host *host;
	uint32_t slots[CGROUP_N_METRICS];
	uint32_t host_cpu; /* the slot of cgroup_host_cpu */
	bool wanted[CGROUP_N_METRICS];
	struct cgroup_mounts mounts;
	bool in_namespace; /* in a cgroup namespace other than the initial one */
	struct cgroup_row row;
	char text[FILE_BYTES];
};

static int cgroup_open(const struct ctprof_host *host, void **ret_self)
{
	struct cgroup *cgroup = instance_new(host, sizeof *cgroup);

	if (!cgroup)
		return -ENOMEM;
	cgroup->host = host;
	int result = slots_declare(host, cgroup_metrics, CGROUP_N_METRICS, cgroup->slots);
	if (result == 0)
		result = slots_declare(host, &cgroup_host_cpu, 1, &cgroup->host_cpu);
	return instance_give(cgroup, result, ret_self);
}

static void cgroup_close(void *self)
{
	struct cgroup *cgroup = self;

	cgroup_mounts_clear(&cgroup->mounts);
	instance_free(cgroup);
}

static int cgroup_again(void *self)
{
	struct cgroup *cgroup = self;

	for (size_t i = 0; i < CGROUP_N_METRICS; i++)
		cgroup->wanted[i] = cgroup->host->wanted(cgroup->host, cgroup->slots[i]);
	return 0;
}

static int cgroup_start(void *self)
{
	struct cgroup *cgroup = self;
	const struct ctprof_host *host = cgroup->host;
	int result = cgroup_mounts_find(host, &cgroup->mounts);

	if (result < 0) {
		host->error(host, "%s", result == -ENOMEM ? "out of memory" : NOT_MOUNTED);
		/* The user has named a tree, so this is a mistake rather than a host without
		 * cgroups. */
		if (!host->live(host) && host->root(host, CTPROF_ROOT_CGROUP) >= 0)
			host->log(host, CTPROF_LOG_WARNING, "no hierarchy below --cgroup-root");
		return result;
	}
	cgroup->in_namespace = host->live(host) && !namespace_is_first(host, "cgroup");
	(void)cgroup_again(cgroup);
	cgroup->row.host = host;
	cgroup->row.slots = cgroup->slots;
	cgroup->row.wanted = cgroup->wanted;
	return 0;
}

/* ---- reading ----------------------------------------------------------- */

/* Returns the absence for an errno.  kernfs returns ENODEV if the cgroup was removed while its
 * directory was open. */
static uint32_t absence_of(int err)
{
	return err == ENODEV ? CTPROF_ABSENT_VANISHED : file_absence(err);
}

static void collect_file(struct cgroup *cgroup, int dir, const struct cgroup_file *file)
{
	ssize_t got = file_read_at(cgroup->host, dir, file->name, cgroup->text, FILE_BYTES);

	if (got < 0) {
		cgroup_row_put_absent(&cgroup->row, file->first, file->n, absence_of((int)-got));
		return;
	}
	struct text text = {cgroup->text, (size_t)got};
	file->put(&cgroup->row, file, text);
}

/* Opens the cgroup's directory; returns -errno if that fails. */
static int open_directory(const struct cgroup *cgroup, enum cgroup_hierarchy hierarchy,
			  const struct ctprof_target *target)
{
	const struct cgroup_mount *mount = &cgroup->mounts.at[hierarchy];
	char path[PATH_MAX];

	if (!mount->prefix)
		return -EOPNOTSUPP;
	int result = cgroup_mount_path(mount, target->path, target->path_len, path, sizeof path);
	return result < 0 ? result : cgroup->host->open_file(cgroup->host, mount->base, path);
}

/* Whether a v1 controller has a cgroup with that path. */
static bool is_in_v1(const struct cgroup *cgroup, const struct ctprof_target *target)
{
	for (uint32_t h = CGROUP_UNIFIED + 1; h < CGROUP_N_HIERARCHIES; h++) {
		AUTO_FD dir = open_directory(cgroup, h, target);

		if (dir >= 0)
			return true;
	}
	return false;
}

/* Returns why a directory is missing.  A path that a mount does not show is unsupported there.  If
 * the unified hierarchy lacks it, the cgroup was removed, unless it exists only in v1. */
static uint32_t missing_directory(const struct cgroup *cgroup, enum cgroup_hierarchy hierarchy,
				  const struct ctprof_target *target, int err)
{
	switch (err) {
	case EINVAL:
		return CTPROF_ABSENT_INVALID;
	case ENOENT:
		return hierarchy == CGROUP_UNIFIED && !is_in_v1(cgroup, target)
			       ? CTPROF_ABSENT_VANISHED
			       : CTPROF_ABSENT_UNSUPPORTED;
	default:
		return absence_of(err);
	}
}

/* Whether the directory is the root of its hierarchy, regardless of its path in this namespace. */
static bool is_top(const struct cgroup *cgroup, enum cgroup_hierarchy hierarchy, int dir,
		   const struct ctprof_target *target)
{
	const struct ctprof_host *host = cgroup->host;

	if (!host->live(host))
		return target->path_len == 1;
	/* release_agent exists only in the root of v1; cgroup.events everywhere except in the root
	 * of v2. */
	bool unified = hierarchy == CGROUP_UNIFIED;
	AUTO_FD mark = host->open_file(host, dir, unified ? "cgroup.events" : "release_agent");
	return unified ? mark == -ENOENT : mark >= 0;
}

/* Opens the cgroup's directory, or returns -errno.  Refuses the root of the hierarchy in a cgroup
 * namespace: the values of the whole host must not be reported as those of a cgroup. */
static int open_own(const struct cgroup *cgroup, enum cgroup_hierarchy hierarchy,
		    const struct ctprof_target *target)
{
	AUTO_FD dir = open_directory(cgroup, hierarchy, target);
	int own = dir;

	if (dir >= 0 && cgroup->in_namespace && is_top(cgroup, hierarchy, dir, target))
		return -EXDEV;
	dir = -1;
	return own;
}

/* Reads the values from one hierarchy that are still missing. */
static void collect_hierarchy(struct cgroup *cgroup, enum cgroup_hierarchy hierarchy,
			      const struct ctprof_target *target)
{
	AUTO_FD dir = NOT_OPENED;
	uint32_t why = CTPROF_ABSENT_UNSUPPORTED;

	for (const struct cgroup_file *file = cgroup_files; file->name; file++) {
		if (file->hierarchy != hierarchy ||
		    !cgroup_row_needs(&cgroup->row, file->first, file->n))
			continue;
		if (dir == NOT_OPENED) {
			dir = open_own(cgroup, hierarchy, target);
			if (dir < 0)
				why = missing_directory(cgroup, hierarchy, target, -dir);
		}
		if (dir < 0)
			cgroup_row_put_absent(&cgroup->row, file->first, file->n, why);
		else if (file->not_of_top && is_top(cgroup, hierarchy, dir, target))
			cgroup_row_put_absent(&cgroup->row, file->first, file->n,
					      CTPROF_ABSENT_INAPPLICABLE);
		else
			collect_file(cgroup, dir, file);
	}
}

/* Whether the path has the mark that proc_cgroup_show() adds when a cgroup is removed that still
 * has threads. */
static bool is_deleted(const struct ctprof_target *target)
{
	static const char mark[] = " (deleted)";
	size_t len = sizeof mark - 1;

	return target->path_len >= len &&
	       memcmp(target->path + target->path_len - len, mark, len) == 0;
}

/* Returns the cgroup at the top of a hierarchy's visible part. */
static struct ctprof_target top_of(const struct cgroup *cgroup, enum cgroup_hierarchy hierarchy)
{
	const char *root = cgroup->mounts.at[hierarchy].root;

	return (struct ctprof_target){.path = root, .path_len = root ? (uint32_t)strlen(root) : 0};
}

/* Puts the CPU time of the host.  The root of cpuacct has the time of all threads, live or ended,
 * measured by the clock by which each thread is charged.  The root of v2 only has the ticks of
 * proc/stat. */
static void put_host_cpu(struct cgroup *cgroup, struct ctprof_batch *batch)
{
	const struct ctprof_target top = top_of(cgroup, CGROUP_V1_CPUACCT);
	AUTO_FD dir = open_directory(cgroup, CGROUP_V1_CPUACCT, &top);
	uint32_t why = CTPROF_ABSENT_UNSUPPORTED;
	uint64_t ns = 0;

	/* In a cgroup namespace, the visible root may be only a part of the host. */
	if (dir >= 0 && is_top(cgroup, CGROUP_V1_CPUACCT, dir, &top)) {
		ssize_t got =
			file_read_at(cgroup->host, dir, "cpuacct.usage", cgroup->text, FILE_BYTES);
		why = got < 0                                               ? absence_of((int)-got)
		      : cgroup_parse_number(cgroup->text, (size_t)got, &ns) ? CTPROF_PRESENT
									    : CTPROF_ABSENT_INVALID;
	}
	if (why == CTPROF_PRESENT)
		cgroup->host->put_u64(batch, 0, cgroup->host_cpu, ns);
	else
		cgroup->host->put_absent(batch, 0, cgroup->host_cpu, why);
}

static int cgroup_collect(void *self, void *context, struct ctprof_batch *batch)
{
	struct cgroup *cgroup = self;

	(void)context;
	if (batch->scope == CTPROF_SCOPE_HOST &&
	    cgroup->host->wanted(cgroup->host, cgroup->host_cpu))
		put_host_cpu(cgroup, batch);
	for (uint64_t i = 0; batch->scope == CTPROF_SCOPE_CGROUP && i < batch->n; i++) {
		const struct ctprof_target *target = ctprof_batch_target(batch, i);

		cgroup_row_begin(&cgroup->row, batch, i);
		if (is_deleted(target))
			cgroup_row_put_absent(&cgroup->row, 0, CGROUP_N_METRICS,
					      CTPROF_ABSENT_VANISHED);
		else
			for (uint32_t h = 0; h < CGROUP_N_HIERARCHIES; h++)
				collect_hierarchy(cgroup, h, target);
		cgroup_row_end(&cgroup->row);
	}
	return 0;
}

/* ---- probing ----------------------------------------------------------- */

/* Reads a file of the unified hierarchy's visible root; returns its length or -errno. */
static ssize_t read_root(struct cgroup *cgroup, const char *name)
{
	const struct ctprof_target root = top_of(cgroup, CGROUP_UNIFIED);
	AUTO_FD dir = open_directory(cgroup, CGROUP_UNIFIED, &root);

	return dir < 0 ? dir : file_read_at(cgroup->host, dir, name, cgroup->text, FILE_BYTES);
}

/* Returns the first missing controller, or NULL. */
static const struct controller {
	const char *name, *why, *remedy;
} * find_lack(struct cgroup *cgroup)
{
	static const struct controller controllers[] = {
		{"memory", "there is no memory controller: memory.* is absent",
		 "boot without cgroup_disable=memory, or use a kernel built with CONFIG_MEMCG"},
		{"cpu", "there is no cpu controller: cpu.max_*, cpu.weight* are absent",
		 "use a kernel built with CONFIG_CGROUP_SCHED"},
		{"pids", "there is no pids controller: pids.* is absent",
		 "use a kernel built with CONFIG_CGROUP_PIDS"},
		{"io", "there is no io controller: io.stat is absent",
		 "use a kernel built with CONFIG_BLK_CGROUP"},
	};
	ssize_t got = read_root(cgroup, "cgroup.controllers");

	for (size_t i = 0; i < sizeof controllers / sizeof controllers[0]; i++) {
		struct text rest = {cgroup->text, got > 0 ? (size_t)got : 0};
		struct text name = {NULL, 0};

		while (text_take_token(&rest, &name) && !text_equal(name, controllers[i].name))
			;
		if (!name.p || !text_equal(name, controllers[i].name))
			return &controllers[i];
	}
	return NULL;
}

/* Judges pressure by reading a file: without PSI the files may exist but cannot be read. */
static void judge_pressure(struct cgroup *cgroup, struct ctprof_finding *ret)
{
	struct slots_value values[PSI_VALUES];
	ssize_t got = read_root(cgroup, "cpu.pressure");

	if (got < 0) {
		finding_set(ret, CTPROF_PARTLY, "cgroups have no pressure", PSI_OFF_REMEDY);
		return;
	}
	psi_parse_pressure(cgroup->text, (size_t)got, values);
	if (values[PSI_VALUES - 1].why == CTPROF_ABSENT_UNSUPPORTED)
		finding_set(ret, CTPROF_PARTLY, PSI_NO_CPU_FULL, PSI_NO_CPU_FULL_REMEDY);
}

static void judge(struct cgroup *cgroup, struct ctprof_finding *ret)
{
	const struct cgroup_mount *unified = &cgroup->mounts.at[CGROUP_UNIFIED];
	const struct controller *lack;

	if (!unified->prefix || cgroup_mounts_has(&cgroup->mounts, CGROUP_UNIFIED + 1))
		finding_set(ret, CTPROF_PARTLY,
			    "controllers are mounted as cgroup v1, which has no memory.high, "
			    "memory.stat, io.stat",
			    "boot with systemd.unified_cgroup_hierarchy=1");
	else if ((lack = find_lack(cgroup)))
		finding_set(ret, CTPROF_PARTLY, lack->why, lack->remedy);
	else
		judge_pressure(cgroup, ret);
}

static int cgroup_probe(void *self)
{
	struct cgroup *cgroup = self;
	struct ctprof_finding finding = FINDING_WORKS(GROUP);

	if (cgroup_mounts_find(cgroup->host, &cgroup->mounts) < 0)
		finding_set(&finding, CTPROF_FAILS, NOT_MOUNTED,
			    "mount -t cgroup2 none DIRECTORY (needs CONFIG_CGROUPS)");
	else
		judge(cgroup, &finding);
	cgroup->host->finding(cgroup->host, &finding);
	return 0;
}

/* ---- descriptor -------------------------------------------------------- */

#define NEED_FILE(name, why) NEED_PARTLY(FILE, "cgroup/<path>/" name, why)
#define NEED_V1(name, why) NEED_PARTLY(FILE, "cgroup/" name, why " of cgroup v1")

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(KCONFIG, "CONFIG_CGROUPS", "cgroups"),
	NEED_PARTLY(KCONFIG, "CONFIG_FAIR_GROUP_SCHED", "cpu.weight, cpu.weight_nice"),
	NEED_PARTLY(KCONFIG, "CONFIG_CFS_BANDWIDTH", "cpu.max_*, cpu.nr_periods, cpu.nr_throttled"),
	NEED_PARTLY(KCONFIG, "CONFIG_MEMCG", "memory.*"),
	NEED_PARTLY(KCONFIG, "CONFIG_SWAP", "memory.swap_*"),
	NEED_PARTLY(KCONFIG, "CONFIG_ZSWAP", "memory.zswap_*"),
	NEED_PARTLY(KCONFIG, "CONFIG_CGROUP_PIDS", "pids.*"),
	NEED_PARTLY(KCONFIG, "CONFIG_BLK_CGROUP", "io.stat"),
	NEED_PARTLY(KCONFIG, "CONFIG_PSI", "psi.*"),
	NEED_PARTLY(KCONFIG, "CONFIG_IRQ_TIME_ACCOUNTING", "psi.irq.full"),
	NEED_PARTLY(FILE, "proc/self/mountinfo", "where the hierarchies are mounted"),
	NEED_PARTLY(FILE, "proc/self/root", "the hierarchies, wherever they are mounted"),
	NEED_PARTLY(FILE, "cgroup/cgroup.controllers", "recorded trees: a unified hierarchy"),
	NEED_PARTLY(FILE, "cgroup/unified/cgroup.controllers", "recorded trees: a hybrid one"),
	NEED_FILE("cpu.stat",
		  "cpu.usage_usec, cpu.nr_periods, cpu.nr_throttled, cpu.throttled_usec"),
	NEED_FILE("cpu.max", "cpu.max_quota_us, cpu.max_period_us"),
	NEED_FILE("cpu.weight", "cpu.weight"),
	NEED_FILE("cpu.weight.nice", "cpu.weight_nice"),
	NEED_FILE("memory.current", "memory.current"),
	NEED_FILE("memory.max", "memory.max"),
	NEED_FILE("memory.high", "memory.high"),
	NEED_FILE("memory.low", "memory.low"),
	NEED_FILE("memory.min", "memory.min"),
	NEED_FILE("memory.stat", "memory.stat"),
	NEED_FILE("memory.events", "memory.events"),
	NEED_FILE("memory.peak", "memory.peak"),
	NEED_FILE("memory.swap.current", "memory.swap_current"),
	NEED_FILE("memory.swap.max", "memory.swap_max"),
	NEED_FILE("memory.swap.events", "memory.swap_events"),
	NEED_FILE("memory.zswap.current", "memory.zswap_current"),
	NEED_FILE("memory.zswap.max", "memory.zswap_max"),
	NEED_FILE("pids.current", "pids.current"),
	NEED_FILE("pids.max", "pids.max"),
	NEED_FILE("pids.peak", "pids.peak"),
	NEED_FILE("cgroup.events", "which directory is the root, in a cgroup namespace"),
	NEED_FILE("cpu.pressure", "psi.cpu"),
	NEED_FILE("memory.pressure", "psi.memory"),
	NEED_FILE("io.pressure", "psi.io"),
	NEED_FILE("irq.pressure", "psi.irq"),
	NEED_FILE("io.stat", "io.stat"),
	NEED_FILE("cgroup.stat", "cgroup_stat"),
	NEED_V1("cpuacct/<path>/cpuacct.usage", "cpu.usage_usec, cpu.host_usage_ns"),
	NEED_V1("cpu/<path>/cpu.stat", "cpu.nr_periods, cpu.nr_throttled, cpu.throttled_usec"),
	NEED_V1("cpu/<path>/cpu.cfs_quota_us", "cpu.max_quota_us"),
	NEED_V1("cpu/<path>/cpu.cfs_period_us", "cpu.max_period_us"),
	NEED_V1("cpu/<path>/cpu.shares", "cpu.weight"),
	NEED_V1("memory/<path>/memory.usage_in_bytes", "memory.current"),
	NEED_V1("memory/<path>/memory.limit_in_bytes", "memory.max"),
	NEED_V1("memory/<path>/memory.failcnt", "memory.failcnt"),
	NEED_V1("memory/<path>/memory.oom_control", "memory.events: oom_kill"),
	NEED_V1("memory/<path>/memory.max_usage_in_bytes", "memory.peak"),
	NEED_V1("<controller>/<path>/release_agent", "which directory is the root"),
	NEED_V1("pids/<path>/pids.current", "pids.current"),
	NEED_V1("pids/<path>/pids.max", "pids.max"),
};

SOURCE_PLUGIN("cgroup", SERIAL, CHEAP,
	      "CPU, memory, pids, I/O and pressure of the threads' cgroups",
	      SOURCE_OPS(.open = cgroup_open, .close = cgroup_close, .probe = cgroup_probe,
			 .start = cgroup_start, .collect = cgroup_collect, .again = cgroup_again))

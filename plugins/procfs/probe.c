/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>

#include "capability.h"
#include "descriptor.h"
#include "file.h"
#include "smaps-probe.h"
#include "thread-file.h"

#define SAMPLE_SIZE (16u * 1024)

/* The process whose files are tried. */
struct sample {
	const struct ctprof_host *host;
	int pid; /* 0: none found */
	/* The text of the file that was read last; empty if that failed. */
	size_t len;
	char text[SAMPLE_SIZE];
};

/* Returns 0 if the file of the sample process can be read, otherwise a positive errno; some files
 * can be opened but not read. */
static int try_read(struct sample *sample, const char *file)
{
	ssize_t got = thread_file_read_root(sample->host, sample->pid, sample->pid, file,
					    sample->text, sizeof sample->text);

	sample->len = got > 0 ? (size_t)got : 0;
	return got < 0 ? (int)-got : 0;
}

static bool has_rights(const struct ctprof_host *host)
{
	return capability_is_held(host, CAP_SYS_PTRACE) &&
	       capability_is_held(host, CAP_DAC_READ_SEARCH);
}

/* Tries process 1, which always exists: if it is not visible, neither are other users'
 * processes. */
static int try_first(struct sample *sample)
{
	if (!file_shows_own_pids(sample->host))
		return 0;
	return -(int)file_read_root(sample->host, CTPROF_ROOT_PROC, "1/stat", sample->text,
				    sizeof sample->text);
}

static void judge_identity(struct sample *sample, struct ctprof_finding *ret)
{
	int first = try_first(sample);

	if (first == ENOENT)
		finding_set(ret, CTPROF_PARTLY,
			    "processes of other users are hidden: /proc is mounted with hidepid",
			    "CAP_SYS_PTRACE, or `mount -o remount,hidepid=0 /proc`");
	else if (first == EPERM || first == EACCES)
		finding_set(ret, CTPROF_PARTLY,
			    "processes of other users are refused: /proc is mounted with hidepid",
			    "CAP_SYS_PTRACE, or `mount -o remount,hidepid=0 /proc`");
	else if (try_read(sample, "stat") != 0)
		finding_set(ret, CTPROF_FAILS, "stat of a process cannot be read", NULL);
	else if (try_read(sample, "comm") != 0 || try_read(sample, "cgroup") != 0)
		finding_set(ret, CTPROF_PARTLY, "comm or cgroup cannot be read",
			    "CONFIG_CGROUPS=y");
}

static bool has_word(const struct sample *sample, const char *word)
{
	return memmem(sample->text, sample->len, word, strlen(word));
}

/* Judges by the file itself, which shows whether statistics are kept, even before 4.6, which has no
 * sysctl, and if the sysctl is hidden. */
static void judge_sched(struct sample *sample, struct ctprof_finding *ret)
{
	if (try_read(sample, "sched") == ENOENT)
		finding_set(
			ret, CTPROF_PARTLY,
			"no wakeups, waits, sleeps and migrations: the kernel is built without them",
			"CONFIG_SCHED_DEBUG=y");
	else if (!file_is_on(sample->host, "sys/kernel/sched_schedstats", true))
		finding_set(ret, CTPROF_PARTLY,
			    "no wakeup, wait and sleep statistics: kernel.sched_schedstats is 0",
			    "sysctl kernel.sched_schedstats=1");
	else if (!has_word(sample, "nr_wakeups"))
		finding_set(
			ret, CTPROF_PARTLY,
			"no wakeup, wait and sleep statistics: the kernel is built without them",
			"CONFIG_SCHEDSTATS=y");
	else if (!has_word(sample, "sum_block_runtime"))
		finding_set(
			ret, CTPROF_PARTLY,
			"no block_sum and voluntary_sleep_ns: the kernel does not count time blocked",
			"Linux 5.16 or later");
	else if (try_read(sample, "schedstat") == ENOENT)
		finding_set(ret, CTPROF_PARTLY,
			    "no run time and run-queue wait: the kernel is built without them",
			    "CONFIG_SCHED_INFO=y");
}

static void judge_pelt(struct sample *sample, struct ctprof_finding *ret)
{
	if (try_read(sample, "sched") == ENOENT)
		finding_set(ret, CTPROF_FAILS, "the kernel is built without it",
			    "CONFIG_SCHED_DEBUG=y");
	else if (!has_word(sample, "se.avg.util_avg"))
		finding_set(ret, CTPROF_FAILS, "the kernel keeps no averages", "CONFIG_SMP=y");
}

static void judge_sched_more(struct sample *sample, struct ctprof_finding *ret)
{
	if (try_read(sample, "sched") == ENOENT)
		finding_set(ret, CTPROF_FAILS, "the kernel is built without it",
			    "CONFIG_SCHED_DEBUG=y");
	else if (!has_word(sample, "uclamp.min"))
		finding_set(ret, CTPROF_PARTLY, "no uclamp_*: the kernel is built without them",
			    "CONFIG_UCLAMP_TASK=y");
	else if (!has_word(sample, "total_numa_faults"))
		finding_set(ret, CTPROF_PARTLY, "no numa_*: the kernel is built without them",
			    "CONFIG_NUMA_BALANCING=y");
}

static void judge_io(struct sample *sample, struct ctprof_finding *ret)
{
	int err = try_read(sample, "io");
	bool denied = err == EACCES || err == EPERM;

	if (denied && has_rights(sample->host))
		finding_set(ret, CTPROF_PARTLY, SMAPS_PROBE_REFUSED, NULL);
	else if (denied)
		finding_set(ret, CTPROF_PARTLY, "threads of other users are refused",
			    "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH");
	else if (err == ENOENT)
		finding_set(ret, CTPROF_FAILS, "the kernel is built without it",
			    "CONFIG_TASK_IO_ACCOUNTING=y");
}

/* The times and faults of a process come from a file that every kernel has. */
static void judge_process(struct sample *sample, struct ctprof_finding *ret)
{
	judge_io(sample, ret);
	if (ret->state == CTPROF_FAILS)
		finding_set(ret, CTPROF_PARTLY, "no I/O: the kernel is built without it",
			    ret->remedy);
}

void probe_groups(const struct ctprof_host *host)
{
	static const struct {
		const char *name;
		void (*judge)(struct sample *sample, struct ctprof_finding *ret);
	} groups[] = {
		{"identity", judge_identity},
		{"sched", judge_sched},
		{"io", judge_io},
		{"process", judge_process},
		{"pelt", judge_pelt},
		{"sched-more", judge_sched_more},
	};
	struct sample sample = {
		.host = host,
		.pid = smaps_probe_pid(host),
	};

	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		struct ctprof_finding finding = FINDING_WORKS(groups[i].name);

		if (sample.pid == 0)
			finding_set(&finding, CTPROF_FAILS, SMAPS_PROBE_NO_PROCESS, NULL);
		else
			groups[i].judge(&sample, &finding);
		host->finding(host, &finding);
	}
	smaps_probe(host, "smaps");
}

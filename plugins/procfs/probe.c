/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "capability.h"
#include "file.h"
#include "smaps-probe.h"
#include "text.h"

#define SAMPLE_SIZE (16u * 1024)

/* A process to try the files on. */
struct sample {
	const struct ctprof_host *host;
	int proc_fd;
	int pid; /* 0: none found */
	char text[SAMPLE_SIZE];
};

/* 0 when the file of the sample process can be read, else a positive errno; some
 * files refuse only then. */
static int try_read(struct sample *sample, const char *file)
{
	char path[64];

	(void)snprintf(path, sizeof path, "%d/task/%d/%s", sample->pid, sample->pid, file);
	ssize_t got = file_read_at(sample->host, sample->proc_fd, path, sample->text,
				   sizeof sample->text);
	return got < 0 ? (int)-got : 0;
}

static void say(const struct sample *sample, const char *group, uint32_t state, const char *why,
		const char *remedy)
{
	const struct ctprof_finding finding = {
		.struct_size = sizeof finding,
		.state = state,
		.group = group,
		.why = why,
		.remedy = remedy,
	};

	sample->host->finding(sample->host, &finding);
}

static bool is_denied(int err)
{
	return err == EACCES || err == EPERM;
}

/* What no further right would mend. */
#define REFUSED_ALL_THE_SAME                                                                       \
	"some processes refuse even CAP_SYS_PTRACE: another user namespace, or a security module"

static bool has_rights(const struct ctprof_host *host)
{
	return capability_is_held(host, CAP_SYS_PTRACE) &&
	       capability_is_held(host, CAP_DAC_READ_SEARCH);
}

static void probe_identity(struct sample *sample)
{
	if (try_read(sample, "stat") != 0)
		say(sample, "identity", CTPROF_FAILS, "stat of a process cannot be read", NULL);
	else if (try_read(sample, "comm") != 0 || try_read(sample, "cgroup") != 0)
		say(sample, "identity", CTPROF_PARTLY, "comm or cgroup cannot be read",
		    "CONFIG_CGROUPS=y");
	else
		say(sample, "identity", CTPROF_WORKS, NULL, NULL);
}

static void probe_sched(struct sample *sample)
{
	ssize_t got = file_read_at(sample->host, sample->proc_fd, "sys/kernel/sched_schedstats",
				   sample->text, sizeof sample->text);

	if (got < 0)
		say(sample, "sched", CTPROF_PARTLY,
		    "no wakeup, wait and sleep statistics: the kernel is built without them",
		    "CONFIG_SCHEDSTATS=y");
	else if (text_equal(text_trim((struct text){sample->text, (size_t)got}), "0"))
		say(sample, "sched", CTPROF_PARTLY,
		    "no wakeup, wait and sleep statistics: kernel.sched_schedstats is 0",
		    "sysctl kernel.sched_schedstats=1");
	else if (try_read(sample, "schedstat") == ENOENT)
		say(sample, "sched", CTPROF_PARTLY,
		    "no run time and run-queue wait: the kernel is built without them",
		    "CONFIG_SCHED_INFO=y");
	else
		say(sample, "sched", CTPROF_WORKS, NULL, NULL);
}

static void probe_io(struct sample *sample)
{
	int err = try_read(sample, "io");

	if (is_denied(err) && has_rights(sample->host))
		say(sample, "io", CTPROF_PARTLY, REFUSED_ALL_THE_SAME, NULL);
	else if (is_denied(err))
		say(sample, "io", CTPROF_PARTLY, "threads of other users are refused",
		    "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH");
	else if (err == ENOENT)
		say(sample, "io", CTPROF_FAILS, "the kernel is built without it",
		    "CONFIG_TASK_IO_ACCOUNTING=y");
	else
		say(sample, "io", CTPROF_WORKS, NULL, NULL);
}

void probe_groups(const struct ctprof_host *host)
{
	static const char *const groups[] = {"identity", "sched", "io", "smaps"};
	struct sample sample = {.host = host, .proc_fd = host->root(host, CTPROF_ROOT_PROC)};

	if (sample.proc_fd >= 0)
		sample.pid = smaps_probe_pid(host);
	if (sample.pid == 0) {
		for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
			say(&sample, groups[i], CTPROF_FAILS, "the proc root shows no process",
			    NULL);
		return;
	}
	probe_identity(&sample);
	probe_sched(&sample);
	probe_io(&sample);
	smaps_probe(host, "smaps");
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps-probe.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>

#include "capability.h"
#include "cleanup.h"
#include "descriptor.h"
#include "file.h"
#include "thread-file.h"

/* Returns the first directory of the proc root that is a number; 0: none. */
static int first_pid(const struct ctprof_host *host, int proc_fd)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	int32_t pid;

	(void)file_open_dir(host, proc_fd, ".", &dir);
	return dir && thread_file_next(dir, &pid) ? pid : 0;
}

/* Returns 0 if the file of the process can be opened, otherwise a positive errno.  Permissions are
 * checked at open, while reading would take a lock. */
static int try_open(const struct ctprof_host *host, int proc_fd, int pid, const char *file)
{
	char path[64];

	(void)snprintf(path, sizeof path, "%d/task/%d/%s", pid, pid, file);
	AUTO_FD fd = host->open_file(host, proc_fd, path);
	return fd < 0 ? -fd : 0;
}

int smaps_probe_pid(const struct ctprof_host *host)
{
	int proc_fd = host->root(host, CTPROF_ROOT_PROC);

	if (proc_fd < 0)
		return 0;
	return try_open(host, proc_fd, 1, "stat") == 0 ? 1 : first_pid(host, proc_fd);
}

/* Sets the finding for the error of opening the file. */
static void judge(const struct ctprof_host *host, int err, struct ctprof_finding *ret)
{
	bool denied = err == EACCES || err == EPERM;

	if (denied && capability_is_held(host, CAP_SYS_PTRACE))
		finding_set(ret, CTPROF_PARTLY, SMAPS_PROBE_REFUSED, NULL);
	else if (denied)
		finding_set(ret, CTPROF_PARTLY, "processes of other users are refused",
			    "CAP_SYS_PTRACE, or CAP_PERFMON since Linux 6.15");
	else if (err == ENOENT)
		finding_set(ret, CTPROF_FAILS, "the kernel is built without it",
			    "CONFIG_PROC_PAGE_MONITOR=y");
}

void smaps_probe(const struct ctprof_host *host, const char *group)
{
	struct ctprof_finding finding = FINDING_WORKS(group);
	int pid = smaps_probe_pid(host);
	int proc_fd = host->root(host, CTPROF_ROOT_PROC);

	if (pid == 0) {
		finding_set(&finding, CTPROF_FAILS, SMAPS_PROBE_NO_PROCESS, NULL);
	} else {
		int err = try_open(host, proc_fd, pid, "smaps_rollup");

		if (err == ENOENT)
			err = try_open(host, proc_fd, pid, "smaps");
		judge(host, err, &finding);
	}
	host->finding(host, &finding);
}

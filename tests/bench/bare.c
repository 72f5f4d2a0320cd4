/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lower bound for ctprof's procfs source: walks the host's threads, and opens, reads once and
 * closes the same files of each, in the same way, but without looking at the contents.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES 16384
#define PATH_BYTES 64
#define CPUS 8192

static const char *const thread_files[] = {
	"stat", "comm", "cgroup", "schedstat", "status", "sched", "io",
};

static char buffer[BUFFER_BYTES];
static unsigned long threads, bytes;

static void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static bool read_once(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return false;
	ssize_t got = read(fd, buffer, sizeof buffer);
	close(fd);
	if (got > 0)
		bytes += (unsigned long)got;
	return got >= 0;
}

static void read_thread(int task_fd, const char *tid, bool leader)
{
	char path[PATH_BYTES];
	unsigned long cpus[CPUS / (8 * sizeof(unsigned long))];

	for (size_t i = 0; i < sizeof thread_files / sizeof *thread_files; i++) {
		if (snprintf(path, sizeof path, "%s/%s", tid, thread_files[i]) >= (int)sizeof path)
			return;
		/* Without stat, the thread is gone. */
		if (!read_once(task_fd, path) && i == 0)
			return;
	}
	(void)sched_getaffinity((pid_t)strtol(tid, NULL, 10), sizeof cpus, (void *)cpus);
	threads++;
	if (!leader || snprintf(path, sizeof path, "%s/smaps_rollup", tid) >= (int)sizeof path)
		return;
	(void)read_once(task_fd, path);
}

static DIR *open_below(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 ? fdopendir(fd) : NULL;
}

static void read_process(int proc, const char *tgid)
{
	char path[PATH_BYTES];
	struct dirent *entry;

	if (snprintf(path, sizeof path, "%s/task", tgid) >= (int)sizeof path)
		return;
	__attribute__((cleanup(close_dir))) DIR *task = open_below(proc, path);
	while (task && (entry = readdir(task)))
		if (entry->d_name[0] != '.')
			read_thread(dirfd(task), entry->d_name, strcmp(entry->d_name, tgid) == 0);
}

int main(void)
{
	__attribute__((cleanup(close_dir))) DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		err(1, "proc");
	while ((entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			read_process(dirfd(proc), entry->d_name);
	printf("%lu threads, %lu bytes\n", threads, bytes);
	return 0;
}

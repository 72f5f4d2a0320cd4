/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thread-file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "text.h"

void thread_file_path(char ret[THREAD_FILE_PATH_MAX], int32_t tid, const char *name)
{
	char digits[12];
	size_t n = 0, at = 0;

	/* Seven times a thread: printf would take longer than some parsers. */
	for (uint32_t left = tid > 0 ? (uint32_t)tid : 0; n == 0 || left > 0; left /= 10)
		digits[n++] = (char)('0' + left % 10);
	while (n > 0)
		ret[at++] = digits[--n];
	ret[at++] = '/';
	size_t len = strnlen(name, THREAD_FILE_PATH_MAX - 1 - at);
	memcpy(ret + at, name, len);
	ret[at + len] = '\0';
}

bool thread_file_gone(const struct ctprof_host *host, int task_fd, int32_t tid)
{
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, tid, "stat");
	int fd = host->open_file(host, task_fd, path);
	if (fd >= 0)
		(void)close(fd);
	return fd == -ENOENT || fd == -ESRCH;
}

unsigned thread_file_siblings(const struct ctprof_host *host, int task_fd, int32_t tid,
			      int32_t *ret_tids, unsigned max)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	struct dirent *entry;
	unsigned n = 0;

	(void)file_open_dir(host, task_fd, ".", &dir);
	while (dir && n < max && (entry = readdir(dir))) {
		int64_t found;

		if (text_i64(text_of(entry->d_name), &found) && found > 0 && found <= INT32_MAX &&
		    found != tid)
			ret_tids[n++] = (int32_t)found;
	}
	return n;
}

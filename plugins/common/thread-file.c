/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "thread-file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"

/* PF_KTHREAD and PF_EXITING of include/linux/sched.h. */
#define FLAG_KTHREAD 0x00200000u
#define FLAG_EXITING 0x4u
#define STAT_BYTES 1024u
/* Columns after the name, from 0. */
#define STAT_STATE 0u
#define STAT_FLAGS 6u
#define STAT_START 19u

void thread_file_path(char ret[THREAD_FILE_PATH_MAX], int32_t tid, const char *name)
{
	char digits[12];
	size_t n = 0, at = 0;

	/* Called seven times per thread: printf would take longer than some parsers do. */
	for (uint32_t left = tid > 0 ? (uint32_t)tid : 0; n == 0 || left > 0; left /= 10)
		digits[n++] = (char)('0' + left % 10);
	while (n > 0)
		ret[at++] = digits[--n];
	ret[at++] = '/';
	size_t len = strnlen(name, THREAD_FILE_PATH_MAX - 1 - at);
	memcpy(ret + at, name, len);
	ret[at + len] = '\0';
}

ssize_t thread_file_read(const struct ctprof_host *host, int task_fd, int32_t tid, const char *name,
			 char *buf, size_t size)
{
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, tid, name);
	return file_read_at(host, task_fd, path, buf, size);
}

ssize_t thread_file_read_root(const struct ctprof_host *host, int32_t tgid, int32_t tid,
			      const char *name, char *buf, size_t size)
{
	char path[2 * THREAD_FILE_PATH_MAX], file[THREAD_FILE_PATH_MAX];

	thread_file_path(path, tgid, "task/");
	thread_file_path(file, tid, name);
	strncat(path, file, sizeof path - strlen(path) - 1);
	return file_read_root(host, CTPROF_ROOT_PROC, path, buf, size);
}

bool thread_file_next(DIR *dir, int32_t *ret)
{
	const struct dirent *entry;
	uint64_t number;

	while ((entry = readdir(dir)))
		if (text_u64(text_of(entry->d_name), &number) && number > 0 &&
		    number <= INT32_MAX) {
			*ret = (int32_t)number;
			return true;
		}
	return false;
}

int thread_file_each_process(const struct ctprof_host *host,
			     void (*visit)(void *data, int32_t tgid, DIR *task), void *data)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	int proc = host->root(host, CTPROF_ROOT_PROC);
	int r = file_open_dir(host, proc, ".", &dir);
	int32_t tgid;

	while (r == 0 && thread_file_next(dir, &tgid)) {
		__attribute__((cleanup(file_close_dir))) DIR *task = NULL;
		char path[THREAD_FILE_PATH_MAX];

		thread_file_path(path, tgid, "task");
		if (file_open_dir(host, proc, path, &task) == 0)
			visit(data, tgid, task);
	}
	return r;
}

bool thread_file_gone(const struct ctprof_host *host, int task_fd, int32_t tid)
{
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, tid, "stat");
	AUTO_FD fd = host->open_file(host, task_fd, path);
	return fd == -ENOENT || fd == -ESRCH;
}

unsigned thread_file_siblings(const struct ctprof_host *host, int task_fd, int32_t tid,
			      int32_t *ret_tids, unsigned max)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	unsigned n = 0;

	(void)file_open_dir(host, task_fd, ".", &dir);
	while (dir && n < max && thread_file_next(dir, &ret_tids[n]))
		n += ret_tids[n] != tid;
	return n;
}

/* ---- stat -------------------------------------------------------------- */

/* Takes the name between the first '(' and the last ')', since it may contain both. */
static bool take_name(struct text *rest, struct stat_line *ret)
{
	const char *begin = rest->len > 0 ? memchr(rest->p, '(', rest->len) : NULL;
	const char *end = rest->len > 0 ? memrchr(rest->p, ')', rest->len) : NULL;

	if (!begin || !end || end < begin)
		return false;
	size_t len = (size_t)(end - begin - 1);
	ret->name_len = (uint8_t)(len < sizeof ret->name ? len : sizeof ret->name);
	memcpy(ret->name, begin + 1, ret->name_len);
	rest->len -= (size_t)(end + 1 - rest->p);
	rest->p = end + 1;
	return true;
}

bool stat_line_parse(struct text text, struct stat_line *ret)
{
	struct stat_line found = {0};
	struct text token;
	uint64_t flags = 0;

	if (!take_name(&text, &found))
		return false;
	for (unsigned column = 0; text_take_token(&text, &token); column++) {
		if (column == STAT_STATE)
			found.state = token.p[0];
		if (column == STAT_FLAGS && !text_u64(token, &flags))
			return false;
		if (column != STAT_START)
			continue;
		if (!text_u64(token, &found.start_ticks))
			return false;
		found.kernel_thread = (flags & FLAG_KTHREAD) != 0;
		found.exiting = (flags & FLAG_EXITING) != 0;
		*ret = found;
		return true;
	}
	return false;
}

int stat_line_read(const struct ctprof_host *host, int task_fd, int32_t tid, struct stat_line *ret)
{
	char buf[STAT_BYTES];
	ssize_t got = thread_file_read(host, task_fd, tid, "stat", buf, sizeof buf);

	if (got < 0)
		return (int)got;
	return stat_line_parse((struct text){buf, (size_t)got}, ret) ? 0 : -EBADMSG;
}

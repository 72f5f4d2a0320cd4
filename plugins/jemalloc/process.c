/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "file.h"
#include "foreign.h"
#include "parser.h"
#include "text.h"
#include "thread-file.h"

#define STATUS_BYTES 8192
#define STAT_BYTES 1024

static struct foreign files_of(const struct process *process)
{
	return (struct foreign){process->host, process->parser->mounts, process->task_fd,
				process->via};
}

int process_open_exe(const struct process *process)
{
	const struct foreign files = files_of(process);
	char path[32];

	snprintf(path, sizeof path, "%" PRId32 "/exe", process->via);
	return foreign_open(&files, path);
}

int process_open_path(const struct process *process, const char *path)
{
	const struct foreign files = files_of(process);

	return foreign_open_below(&files, path);
}

int process_open_own_path(const struct process *process, const char *path)
{
	const struct foreign files = files_of(process);

	return foreign_open_own(&files, path);
}

/* The name may lead to another file than the mapped one: because of the mount namespace or the root
 * of the process, or because it was replaced since. */
static int open_by_name(const struct process *process, const struct maps_file *file)
{
	AUTO_FD fd = process_open_path(process, file->path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return fd < 0 ? fd : -errno;
	if (st.st_ino != file->ino)
		return -ESTALE;
	int found = fd;

	fd = -1;
	return found;
}

int process_open_mapped(const struct process *process, const struct maps_file *file)
{
	const struct foreign files = files_of(process);
	char path[80];

	/* The directory of an ended leader is empty, but every thread has one. */
	snprintf(path, sizeof path, "../../%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64,
		 process->via, file->start, file->end);
	int fd = foreign_open(&files, path);
	/* map_files needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN. */
	return fd >= 0 || file->deleted ? fd : open_by_name(process, file);
}

int process_check_alive(const struct process *process)
{
	char comm[64], path[32];

	snprintf(path, sizeof path, "%" PRId32 "/comm", process->via);
	return file_read_at(process->host, process->task_fd, path, comm, sizeof comm) < 0 ? -ESRCH
											  : 0;
}

bool process_thread_lives(const struct process *process, int32_t tid)
{
	char buf[STAT_BYTES], path[THREAD_FILE_PATH_MAX];
	struct stat_line stat;

	thread_file_path(path, tid, "stat");
	ssize_t len = file_read_at(process->host, process->task_fd, path, buf, sizeof buf);
	if (len < 0)
		return len == -EACCES || len == -EPERM; /* a refused file exists */
	return stat_line_parse((struct text){buf, (size_t)len}, &stat) && !stat.exiting;
}

/* Reads the line of a thread's status with that key; ret_value points into buf. */
static int read_status(const struct process *process, int32_t tid, const char *wanted,
		       char buf[STATUS_BYTES], struct text *ret_value)
{
	char path[32];

	snprintf(path, sizeof path, "%" PRId32 "/status", tid);
	ssize_t len = file_read_at(process->host, process->task_fd, path, buf, STATUS_BYTES);
	if (len < 0)
		return (int)len;
	return text_find((struct text){buf, (size_t)len}, wanted, ret_value) ? 0 : -ENODATA;
}

bool process_has_memory(const struct process *process)
{
	char buf[STATUS_BYTES];
	struct text value;

	return read_status(process, process->via, "VmSize", buf, &value) != -ENODATA;
}

uint64_t process_count_threads(const struct process *process)
{
	char buf[STATUS_BYTES];
	struct text value, token;
	uint64_t n;

	return read_status(process, process->via, "Threads", buf, &value) == 0 &&
			       text_take_token(&value, &token) && text_u64(token, &n)
		       ? n
		       : 1;
}

/* Reads the NSpid line of a thread: returns the number of IDs, and the
 * innermost one. -ENODATA: a kernel without CONFIG_PID_NS. */
static int read_ns_pids(const struct process *process, int32_t tid, int32_t *ret_last)
{
	char buf[STATUS_BYTES];
	struct text value, token;
	uint64_t number = 0;
	int rc = read_status(process, tid, "NSpid", buf, &value);
	int n = 0;

	if (rc < 0)
		return rc;
	for (; text_take_token(&value, &token); n++)
		if (!text_u64(token, &number) || number > INT32_MAX)
			return -EINVAL;
	*ret_last = (int32_t)number;
	return n;
}

int process_is_nested(const struct process *process)
{
	int32_t last;
	int n = read_ns_pids(process, process->via, &last);

	return n < 0 ? n : n > 1;
}

int32_t process_inner_tid(const struct process *process, int32_t tid)
{
	int32_t last = 0;
	int n = read_ns_pids(process, tid, &last);

	return n < 0 ? n : n == 0 ? -EINVAL : last;
}

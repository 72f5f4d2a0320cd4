/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "text.h"
#include "thread-file.h"

#define STATUS_BYTES 8192

int process_open_exe(const struct process *process)
{
	char path[32];

	snprintf(path, sizeof path, "%" PRId32 "/exe", process->files.via);
	return foreign_open(&process->files, path);
}

/* Opens the file by its name.  The name may lead to another file than the mapped one: because of
 * the process's mount namespace or root, or because the file was replaced since. */
static int open_by_name(const struct process *process, const struct maps_file *file)
{
	AUTO_FD fd = foreign_open_below(&process->files, file->path);
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
	char path[80];

	/* The directory of an ended leader is empty, but every thread has one. */
	snprintf(path, sizeof path, "../../%" PRId32 "/map_files/%" PRIx64 "-%" PRIx64,
		 process->files.via, file->start, file->end);
	int fd = foreign_open(&process->files, path);
	/* map_files needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN. */
	return fd >= 0 || file->deleted ? fd : open_by_name(process, file);
}

int process_check_alive(const struct process *process)
{
	const struct foreign *files = &process->files;
	char comm[64];
	ssize_t len = thread_file_read(files->host, files->task_fd, files->via, "comm", comm,
				       sizeof comm);

	return len < 0 ? -ESRCH : 0;
}

bool process_thread_lives(const struct process *process, int32_t tid)
{
	struct stat_line stat;
	int rc = stat_line_read(process->files.host, process->files.task_fd, tid, &stat);

	if (rc < 0)
		return rc == -EACCES || rc == -EPERM; /* a refused file exists */
	return !stat.exiting;
}

/* Reads the line of a thread's status with that key; ret_value points into buf. */
static int read_status(const struct process *process, int32_t tid, const char *wanted,
		       char buf[STATUS_BYTES], struct text *ret_value)
{
	ssize_t len = thread_file_read(process->files.host, process->files.task_fd, tid, "status",
				       buf, STATUS_BYTES);

	if (len < 0)
		return (int)len;
	return text_find((struct text){buf, (size_t)len}, wanted, ret_value) ? 0 : -ENODATA;
}

bool process_has_memory(const struct process *process)
{
	const struct foreign *files = &process->files;
	struct stat_line stat;

	return stat_line_read(files->host, files->task_fd, files->via, &stat) < 0 ||
	       !(stat.kernel_thread || stat.exiting);
}

uint64_t process_count_threads(const struct process *process)
{
	char buf[STATUS_BYTES];
	struct text value, token;
	uint64_t n;

	return read_status(process, process->files.via, "Threads", buf, &value) == 0 &&
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
	int n = read_ns_pids(process, process->files.via, &last);

	return n < 0 ? n : n > 1;
}

int32_t process_inner_tid(const struct process *process, int32_t tid)
{
	int32_t last = 0;
	int n = read_ns_pids(process, tid, &last);

	return n < 0 ? n : n == 0 ? -EINVAL : last;
}

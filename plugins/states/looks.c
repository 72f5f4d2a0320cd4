/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "looks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "file.h"
#include "list.h"
#include "syscall-file.h"
#include "thread-file.h"

#define FILE_BYTES 1024u
#define PATH_BYTES 64u

void looks_clear(struct looks *looks)
{
	free(looks->at);
	*looks = (struct looks){.at = NULL};
}

struct thread_record *looks_add(struct looks *looks)
{
	if (list_reserve(&looks->at, &looks->room, looks->n + 1, LOOKS_MOST, sizeof *looks->at) < 0)
		return NULL;
	struct thread_record *record = &looks->at[looks->n++];
	memset(record, 0, sizeof *record);
	return record;
}

static int compare_tids(const void *a, const void *b)
{
	const struct thread_record *x = a, *y = b;

	return order_u64(x->tid, y->tid);
}

void looks_sort(const struct looks *looks)
{
	size_t i = 1;

	while (i < looks->n && looks->at[i - 1].tid < looks->at[i].tid)
		i++;
	if (i < looks->n)
		qsort(looks->at, looks->n, sizeof *looks->at, compare_tids);
}

/* ---- files ----------------------------------------------------------------- */

/* The link shows the kind of the descriptor without a request to its file system. */
static void read_descriptor(int task_fd, struct thread_record *record)
{
	char path[THREAD_FILE_PATH_MAX], file[PATH_BYTES], link[PATH_BYTES];

	/* The kernel takes the lower half of the register. */
	(void)snprintf(file, sizeof file, "fd/%" PRIu32, (uint32_t)record->args[0]);
	thread_file_path(path, (int32_t)record->tid, file);
	ssize_t len = readlinkat(task_fd, path, link, sizeof link);
	if (len > 0)
		syscall_file_take_link((struct text){link, (size_t)len}, record);
}

static void read_call(const struct ctprof_host *host, int task_fd, enum machine machine,
		      struct thread_record *record)
{
	char path[THREAD_FILE_PATH_MAX], text[FILE_BYTES];

	thread_file_path(path, (int32_t)record->tid, "syscall");
	ssize_t got = file_read_at(host, task_fd, path, text, sizeof text);
	if (got < 0 || !syscall_file_parse((struct text){text, (size_t)got}, record))
		record->marks |= RECORD_NO_REGS;
	else if (record->state != 0 && kind_needs_descriptor(machine, record->nr))
		read_descriptor(task_fd, record);
}

struct reading {
	const struct ctprof_host *host;
	struct looks *looks;
};

static void read_thread(const struct reading *reading, int task_fd, int32_t tgid, int32_t tid)
{
	char path[THREAD_FILE_PATH_MAX], text[FILE_BYTES];
	struct stat_line stat;

	thread_file_path(path, tid, "stat");
	ssize_t got = file_read_at(reading->host, task_fd, path, text, sizeof text);
	if (got < 0 || !stat_line_parse((struct text){text, (size_t)got}, &stat))
		return;
	struct thread_record *record = looks_add(reading->looks);
	if (!record)
		return;
	record->tid = (uint32_t)tid;
	record->tgid = (uint32_t)tgid;
	record->start = stat.start_ticks;
	syscall_file_take_state(stat.state, record);
	if (stat.kernel_thread)
		record->marks |= RECORD_KERNEL;
	else if (stat.state == 'S' || stat.state == 'D')
		read_call(reading->host, task_fd, kind_machine(), record);
}

static void read_process(void *data, int32_t tgid, DIR *task)
{
	const struct reading *reading = data;
	int32_t tid;

	while (thread_file_next(task, &tid))
		read_thread(reading, dirfd(task), tgid, tid);
}

int looks_by_files(const struct ctprof_host *host, struct looks *looks)
{
	struct reading reading = {host, looks};

	looks->n = 0;
	int r = thread_file_each_process(host, read_process, &reading);
	looks_sort(looks);
	return r;
}

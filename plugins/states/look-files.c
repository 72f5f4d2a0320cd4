/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "look-files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "async.h"
#include "clock.h"
#include "file.h"
#include "newer-host.h"
#include "syscall-file.h"
#include "thread-file.h"

#define FILE_BYTES 1024u
/* A blocked helper gets an eighth of the deadline, until one has been abandoned. */
#define TIMEOUT_NS NS_PER_S
#define WHOLE_NS (60 * NS_PER_S)
#define SLICE_NS (NS_PER_S / 250)
#define PATH_BYTES 64u

/* ---- the files of a process: a helper reads them, as they may never come while the process is in
 * execve() ---- */

struct visit {
	struct ctprof_host host; /* a copy to open files with, which outlives the source */
	int32_t tgid;
	int task_fd;
	struct looks looks;
};

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

static void read_call(const struct visit *visit, enum machine machine, struct thread_record *record)
{
	char text[FILE_BYTES];
	ssize_t got = thread_file_read(&visit->host, visit->task_fd, (int32_t)record->tid,
				       "syscall", text, sizeof text);

	if (got < 0 || !syscall_file_parse((struct text){text, (size_t)got}, record))
		record->marks |= RECORD_NO_REGS;
	else if (record->state != 0 && kind_needs_descriptor(machine, record->nr))
		read_descriptor(visit->task_fd, record);
}

static void read_thread(struct visit *visit, int32_t tid)
{
	struct stat_line stat;

	if (stat_line_read(&visit->host, visit->task_fd, tid, &stat) < 0)
		return;
	struct thread_record *record = looks_add(&visit->looks);
	if (!record)
		return;
	record->tid = (uint32_t)tid;
	record->tgid = (uint32_t)visit->tgid;
	record->start = stat.start_ticks;
	syscall_file_take_state(stat.state, record);
	if (stat.kernel_thread)
		record->marks |= RECORD_KERNEL;
	else if (stat.state == 'S' || stat.state == 'D')
		read_call(visit, kind_machine(), record);
}

static int read_threads(void *data, void **context)
{
	__attribute__((cleanup(file_close_dir))) DIR *task = NULL;
	struct visit *visit = data;
	int32_t tid;

	(void)context;
	int r = file_open_dir(&visit->host, visit->task_fd, ".", &task);
	while (r == 0 && thread_file_next(task, &tid))
		read_thread(visit, tid);
	return -r;
}

static void visit_free(void *data)
{
	struct visit *visit = data;

	(void)close(visit->task_fd);
	looks_clear(&visit->looks);
	free(visit);
}

static const struct async_consumer visitor = {.ask = read_threads, .drop = visit_free};

/* ---- all processes ----------------------------------------------------------- */

struct walk {
	const struct ctprof_host *host;
	struct async *async;
	struct async_limits patience;
	struct looks *looks;
};

/* In execve() a process has a single thread, with the number of the process. */
static void add_unread(struct looks *looks, int32_t tgid)
{
	struct thread_record *record = looks_add(looks);

	if (!record)
		return;
	record->tid = record->tgid = (uint32_t)tgid;
	record->marks = RECORD_NO_REGS;
	syscall_file_take_state('S', record);
}

static void take(const struct walk *walk, const struct async_job *job)
{
	const struct visit *visit = job->data;

	for (size_t i = 0; i < visit->looks.n; i++) {
		struct thread_record *record = looks_add(walk->looks);

		if (record)
			*record = visit->looks.at[i];
	}
	walk->looks->cpu_ns += job->cpu_ns;
	visit_free(job->data);
}

static void take_some(struct walk *walk)
{
	int r = async_wait(walk->async, SLICE_NS);
	uint64_t ns;
	unsigned i;

	running_progress(walk->host);
	while (async_take(walk->async, &i))
		take(walk, async_job(walk->async, i));
	while (async_abandon(walk->async, &walk->patience, &i, &ns))
		add_unread(walk->looks, async_job(walk->async, i)->tgid);
	while (r < 0 && async_cancel(walk->async, &i)) {
		add_unread(walk->looks, async_job(walk->async, i)->tgid);
		visit_free(async_job(walk->async, i)->data);
	}
}

static void read_process(void *data, int32_t tgid, DIR *task)
{
	struct walk *walk = data;
	struct visit *visit = async_has_lost(tgid, -1) ? NULL : calloc(1, sizeof *visit);
	unsigned i;

	if (!visit) {
		add_unread(walk->looks, tgid);
		return;
	}
	*visit = (struct visit){
		.host = {.handle = walk->host->handle, .open_file = walk->host->open_file},
		.tgid = tgid,
		.task_fd = fcntl(dirfd(task), F_DUPFD_CLOEXEC, 0)};
	while (!async_wants_more(walk->async, &i))
		take_some(walk);
	*async_job(walk->async, i) =
		(struct async_job){.tgid = tgid, .fd = -1, .consumer = &visitor, .data = visit};
	async_submit(walk->async, i);
}

int looks_read_files(const struct ctprof_host *host, struct looks *looks)
{
	struct walk walk = {.host = host,
			    .patience = {clock_now(), TIMEOUT_NS, .whole_ns = WHOLE_NS},
			    .looks = looks};
	int r = async_open(NULL, host->root(host, CTPROF_ROOT_PROC), &walk.async);

	looks->n = 0;
	looks->cpu_ns = 0;
	if (r < 0)
		return r;
	r = thread_file_each_process(host, read_process, &walk);
	while (async_is_busy(walk.async))
		take_some(&walk);
	async_close(walk.async);
	looks_sort(looks);
	return r;
}

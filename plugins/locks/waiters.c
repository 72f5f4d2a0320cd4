/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "waiters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "list.h"
#include "owner.h"
#include "thread-file.h"

#define MOST_WAITERS (4u << 20)
#define FILE_BYTES 512u
#define STATUS_BYTES 8192u

void waiters_clear(struct waiters *waiters)
{
	free(waiters->at);
	free(waiters->by_tid);
	*waiters = (struct waiters){.at = NULL};
}

/* Returns a number that changes when the thread runs and sleeps again. */
static uint64_t read_switches(const struct ctprof_host *host, const struct waiter *waiter)
{
	char text[STATUS_BYTES];
	ssize_t got =
		thread_file_read_root(host, waiter->tgid, waiter->tid, "status", text, sizeof text);
	struct text value;
	uint64_t n = 0;

	if (got > 0 &&
	    text_find((struct text){text, (size_t)got}, "voluntary_ctxt_switches", &value))
		(void)text_u64(value, &n);
	return n;
}

bool waiter_is_unchanged(const struct ctprof_host *host, const struct waiter *waiter)
{
	char text[FILE_BYTES];
	ssize_t got = thread_file_read_root(host, waiter->tgid, waiter->tid, "syscall", text,
					    sizeof text);
	struct wait now;

	return got > 0 && wait_parse((struct text){text, (size_t)got}, &now) &&
	       memcmp(&now, &waiter->wait, sizeof now) == 0 &&
	       read_switches(host, waiter) == waiter->switches;
}

/* ---- one process ---------------------------------------------------------------- */

struct process {
	const struct ctprof_host *host;
	struct peeker *peeker;
	int32_t tgid;
	int task_fd, proc;
	struct waiters *waiters;
};

/* In a nested PID namespace, the thread numbers in the words are different. */
static bool is_nested(const struct process *process)
{
	char text[STATUS_BYTES];
	ssize_t got = thread_file_read(process->host, process->proc, process->tgid, "status", text,
				       sizeof text);
	struct text value, token;

	return got > 0 && text_find((struct text){text, (size_t)got}, "NSpid", &value) &&
	       text_take_token(&value, &token) && text_take_token(&value, &token);
}

/* Fills the peeks of some waiters. */
static int look(const struct process *process, const struct waiter *waiters, unsigned n,
		struct peek *peeks)
{
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, process->tgid, "maps");
	AUTO_FD maps = process->host->open_file(process->host, process->proc, path);
	thread_file_path(path, process->tgid, "pagemap");
	AUTO_FD pagemap = process->host->open_file(process->host, process->proc, path);
	if (maps < 0 || pagemap < 0)
		return -EACCES;
	for (unsigned i = 0; i < n; i++)
		peeks[i] =
			(struct peek){.address = waiters[i].wait.address, .pc = waiters[i].wait.pc};
	int r = peeker_ask(process->peeker, process->tgid, (int[]){maps, pagemap}, peeks, n);
	if (r == -ETIMEDOUT)
		owner_leave_out(process->proc, process->tgid);
	return r;
}

static int32_t holder_in(const struct process *process, const struct waiter *waiter,
			 const struct peek *peek, enum lock_kind *ret_kind)
{
	uint32_t tid = peek->is_read ? lock_holder(&waiter->wait, peek->words, ret_kind) : 0;
	char path[THREAD_FILE_PATH_MAX];
	struct stat st;

	/* PI and robust words sometimes name the waiter. */
	if (tid == 0 || tid > INT32_MAX || (int32_t)tid == waiter->tid)
		return 0;
	thread_file_path(path, (int32_t)tid, "");
	return fstatat(process->task_fd, path, &st, 0) == 0 ? (int32_t)tid : 0;
}

/* Reads twice: both results must agree, and the thread must still be waiting. */
static void find_holders(const struct process *process, struct waiter *waiters, unsigned n)
{
	struct peek first[PEEKS_AT_ONCE], second[PEEKS_AT_ONCE];
	enum lock_kind kinds[PEEKS_AT_ONCE], again;

	if (look(process, waiters, n, first) < 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		waiters[i].holder = holder_in(process, &waiters[i], &first[i], &kinds[i]);
		if (waiters[i].holder != 0)
			waiters[i].switches = read_switches(process->host, &waiters[i]);
	}
	int r = look(process, waiters, n, second);
	for (unsigned i = 0; i < n; i++) {
		if (waiters[i].holder == 0)
			continue;
		waiters[i].kind = kinds[i];
		if (r < 0 ||
		    holder_in(process, &waiters[i], &second[i], &again) != waiters[i].holder ||
		    again != kinds[i] || !waiter_is_unchanged(process->host, &waiters[i])) {
			waiters[i].holder = 0;
			waiters[i].kind = LOCK_OTHER;
		}
	}
}

static void add_thread(const struct process *process, int32_t tid)
{
	struct waiters *waiters = process->waiters;
	struct waiter found = {.tgid = process->tgid, .tid = tid};
	char text[FILE_BYTES];
	ssize_t got = thread_file_read(process->host, process->task_fd, tid, "syscall", text,
				       sizeof text);

	if (got <= 0 || !wait_parse((struct text){text, (size_t)got}, &found.wait) ||
	    list_reserve(&waiters->at, &waiters->room, waiters->n + 1, MOST_WAITERS, sizeof found) <
		    0)
		return;
	waiters->at[waiters->n++] = found;
}

static void read_process(void *data, int32_t tgid, DIR *task)
{
	struct process *process = data;
	struct waiters *waiters = process->waiters;
	size_t first = waiters->n;
	int32_t leader, tid;

	process->tgid = tgid;
	process->task_fd = dirfd(task);
	/* No lock of a single thread is ever put.  A process in execve(), whose readers of syscall
	 * the kernel may keep waiting for ever, has a single thread. */
	if (!thread_file_next(task, &leader) || !thread_file_next(task, &tid))
		return;
	add_thread(process, leader);
	do
		add_thread(process, tid);
	while (thread_file_next(task, &tid));
	if (waiters->n == first || !process->peeker || is_nested(process))
		return;
	for (size_t i = first; i < waiters->n && !owner_is_left_out(process->proc, tgid);
	     i += PEEKS_AT_ONCE) {
		size_t n = waiters->n - i;

		find_holders(process, &waiters->at[i],
			     (unsigned)(n < PEEKS_AT_ONCE ? n : PEEKS_AT_ONCE));
	}
	bool is_unread = owner_is_left_out(process->proc, tgid);
	for (size_t i = first; i < waiters->n; i++)
		waiters->at[i].is_unread = is_unread;
}

/* ---- all of them -------------------------------------------------------------------- */

static int compare_locks(const void *a, const void *b)
{
	const struct waiter *x = a, *y = b;
	int order = order_u64((uint64_t)x->tgid, (uint64_t)y->tgid);

	if (order == 0)
		order = order_u64(x->wait.address, y->wait.address);
	return order ? order : order_u64((uint64_t)x->tid, (uint64_t)y->tid);
}

static int compare_tids(const void *a, const void *b)
{
	const struct waiter *const *x = a, *const *y = b;

	return order_u64((uint64_t)(*x)->tid, (uint64_t)(*y)->tid);
}

static int sort(struct waiters *waiters)
{
	struct waiter **by_tid = reallocarray(waiters->by_tid, waiters->n + 1, sizeof *by_tid);

	if (!by_tid)
		return -ENOMEM;
	waiters->by_tid = by_tid;
	if (waiters->n == 0)
		return 0;
	qsort(waiters->at, waiters->n, sizeof *waiters->at, compare_locks);
	for (size_t i = 0; i < waiters->n; i++)
		waiters->by_tid[i] = &waiters->at[i];
	qsort(waiters->by_tid, waiters->n, sizeof *waiters->by_tid, compare_tids);
	return 0;
}

int waiters_find(const struct ctprof_host *host, struct peeker *peeker, struct waiters *waiters)
{
	struct process process = {.host = host,
				  .peeker = peeker,
				  .proc = host->root(host, CTPROF_ROOT_PROC),
				  .waiters = waiters};

	waiters->n = 0;
	int r = thread_file_each_process(host, read_process, &process);
	if (r == 0)
		r = sort(waiters);
	if (r < 0)
		waiters->n = 0;
	owner_report(host);
	return r;
}

static bool is_same_lock(const struct waiter *a, const struct waiter *b)
{
	return a->tgid == b->tgid && a->wait.address == b->wait.address;
}

size_t waiters_of_lock(const struct waiters *waiters, size_t i, size_t *ret_n)
{
	size_t first = i, end = i + 1;

	while (first > 0 && is_same_lock(&waiters->at[first - 1], &waiters->at[i]))
		first--;
	while (end < waiters->n && is_same_lock(&waiters->at[end], &waiters->at[i]))
		end++;
	*ret_n = end - first;
	return first;
}

size_t waiters_search(const struct waiters *waiters, int32_t tgid, int32_t tid)
{
	const struct waiter key = {.tid = tid}, *sought = &key;
	struct waiter **found =
		bsearch(&sought, waiters->by_tid, waiters->n, sizeof sought, compare_tids);

	return found && (*found)->tgid == tgid ? (size_t)(*found - waiters->at) : waiters->n;
}

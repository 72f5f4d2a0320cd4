/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "waiters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "list.h"
#include "owner.h"
#include "thread-file.h"

#define MOST_WAITERS (4u << 20)
#define FILE_BYTES 512u
#define STATUS_BYTES 8192u
/* At most this many waiters of a process are checked at once, at 20 µs each; the rest wait longer,
 * and are checked together with those of other processes. */
#define FEW 16u

void waiters_clear(struct waiters *waiters)
{
	free(waiters->at);
	free(waiters->by_tid);
	looks_clear(&waiters->looks);
	sweep_free(waiters->sweep);
	*waiters = (struct waiters){.at = NULL};
}

/* Returns a number that changes when the thread runs and sleeps again. */
static uint64_t read_switches(const struct ctprof_host *host, const struct waiter *waiter)
{
	char text[STATUS_BYTES];
	ssize_t got =
		thread_file_read_root(host, waiter->tgid, waiter->tid, "status", text, sizeof text);
	const struct text status = {text, got > 0 ? (size_t)got : 0};
	struct text value;
	uint64_t voluntary = 0, involuntary = 0;

	if (text_find(status, "voluntary_ctxt_switches", &value))
		(void)text_u64(value, &voluntary);
	if (text_find(status, "nonvoluntary_ctxt_switches", &value))
		(void)text_u64(value, &involuntary);
	return voluntary + involuntary;
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

/* ---- the holders of one process's locks ----------------------------------------- */

struct process {
	const struct ctprof_host *host;
	struct peeker *peeker;
	const struct waiters *all;
	int32_t tgid;
	int proc, maps, pagemap;
	bool is_asked; /* the peeker already knows its maps */
};

/* A process in a nested PID namespace has other numbers of threads in its words, and in one with a
 * single thread no other one holds a lock. */
static bool has_holders(const struct process *process)
{
	char text[STATUS_BYTES];
	ssize_t got = thread_file_read(process->host, process->proc, process->tgid, "status", text,
				       sizeof text);
	const struct text status = {text, got > 0 ? (size_t)got : 0};
	struct text value, token;
	uint64_t threads = 0;

	return text_find(status, "Threads", &value) && text_u64(value, &threads) && threads > 1 &&
	       text_find(status, "NSpid", &value) && text_take_token(&value, &token) &&
	       !text_take_token(&value, &token);
}

/* Fills the peeks of some waiters. */
static int look(struct process *process, const struct waiter *waiters, unsigned n,
		struct peek *peeks)
{
	const int fds[] = {process->maps, process->pagemap};

	for (unsigned i = 0; i < n; i++)
		peeks[i] =
			(struct peek){.address = waiters[i].wait.address, .pc = waiters[i].wait.pc};
	int r = peeker_ask(process->peeker, process->tgid, !process->is_asked, fds, peeks, n);
	process->is_asked = true;
	if (r == -ETIMEDOUT)
		owner_leave_out(process->proc, process->tgid);
	return r;
}

static bool is_thread(const struct process *process, int32_t tid)
{
	char path[2 * THREAD_FILE_PATH_MAX], file[THREAD_FILE_PATH_MAX];

	if (process->all->sweep)
		return looks_find(&process->all->looks, process->tgid, tid);
	thread_file_path(path, process->tgid, "task/");
	thread_file_path(file, tid, "");
	strncat(path, file, sizeof path - strlen(path) - 1);
	return faccessat(process->proc, path, F_OK, 0) == 0;
}

/* The words of PI and robust mutexes sometimes name the waiter. */
static int32_t holder_in(const struct waiter *waiter, const struct peek *peek,
			 enum lock_kind *ret_kind)
{
	uint32_t tid = peek->is_read ? lock_holder(&waiter->wait, peek->words, ret_kind) : 0;

	return tid > INT32_MAX || (int32_t)tid == waiter->tid ? 0 : (int32_t)tid;
}

/* Reads twice: both results must agree. */
static void find_some(struct process *process, struct waiter *waiters, unsigned n)
{
	struct peek peeks[PEEKS_AT_ONCE];
	enum lock_kind again = LOCK_OTHER;
	int32_t known = 0;

	if (look(process, waiters, n, peeks) < 0)
		return;
	for (unsigned i = 0; i < n; i++) {
		int32_t tid = holder_in(&waiters[i], &peeks[i], &waiters[i].kind);

		if (tid == 0 || (tid != known && !is_thread(process, tid)))
			continue;
		waiters[i].holder = known = tid;
		if (!process->all->sweep)
			waiters[i].switches = read_switches(process->host, &waiters[i]);
	}
	int r = look(process, waiters, n, peeks);
	for (unsigned i = 0; i < n; i++)
		if (r < 0 || holder_in(&waiters[i], &peeks[i], &again) != waiters[i].holder ||
		    again != waiters[i].kind)
			waiters[i].holder = 0;
}

static void find_holders(struct process *process, struct waiter *waiters, size_t n)
{
	char path[THREAD_FILE_PATH_MAX];

	if (owner_is_left_out(process->proc, process->tgid) || !has_holders(process))
		return;
	thread_file_path(path, process->tgid, "maps");
	AUTO_FD maps = process->host->open_file(process->host, process->proc, path);
	thread_file_path(path, process->tgid, "pagemap");
	AUTO_FD pagemap = process->host->open_file(process->host, process->proc, path);
	process->maps = maps;
	process->pagemap = pagemap;
	for (size_t i = 0; maps >= 0 && pagemap >= 0 && i < n; i += PEEKS_AT_ONCE) {
		if (owner_is_left_out(process->proc, process->tgid))
			return;
		find_some(process, &waiters[i],
			  (unsigned)(n - i < PEEKS_AT_ONCE ? n - i : PEEKS_AT_ONCE));
	}
}

/* ---- the waiters ---------------------------------------------------------------- */

static void add_waiter(struct waiters *waiters, const struct waiter *waiter)
{
	if (list_reserve(&waiters->at, &waiters->room, waiters->n + 1, MOST_WAITERS,
			 sizeof *waiter) == 0)
		waiters->at[waiters->n++] = *waiter;
}

struct walk {
	const struct ctprof_host *host;
	struct waiters *waiters;
};

static void add_thread(const struct walk *walk, int32_t tgid, int task_fd, int32_t tid)
{
	struct waiter found = {.tgid = tgid, .tid = tid};
	char text[FILE_BYTES];
	ssize_t got = thread_file_read(walk->host, task_fd, tid, "syscall", text, sizeof text);

	if (got > 0 && wait_parse((struct text){text, (size_t)got}, &found.wait))
		add_waiter(walk->waiters, &found);
}

static void read_process(void *data, int32_t tgid, DIR *task)
{
	int32_t leader, tid;

	/* A single thread has no one to wait for.  A process in execve(), whose readers of
	 * syscall the kernel may keep waiting for ever, has a single thread. */
	if (!thread_file_next(task, &leader) || !thread_file_next(task, &tid))
		return;
	add_thread(data, tgid, dirfd(task), leader);
	do
		add_thread(data, tgid, dirfd(task), tid);
	while (thread_file_next(task, &tid));
}

/* Whether the thread sleeps in a futex, and is not about to leave it. */
static bool take_record(const struct thread_record *record, struct waiter *ret)
{
	*ret = (struct waiter){.tgid = (int32_t)record->tgid,
			       .tid = (int32_t)record->tid,
			       .switches = record->switches};
	return record->state != 0 && record->marks == 0 &&
	       wait_of_call(record->nr, record->args, record->pc, &ret->wait);
}

static int find_waiters(const struct ctprof_host *host, struct waiters *waiters)
{
	struct walk walk = {host, waiters};
	struct waiter found;
	int r = waiters->sweep ? looks_read_sweep(waiters->sweep, &waiters->looks) : -EOPNOTSUPP;

	if (r < 0) {
		sweep_free(waiters->sweep);
		waiters->sweep = NULL;
		return thread_file_each_process(host, read_process, &walk);
	}
	for (size_t i = 0; i < waiters->looks.n; i++)
		if (take_record(&waiters->looks.at[i], &found))
			add_waiter(waiters, &found);
	return 0;
}

/* Forgets the holders of waiters that have run since.  looks: current; NULL: files are read. */
static void check_holders(const struct ctprof_host *host, const struct looks *looks,
			  struct waiter *waiters, size_t n)
{
	struct waiter now;

	for (size_t i = 0; i < n; i++) {
		struct waiter *waiter = &waiters[i];
		const struct thread_record *record =
			looks ? looks_find(looks, waiter->tgid, waiter->tid) : NULL;

		if (waiter->is_checked)
			continue;
		waiter->is_checked = true;

		if (waiter->holder != 0 &&
		    (record ? !take_record(record, &now) || now.switches != waiter->switches
			    : !waiter_is_unchanged(host, waiter)))
			waiter->holder = 0;
		if (waiter->holder == 0)
			waiter->kind = LOCK_OTHER;
	}
}

/* ---- the list of all waiters -------------------------------------------------------- */

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

static void find_all_holders(const struct ctprof_host *host, struct peeker *peeker,
			     struct waiters *waiters)
{
	int proc = host->root(host, CTPROF_ROOT_PROC);
	size_t n;

	for (size_t i = 0; i < waiters->n; i += n) {
		struct waiter *first = &waiters->at[i];
		struct process process = {.host = host,
					  .peeker = peeker,
					  .all = waiters,
					  .tgid = first->tgid,
					  .proc = proc};

		for (n = 1; i + n < waiters->n && first[n].tgid == first->tgid;)
			n++;
		find_holders(&process, first, n);
		if (!waiters->sweep || n <= FEW)
			check_holders(host, NULL, first, n);
		bool is_unread = owner_is_left_out(proc, first->tgid);
		for (size_t k = 0; k < n; k++)
			first[k].is_unread = is_unread;
	}
}

int waiters_find(const struct ctprof_host *host, struct peeker *peeker, struct waiters *waiters)
{
	waiters->n = 0;
	int r = find_waiters(host, waiters);
	if (r == 0)
		r = sort(waiters);
	if (r < 0)
		waiters->n = 0;
	if (peeker)
		find_all_holders(host, peeker, waiters);
	if (peeker && waiters->sweep)
		check_holders(host,
			      looks_read_sweep(waiters->sweep, &waiters->looks) == 0
				      ? &waiters->looks
				      : NULL,
			      waiters->at, waiters->n);
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

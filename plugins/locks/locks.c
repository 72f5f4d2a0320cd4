/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks that threads wait for, and their holders. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capability.h"
#include "ctprof/source.h"
#include "descriptor.h"
#include "file-locks.h"
#include "file.h"
#include "instance.h"
#include "namespace.h"
#include "need.h"
#include "slots.h"
#include "thread-file.h"
#include "waiters.h"

#define GROUP "lock"
#define STATUS_BYTES 8192u
#define LOCKS_BYTES (1u << 20)
#define NAME_BYTES 384
/* A longer chain is not from a real program. */
#define MOST_STEPS 64u
/* A cycle that still exists after this time is a deadlock. */
#define CYCLE_S 1

enum { WAITERS, KIND, HOLDER, STATE, NEXT, DEADLOCK, N_METRICS };

#define OBJECT(kind_, unit_, name_, help_, origin_)                                                \
	METRIC_ROW(kind_, unit_, OBJECT, name_, GROUP, help_, origin_,                             \
		   .flags = CTPROF_METRIC_ON_DEMAND)

static const struct ctprof_metric metrics[N_METRICS] = {
	[WAITERS] = OBJECT(LEVEL, NONE, "lock_waiters", "threads that wait for it",
			   "syscall: proc_pid_syscall(); locks_show()"),
	[KIND] = OBJECT(CATEGORY, TEXT, "lock_kind",
			"mutex, robust mutex, PI mutex, rwlock, pthread_join, futex, FLOCK, POSIX",
			"glibc's lock words; lock_get_status()"),
	[HOLDER] = OBJECT(LABEL, TEXT, "lock_holder", "thread that holds it: its comm and tid",
			  "the owner in glibc's lock words; file_lock.c.flc_pid"),
	[STATE] = OBJECT(LABEL, TEXT, "lock_holder_state",
			 "state of that thread: R (runs or waits for a CPU), S (sleeps), D, T, …",
			 "status: task_state()"),
	[NEXT] = OBJECT(LABEL, TEXT, "lock_holder_waits_for",
			"lock for which the holder itself waits", "as lock_waiters"),
	[DEADLOCK] = OBJECT(LEVEL, NONE, "lock_deadlock",
			    "threads that wait for each other in a cycle, for at least 1 s",
			    "as lock_holder"),
};

struct locks {
	const struct ctprof_host *host;
	uint32_t slots[N_METRICS];
	struct peeker *peeker; /* NULL: no holders can be found */
	struct waiters waiters;
	bool is_found;
	size_t n_put; /* number of waiters put */
	char *files;  /* /proc/locks */
	struct text left;
};

static int locks_open(const struct ctprof_host *host, void **ret_self)
{
	struct locks *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	return instance_give(self, slots_declare(host, metrics, N_METRICS, self->slots), ret_self);
}

static void clear_files(struct locks *self)
{
	free(self->files);
	self->files = NULL;
}

static void locks_close(void *data)
{
	struct locks *self = data;

	peeker_free(self->peeker);
	waiters_clear(&self->waiters);
	clear_files(self);
	instance_free(self);
}

static int locks_probe(void *data)
{
	const struct locks *self = data;
	struct ctprof_finding finding = FINDING_WORKS(GROUP);

	if (file_check_root(self->host, CTPROF_ROOT_PROC, "self/syscall") < 0)
		finding_set(&finding, CTPROF_PARTLY,
			    "only locks of files: the kernel has no /proc/TID/syscall",
			    "CONFIG_HAVE_ARCH_TRACEHOOK");
	else if (self->host->live(self->host) && !file_shows_own_pids(self->host))
		finding_set(&finding, CTPROF_PARTLY, FILE_FOREIGN_PIDS, FILE_FOREIGN_PIDS_REMEDY);
	else if (!capability_is_held(self->host, CAP_SYS_PTRACE))
		finding_set(&finding, CTPROF_PARTLY,
			    "only locks of files, and of the user's own threads", "CAP_SYS_PTRACE");
	self->host->finding(self->host, &finding);
	return 0;
}

static int locks_start(void *data)
{
	struct locks *self = data;

	if (!self->host->live(self->host) || !file_shows_own_pids(self->host))
		return 0;
	(void)peeker_new(self->host, &self->peeker);
	/* The BPF program uses the thread numbers of the initial PID namespace. */
	if (slots_wanted(self->host, self->slots, N_METRICS) &&
	    namespace_is_first(self->host, "pid"))
		(void)sweep_open(self->host, NULL, &self->waiters.sweep);
	return 0;
}

/* ---- names ----------------------------------------------------------------------- */

/* Formats "comm[tid]" and the state letter of a thread; false if it is gone. */
static bool name_thread(const struct locks *self, int32_t tgid, int32_t tid,
			char ret_name[NAME_BYTES], char *ret_state)
{
	char text[STATUS_BYTES];
	struct text name, state;

	/* Not stat: since Linux 6.18, a process in execve() can keep its readers waiting. */
	ssize_t got = thread_file_read_root(self->host, tgid, tid, "status", text, sizeof text);
	if (got <= 0 || !text_find((struct text){text, (size_t)got}, "Name", &name) ||
	    !text_find((struct text){text, (size_t)got}, "State", &state) || state.len == 0)
		return false;
	(void)snprintf(ret_name, NAME_BYTES, "%.*s[%" PRId32 "]", (int)name.len, name.p, tid);
	*ret_state = state.p[0];
	return true;
}

/* "pcomm[tgid] 0x55d0c0de1000" */
static bool name_lock(const struct locks *self, const struct waiter *waiter,
		      char ret_name[NAME_BYTES])
{
	char process[NAME_BYTES], state;

	if (!name_thread(self, waiter->tgid, waiter->tgid, process, &state))
		return false;
	(void)snprintf(ret_name, NAME_BYTES, "%.300s 0x%" PRIx64, process, waiter->wait.address);
	return true;
}

static void put_text(const struct locks *self, struct ctprof_batch *batch, uint64_t row,
		     unsigned metric, const char *text)
{
	self->host->put_text(batch, row, self->slots[metric], text, strlen(text));
}

/* ---- holders ------------------------------------------------------------------------ */

/* A waiter for the lock whose holder is known; NULL if none is known, or if they disagree. */
static const struct waiter *find_informed_waiter(const struct waiters *waiters, size_t first,
						 size_t n)
{
	const struct waiter *known = NULL;

	for (size_t i = first; i < first + n; i++) {
		const struct waiter *waiter = &waiters->at[i];

		if (waiter->holder != 0 && known && known->holder != waiter->holder)
			return NULL;
		if (waiter->holder != 0)
			known = waiter;
	}
	return known;
}

/* The index of the waiter that is the lock's holder; waiters->n if the holder is unknown or does
 * not wait. */
static size_t next_in_chain(const struct waiters *waiters, size_t i)
{
	size_t n, first = waiters_of_lock(waiters, i, &n);
	const struct waiter *known = find_informed_waiter(waiters, first, n);

	return known ? waiters_search(waiters, known->tgid, known->holder) : waiters->n;
}

/* The number of threads in the cycle of holders that leads back to i; 0 if there is no cycle, or
 * one of a thread that waits for itself. */
static size_t cycle_of(const struct waiters *waiters, size_t i, struct waiter **ret_members)
{
	size_t n, first = waiters_of_lock(waiters, i, &n), steps = 0, at = first;

	do {
		at = next_in_chain(waiters, at);
		if (at == waiters->n || steps == MOST_STEPS)
			return 0;
		ret_members[steps++] = &waiters->at[at];
	} while (at < first || at >= first + n);
	return steps > 1 ? steps : 0;
}

static bool is_lasting(struct waiter *const *members, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!members[i]->is_in_cycle)
			return false;
	return true;
}

/* Marks the threads that have been in a cycle for a while; waits once for all cycles, as a user
 * can make any number of them. */
static void find_cycles(const struct locks *self)
{
	static const struct timespec wait = {.tv_sec = CYCLE_S};
	const struct waiters *waiters = &self->waiters;
	struct waiter *members[MOST_STEPS];
	bool has_cycle = false;
	size_t n;

	for (size_t i = 0; i < waiters->n; i += n) {
		(void)waiters_of_lock(waiters, i, &n);
		size_t length = cycle_of(waiters, i, members);

		for (size_t k = 0; k < length; k++)
			members[k]->is_in_cycle = has_cycle = true;
	}
	if (has_cycle)
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
	for (size_t i = 0; i < waiters->n; i++)
		waiters->at[i].is_in_cycle = waiters->at[i].is_in_cycle &&
					     waiter_is_unchanged(self->host, &waiters->at[i]);
}

static void put_holder(const struct locks *self, struct ctprof_batch *batch, uint64_t row,
		       size_t first, const struct waiter *known)
{
	const struct waiters *waiters = &self->waiters;
	struct waiter *members[MOST_STEPS];
	char name[NAME_BYTES], state[2] = "";

	if (!name_thread(self, known->tgid, known->holder, name, state))
		return;
	put_text(self, batch, row, HOLDER, name);
	put_text(self, batch, row, STATE, state);
	size_t next = next_in_chain(waiters, first);
	if (next == waiters->n)
		return;
	if (name_lock(self, &waiters->at[next], name))
		put_text(self, batch, row, NEXT, name);
	size_t n = cycle_of(waiters, first, members);
	if (n > 0 && is_lasting(members, n))
		self->host->put_u64(batch, row, self->slots[DEADLOCK], n);
}

/* ---- objects --------------------------------------------------------------------------- */

/* Returns a negative errno if the batch is full. */
static int put_lock(const struct locks *self, struct ctprof_batch *batch, size_t first, size_t n)
{
	const struct waiter *known = find_informed_waiter(&self->waiters, first, n);
	char name[NAME_BYTES];
	uint64_t row;

	/* A single thread in a futex without a holder waits for something else. */
	if ((!known && n < 2) || !name_lock(self, &self->waiters.at[first], name))
		return 0;
	int r = self->host->object(batch, GROUP, name, strlen(name), &row);
	if (r < 0)
		return r;
	slots_put_absent(self->host, batch, row, self->slots, N_METRICS,
			 CTPROF_ABSENT_INAPPLICABLE);
	if (self->waiters.at[first].is_unread)
		slots_put_absent(self->host, batch, row, &self->slots[HOLDER], N_METRICS - HOLDER,
				 CTPROF_ABSENT_TIMEOUT);
	self->host->put_u64(batch, row, self->slots[WAITERS], n);
	put_text(self, batch, row, KIND, lock_words[known ? known->kind : LOCK_OTHER]);
	if (known)
		put_holder(self, batch, row, first, known);
	return 0;
}

static int put_locks(struct locks *self, struct ctprof_batch *batch)
{
	size_t n;

	for (; self->n_put < self->waiters.n; self->n_put += n) {
		size_t first = waiters_of_lock(&self->waiters, self->n_put, &n);
		int r = put_lock(self, batch, first, n);

		if (r < 0)
			return r;
	}
	return 0;
}

/* The waiters for a lock directly follow it. */
static uint64_t count_waiters(struct text *rest, uint64_t number)
{
	struct file_lock lock;
	struct text line;
	uint64_t n = 0;

	for (struct text at = *rest; text_take_line(&at, &line); *rest = at) {
		if (!file_lock_parse(line, &lock) || !lock.waits || lock.number != number)
			break;
		n++;
	}
	return n;
}

static int put_files(struct locks *self, struct ctprof_batch *batch)
{
	char name[NAME_BYTES], holder[NAME_BYTES], state[2] = "";
	struct text rest = self->left, line;
	struct file_lock lock;
	uint64_t row;

	for (; text_take_line(&rest, &line); self->left = rest) {
		if (!file_lock_parse(line, &lock))
			continue;
		uint64_t n = count_waiters(&rest, lock.number);
		if (n == 0 || lock.waits)
			continue;
		int len = snprintf(name, sizeof name, "file %.*s %.*s %" PRIu64, (int)lock.file.len,
				   lock.file.p, (int)lock.type.len, lock.type.p, lock.number);
		int r = self->host->object(batch, GROUP, name, (size_t)len, &row);
		if (r < 0)
			return r;
		slots_put_absent(self->host, batch, row, self->slots, N_METRICS,
				 CTPROF_ABSENT_INAPPLICABLE);
		self->host->put_u64(batch, row, self->slots[WAITERS], n);
		self->host->put_text(batch, row, self->slots[KIND], lock.type.p, lock.type.len);
		if (lock.pid > 0 && name_thread(self, lock.pid, lock.pid, holder, state)) {
			put_text(self, batch, row, HOLDER, holder);
			put_text(self, batch, row, STATE, state);
		}
	}
	return 0;
}

static void find(struct locks *self)
{
	if (self->is_found)
		return;
	self->is_found = true;
	self->n_put = 0;
	(void)waiters_find(self->host, self->peeker, &self->waiters);
	find_cycles(self);
	clear_files(self);
	ssize_t got =
		file_load_records(self->host, CTPROF_ROOT_PROC, "locks", LOCKS_BYTES, &self->files);
	self->left = (struct text){self->files, got > 0 ? (size_t)got : 0};
	if (got == LOCKS_BYTES)
		self->host->log(self->host, CTPROF_LOG_WARNING,
				"the list of file locks has more than %u bytes: those after that "
				"are left out",
				LOCKS_BYTES);
}

static int locks_collect(void *data, void *context, struct ctprof_batch *batch)
{
	struct locks *self = data;

	(void)context;
	if (batch->scope != CTPROF_SCOPE_OBJECT ||
	    !slots_wanted(self->host, self->slots, N_METRICS))
		return 0;
	find(self);
	if (put_locks(self, batch) == 0)
		(void)put_files(self, batch);
	return 0;
}

static int locks_again(void *data)
{
	((struct locks *)data)->is_found = false;
	return 0;
}

/* ---- the plugin -------------------------------------------------------------------------- */

static const struct ctprof_need needs[] = {
	NEED_PARTLY(FILE, "proc/<tgid>/task", "their threads"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/syscall", "which of them wait in a futex"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/status",
		    "names and states of holders, and whether a thread is still waiting"),
	NEED_PARTLY(FILE, "proc/<tgid>/status", "whether it is in a nested PID namespace"),
	NEED_PARTLY(FILE, "proc/<tgid>/maps", "where its C library is"),
	NEED_PARTLY(FILE, "proc/<tgid>/pagemap", "which pages may be read"),
	NEED_PARTLY(FILE, "proc/locks", "locks of files"),
	NEED_PARTLY(FILE, "proc/self/syscall", "for doctor: whether it exists"),
	NEED_PARTLY(FILE, "proc/self/status", "for doctor: the capabilities of ctprof"),
	NEED_PARTLY(FILE, "proc/self/stat", "whether /proc is of this PID namespace"),
	NEED_PARTLY(FILE, "proc/self/ns/pid", "whether it is the initial namespace"),
	NEED_PARTLY(FILE, "sys/kernel/btf/vmlinux", "waiting threads by BPF"),
	NEED_PARTLY(CAPABILITY, "CAP_SYS_PTRACE", "other users' threads"),
	NEED_PARTLY_TO_START("CAP_BPF", "waiting threads by BPF, at a tenth of the cost"),
	NEED_PARTLY_TO_START("CAP_PERFMON", "waiting threads by BPF, at a tenth of the cost"),
};

SOURCE_PLUGIN("locks", SERIAL, EXPENSIVE, "Locks that threads wait for, and who holds them",
	      SOURCE_OPS(.open = locks_open, .close = locks_close, .probe = locks_probe,
			 .start = locks_start, .collect = locks_collect, .again = locks_again))

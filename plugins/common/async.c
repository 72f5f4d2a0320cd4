/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "async.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "helper.h"
#include "hold.h"
#include "owner.h"
#include "text.h"

/* Large, since some jobs query directory services, which load libraries of their own. */
#define STACK_SIZE (1024u * 1024)
/* A job that blocks this long holds up others: another helper is cheaper. */
#define RELIEF_NS UINT64_C(2000000)
#define RELIEF 8u
/* At most this many helpers with long reads work at the same time. */
#define READERS 3u
/* The minimum time that a blocked job gets: a part of the timeout at first, LEAST_NS after others
 * were abandoned. */
#define LEAST_FIRST 8u
#define LEAST_NS UINT64_C(15000000)
/* Divides this time if the job's process does nothing. */
#define AT_REST 8u
#define HALVED_MAX 4u

/* Decides who settles a job: the worker that abandons it, or the helper that finishes it. */
enum { IDLE, BUSY, ABANDONED };

struct helper {
	struct helper *next;
	struct async *async; /* must not be used once abandoned */
	pthread_t thread;
	pid_t tid;
	_Atomic int state;
	_Atomic bool waits_for_own, reads_memory;
	_Atomic uint64_t moved_ns; /* when it last used the CPU, as far as is known */
	uint64_t begun_ns, begun_cpu_ns;
	uint64_t cpu_ns;    /* CPU time when it was last checked */
	uint64_t blocking;  /* its switch count once it has blocked; 0: it has run since */
	uint64_t target_ns; /* CPU time of the job's process when the job began */
	bool known_blocked; /* since it last moved */
	unsigned number;    /* of the job */
	struct async_job job;
	void *context;
	void (*leave)(void *context);
	char chunk[ASYNC_CHUNK];
};

struct async {
	pthread_mutex_t lock;
	pthread_cond_t work;    /* for helpers: jobs, or the end */
	pthread_cond_t changed; /* for the worker */
	async_read_fn *read_file;
	int proc;
	/* The lock protects the members from here on. */
	struct helper *helpers; /* without abandoned ones */
	unsigned n_helpers;
	bool closing;
	unsigned first, n_waiting; /* of the ring waiting[] */
	unsigned waiting[ASYNC_JOBS];
	unsigned n_done, n_open;
	unsigned done[ASYNC_JOBS];
	bool is_open[ASYNC_JOBS]; /* handed over */
	struct async_job jobs[ASYNC_JOBS];
};

/* Helpers that any queue has abandoned and that have not returned yet. */
static struct {
	pthread_mutex_t lock;
	struct helper *first;
	_Atomic unsigned n;
} lost = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* This thread, if it is a helper.  It must be in the static TLS block: if it were allocated on
 * first use and memory was short, the dynamic linker would end the process. */
static _Thread_local struct helper *own __attribute__((tls_model("initial-exec")));

static uint64_t own_switches(void)
{
	struct rusage own_usage = {0};

	(void)getrusage(RUSAGE_THREAD, &own_usage);
	return (uint64_t)own_usage.ru_nvcsw + (uint64_t)own_usage.ru_nivcsw;
}

static void free_helper(struct helper *helper)
{
	free(helper);
}

/* ---- abandoned helpers ------------------------------------------------ */

static void remove_lost(const struct helper *helper)
{
	struct helper **place = &lost.first;
	HOLD(&lost.lock);

	while (*place != helper)
		place = &(*place)->next;
	*place = helper->next;
	lost.n--;
}

bool async_has_lost(int32_t tgid, int proc)
{
	HOLD(&lost.lock);
	const struct helper *helper = lost.first;

	while (helper && helper->job.tgid != tgid &&
	       (proc < 0 || !atomic_load(&helper->reads_memory) ||
		!owner_is_same(proc, helper->job.tgid, tgid)))
		helper = helper->next;
	if (helper && helper->job.tgid != tgid)
		owner_leave_out(proc, tgid);
	return helper != NULL;
}

/* ---- a helper --------------------------------------------------------- */

/* Reads to the end in chunks, as smaps can be megabytes long. */
static int read_job(struct helper *helper, async_read_fn *read_file)
{
	const struct async_job *job = &helper->job;
	AUTO_FD fd = job->fd;
	size_t kept = 0;
	bool empty = true;

	for (;;) {
		ssize_t got = read_file(fd, helper->chunk + kept, ASYNC_CHUNK - kept);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		empty = empty && got == 0;
		size_t have = kept + (size_t)got;
		size_t used = job->consumer->take(job->data, helper->chunk, have, got == 0);
		if (got == 0)
			break;
		/* Drop a line as long as the chunk: the kernel writes none. */
		kept = used == 0 && have == ASYNC_CHUNK ? 0 : have - used;
		memmove(helper->chunk, helper->chunk + have - kept, kept);
	}
	/* smaps, and an old smaps_rollup, are empty for a thread without memory. */
	return empty ? ESRCH : 0;
}

static void do_job(struct helper *helper, async_read_fn *read_file)
{
	struct async_job *job = &helper->job;
	const struct async_consumer *consumer = job->consumer;

	if (consumer->leave)
		helper->leave = consumer->leave;
	job->err = consumer->ask ? consumer->ask(job->data, &helper->context)
				 : read_job(helper, read_file);
	job->ns = clock_now() - helper->begun_ns;
	job->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - helper->begun_cpu_ns;
}

/* Begins the next job; false if the helper must end. */
static bool begin_job(struct helper *helper)
{
	struct async *async = helper->async;
	HOLD(&async->lock);

	while (async->n_waiting == 0 && !async->closing)
		(void)pthread_cond_wait(&async->work, &async->lock);
	if (async->closing)
		return false;
	helper->number = async->waiting[async->first];
	async->first = (async->first + 1) % ASYNC_JOBS;
	async->n_waiting--;
	helper->job = async->jobs[helper->number];
	helper->begun_ns = clock_now();
	helper->begun_cpu_ns = helper->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	helper->target_ns = helper->job.consumer->take ? clock_cpu_ns_of(helper->job.tgid) : 0;
	helper->blocking = own_switches() + 1;
	helper->known_blocked = false;
	atomic_store(&helper->moved_ns, helper->begun_ns);
	atomic_store(&helper->state, BUSY);
	return true;
}

static void finish_job(struct helper *helper)
{
	struct async *async = helper->async;

	/* Do this before the next job begins, which may concern the same owner. */
	owner_charge(async->proc, helper->job.tgid, helper->job.cpu_ns);
	HOLD(&async->lock);
	async->jobs[helper->number] = helper->job;
	async->done[async->n_done++] = helper->number;
	if (async->n_waiting == 0)
		(void)pthread_cond_signal(&async->changed);
}

static void *helper_run(void *data)
{
	struct helper *helper = data;
	async_read_fn *read_file = helper->async->read_file;
	int busy = BUSY;

	own = helper;
	helper->tid = gettid();
	while (busy == BUSY && begin_job(helper)) {
		do_job(helper, read_file);
		if (atomic_compare_exchange_strong(&helper->state, &busy, IDLE))
			finish_job(helper);
	}
	if (helper->context)
		helper->leave(helper->context);
	if (busy == BUSY)
		return NULL; /* async_close() frees it */
	helper->job.consumer->drop(helper->job.data);
	remove_lost(helper);
	free_helper(helper);
	return NULL;
}

void async_note_progress(void)
{
	if (own)
		atomic_store(&own->moved_ns, clock_now());
}

void async_set_reading(bool reads)
{
	if (own)
		atomic_store(&own->reads_memory, reads);
	async_note_progress();
}

void async_set_waiting(bool for_own)
{
	if (own)
		atomic_store(&own->waits_for_own, for_own);
	async_note_progress();
}

/* ---- looking after helpers; the lock is held -------------------------- */

struct condition {
	char state; /* '?' if unknown */
	uint64_t switches;
};

static struct condition condition_at(int proc, const char *path)
{
	AUTO_FD fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t len = fd < 0 ? 0 : read(fd, buf, sizeof buf);
	const struct text status = {buf, len > 0 ? (size_t)len : 0};
	struct text value;
	uint64_t n = 0, more = 0;
	bool found = text_find(status, "State", &value) && value.len > 0;
	char state = found ? value.p[0] : '?';

	if (text_find(status, "voluntary_ctxt_switches", &value))
		(void)text_u64(value, &n);
	if (text_find(status, "nonvoluntary_ctxt_switches", &value))
		(void)text_u64(value, &more);
	return (struct condition){state, n + more};
}

static struct condition condition_of(const struct helper *helper)
{
	char path[48];

	(void)snprintf(path, sizeof path, "self/task/%" PRId32 "/status", helper->tid);
	return condition_at(helper->async->proc, path);
}

/* Notes that the helper has used the CPU for ns since it was last checked.  If its only switch was
 * the one at which it blocked, it has not moved after those ns. */
static void note_run(struct helper *helper, uint64_t ns)
{
	struct condition seen = condition_of(helper);

	if (helper->blocking > 0 && seen.switches == helper->blocking && seen.state != 'R')
		atomic_fetch_add(&helper->moved_ns, ns);
	else
		atomic_store(&helper->moved_ns, clock_now());
	helper->blocking = 0;
}

/* Returns for how long a busy helper has not moved. */
static uint64_t look(struct helper *helper)
{
	uint64_t now = clock_now(), used = helper->cpu_ns;
	clockid_t clock;

	if (pthread_getcpuclockid(helper->thread, &clock) == 0)
		used = clock_ns(clock);
	if (used != helper->cpu_ns)
		note_run(helper, used - helper->cpu_ns);
	helper->cpu_ns = used;
	uint64_t moved = atomic_load(&helper->moved_ns);
	return now > moved ? now - moved : 0;
}

/* Whether the helper has been blocked for ns, as defined in docs/design.md; unknown: the result if
 * its state cannot be read. */
static bool is_blocked(struct helper *helper, uint64_t ns, bool unknown)
{
	if (look(helper) < ns) {
		helper->known_blocked = false;
		return false;
	}
	char state = condition_of(helper).state;
	if (state == 'R')
		atomic_store(&helper->moved_ns, clock_now());
	helper->known_blocked = state == '?' ? unknown : state != 'R';
	return helper->known_blocked;
}

enum hold { NO_HOLD, READS, BLOCKS };

/* Returns how a helper holds up the waiting jobs; a known block is not checked again. */
static enum hold hold_of(struct helper *helper)
{
	if (atomic_load(&helper->state) != BUSY || clock_now() - helper->begun_ns < RELIEF_NS)
		return NO_HOLD;
	return (helper->known_blocked && look(helper) >= RELIEF_NS) ||
			       is_blocked(helper, RELIEF_NS, true)
		       ? BLOCKS
		       : READS;
}

static int start_helper(struct async *async)
{
	if (async->n_helpers + lost.n >= ASYNC_HELPERS)
		return -ETIMEDOUT;
	struct helper *helper = calloc(1, sizeof *helper);
	if (!helper)
		return -ENOMEM;
	helper->async = async;
	int r = helper_start(&helper->thread, STACK_SIZE, helper_run, helper);
	if (r < 0) {
		free_helper(helper);
		return r;
	}
	helper->next = async->helpers;
	async->helpers = helper;
	async->n_helpers++;
	return 0;
}

/* Starts helpers for the waiting jobs if all helpers are held up: one for each that is blocked and
 * some more, as the next jobs may block, too; only a few more if some read for long. */
static int add_helper(struct async *async)
{
	unsigned n[] = {0, 0, 0};
	int r = 0;

	for (struct helper *helper = async->helpers; helper; helper = helper->next)
		n[hold_of(helper)]++;
	if (n[NO_HOLD] > 0 || n[READS] >= READERS)
		return 0;
	unsigned more = n[BLOCKS] + (n[READS] > 0 ? READERS - n[READS] : RELIEF);
	more = more < async->n_waiting ? more : async->n_waiting;
	for (unsigned i = 0; r == 0 && i < more; i++)
		r = start_helper(async);
	return async->helpers ? 0 : r;
}

/* ---- the worker ------------------------------------------------------- */

int async_open(async_read_fn *read_file, int proc, struct async **ret)
{
	struct async *async = calloc(1, sizeof *async);

	if (!async)
		return -ENOMEM;
	async->read_file = read_file;
	async->proc = proc;
	(void)pthread_mutex_init(&async->lock, NULL);
	hold_init_condition(&async->work);
	hold_init_condition(&async->changed);
	*ret = async;
	return 0;
}

static void ask_to_close(struct async *async)
{
	HOLD(&async->lock);
	async->closing = true;
	(void)pthread_cond_broadcast(&async->work);
}

void async_close(struct async *async)
{
	ask_to_close(async);
	while (async->helpers) {
		struct helper *helper = async->helpers;

		async->helpers = helper->next;
		(void)pthread_join(helper->thread, NULL);
		free_helper(helper);
	}
	(void)pthread_cond_destroy(&async->work);
	(void)pthread_cond_destroy(&async->changed);
	(void)pthread_mutex_destroy(&async->lock);
	free(async);
}

struct async_job *async_job(struct async *async, unsigned i)
{
	return &async->jobs[i];
}

void async_submit(struct async *async, unsigned i)
{
	HOLD(&async->lock);
	async->waiting[(async->first + async->n_waiting++) % ASYNC_JOBS] = i;
	async->is_open[i] = true;
	async->n_open++;
	if (!async->helpers)
		(void)start_helper(async);
	(void)pthread_cond_signal(&async->work);
}

int async_wait(struct async *async, uint64_t ns)
{
	HOLD(&async->lock);
	uint64_t until = clock_now() + (async->n_waiting > 0 && ns > RELIEF_NS ? RELIEF_NS : ns);

	while (async->n_open > 0 && (async->n_done == 0 || async->n_waiting > 0))
		if (!hold_wait(&async->changed, &async->lock, until))
			break;
	return async->n_waiting > 0 ? add_helper(async) : 0;
}

bool async_wants_more(struct async *async, unsigned *ret)
{
	HOLD(&async->lock);
	if (async->n_waiting >= ASYNC_AHEAD || async->n_open == ASYNC_JOBS)
		return false;
	for (*ret = 0; async->is_open[*ret];)
		++*ret;
	return true;
}

bool async_is_busy(struct async *async)
{
	HOLD(&async->lock);
	return async->n_open > 0;
}

/* Frees job i for the worker; the lock must be held. */
static void give_back(struct async *async, unsigned i, unsigned *ret)
{
	async->is_open[i] = false;
	async->n_open--;
	*ret = i;
}

bool async_take(struct async *async, unsigned *ret)
{
	HOLD(&async->lock);
	if (async->n_done == 0)
		return false;
	give_back(async, async->done[--async->n_done], ret);
	return true;
}

bool async_cancel(struct async *async, unsigned *ret)
{
	HOLD(&async->lock);
	if (async->n_waiting == 0)
		return false;
	give_back(async, async->waiting[(async->first + --async->n_waiting) % ASYNC_JOBS], ret);
	return true;
}

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value < most ? value : most;
}

/* Whether the job's process is neither running nor runnable and has not run since the job began: if
 * it holds the lock, it does nothing that would lead to releasing it. */
static bool is_at_rest(const struct helper *helper)
{
	char path[32];

	if (helper->target_ns == 0 || clock_cpu_ns_of(helper->job.tgid) != helper->target_ns)
		return false;
	(void)snprintf(path, sizeof path, "%" PRId32 "/status", helper->job.tgid);
	return condition_at(helper->async->proc, path).state != 'R';
}

/* Returns how long to wait for a blocked job: as long as the capture had taken when the job began,
 * so that the wait at most doubles that and is longer on a slow host, but at least a part of the
 * timeout.  The time is shorter if the process is at rest, and after other jobs were abandoned. */
static uint64_t time_to_block(const struct async_limits *job_limits, const struct helper *helper,
			      bool at_rest)
{
	unsigned spent = atomic_load(&job_limits->spent);
	uint64_t whole = job_limits->timeout_ns;
	uint64_t taken = helper->begun_ns - job_limits->begun_ns;
	uint64_t first = clamp(taken, whole / LEAST_FIRST, whole);

	if (at_rest)
		first /= AT_REST;
	return clamp(first >> (spent < HALVED_MAX ? spent : HALVED_MAX),
		     whole < LEAST_NS ? whole : LEAST_NS, whole);
}

void async_limits_again(struct async_limits *job_limits)
{
	if (job_limits->begun_ns > 0)
		job_limits->begun_ns = clock_now();
	atomic_store(&job_limits->spent, 0);
	owner_again();
}

static bool has_blocked(struct helper *helper, const struct async_limits *job_limits)
{
	if (atomic_load(&helper->waits_for_own) ||
	    look(helper) < time_to_block(job_limits, helper, true))
		return false;
	return is_blocked(helper, time_to_block(job_limits, helper, is_at_rest(helper)), false);
}

static bool has_overrun(struct helper *helper, const struct async_limits *job_limits)
{
	uint64_t whole = job_limits->whole_ns ? job_limits->whole_ns : job_limits->timeout_ns;

	return atomic_load(&helper->state) == BUSY &&
	       (clock_now() - helper->begun_ns >= whole || has_blocked(helper, job_limits));
}

/* Abandons the helper; false if it has finished its job meanwhile. */
static bool abandon(struct helper *helper)
{
	int busy = BUSY;
	HOLD(&lost.lock);

	if (!atomic_compare_exchange_strong(&helper->state, &busy, ABANDONED))
		return false;
	helper->next = lost.first;
	lost.first = helper;
	lost.n++;
	return true;
}

bool async_abandon(struct async *async, struct async_limits *job_limits, unsigned *ret,
		   uint64_t *ret_ns)
{
	HOLD(&async->lock);
	struct helper **place = &async->helpers;

	while (*place && !has_overrun(*place, job_limits))
		place = &(*place)->next;
	struct helper *helper = *place;
	if (!helper)
		return false;
	unsigned number = helper->number;
	uint64_t begun = helper->begun_ns;
	pthread_t thread = helper->thread;
	struct helper *next = helper->next;
	owner_charge(async->proc, async->jobs[number].tgid, helper->cpu_ns - helper->begun_cpu_ns);
	/* This must precede abandon(), after which the helper may end at once. */
	helper_pin_code();
	if (!abandon(helper))
		return false;
	(void)pthread_detach(thread);
	*place = next;
	async->n_helpers--;
	give_back(async, number, ret);
	atomic_fetch_add(&job_limits->spent, 1);
	*ret_ns = clock_now() - begun;
	return true;
}

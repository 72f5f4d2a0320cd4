/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lane.h"

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

/* Large, as some jobs query directory services, which load libraries of their own. */
#define STACK_SIZE (1024u * 1024)
/* A job that blocks this long holds up others: another helper is cheaper. */
#define RELIEF_NS UINT64_C(2000000)
#define RELIEF 8u
/* At most this many helpers with long reads work at the same time. */
#define READERS 3u
/* The minimum time that a blocked job gets: a part of the timeout at first, LEAST_NS after others
 * were given up. */
#define LEAST_FIRST 8u
#define LEAST_NS UINT64_C(15000000)
/* The divisor of this time if the job's process does nothing. */
#define AT_REST 8u
#define HALVED_MAX 4u

/* Decides who settles a job: the worker that abandons it, or the helper that finishes it. */
enum { IDLE, BUSY, ABANDONED };

struct helper {
	struct helper *next;
	struct lane *lane; /* must not be used once abandoned */
	pthread_t thread;
	pid_t tid;
	_Atomic int state;
	_Atomic bool waits_for_own, reads_memory;
	_Atomic uint64_t moved_ns; /* when it last used the CPU, as far as is known */
	uint64_t begun_ns, begun_cpu_ns;
	uint64_t cpu_ns;    /* CPU time when it was last checked */
	uint64_t blocking;  /* its switch count after blocking just once; 0: it has run since */
	uint64_t target_ns; /* CPU time of the job's process when the job began */
	bool known_blocked; /* since it last moved */
	unsigned number;    /* of the job */
	struct lane_job job;
	void *context;
	void (*leave)(void *context);
	char chunk[LANE_CHUNK];
};

struct lane {
	pthread_mutex_t lock;
	pthread_cond_t work; /* for helpers: jobs, or the end */
	pthread_cond_t news; /* for the worker */
	lane_read_fn *read_file;
	int proc;
	/* Protected by the lock, from here on. */
	struct helper *helpers; /* without abandoned ones */
	unsigned n_helpers;
	bool closing;
	unsigned first, n_waiting; /* of the ring waiting[] */
	unsigned waiting[LANE_JOBS];
	unsigned n_done, n_open;
	unsigned done[LANE_JOBS];
	bool is_open[LANE_JOBS]; /* handed over */
	struct lane_job jobs[LANE_JOBS];
};

/* Helpers that any lane has abandoned and that have not returned yet. */
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

bool lane_has_lost(int32_t tgid, int proc)
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
static int read_job(struct helper *helper, lane_read_fn *read_file)
{
	const struct lane_job *job = &helper->job;
	AUTO_FD fd = job->fd;
	size_t kept = 0;
	bool empty = true;

	for (;;) {
		ssize_t got = read_file(fd, helper->chunk + kept, LANE_CHUNK - kept);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		empty = empty && got == 0;
		size_t have = kept + (size_t)got;
		size_t used = job->consumer->take(job->data, helper->chunk, have, got == 0);
		if (got == 0)
			break;
		/* The kernel writes no line as long as the chunk: drop it. */
		kept = used == 0 && have == LANE_CHUNK ? 0 : have - used;
		memmove(helper->chunk, helper->chunk + have - kept, kept);
	}
	/* smaps, and an old smaps_rollup, are empty for a thread without memory. */
	return empty ? ESRCH : 0;
}

static void do_job(struct helper *helper, lane_read_fn *read_file)
{
	struct lane_job *job = &helper->job;
	const struct lane_consumer *consumer = job->consumer;

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
	struct lane *lane = helper->lane;
	HOLD(&lane->lock);

	while (lane->n_waiting == 0 && !lane->closing)
		(void)pthread_cond_wait(&lane->work, &lane->lock);
	if (lane->closing)
		return false;
	helper->number = lane->waiting[lane->first];
	lane->first = (lane->first + 1) % LANE_JOBS;
	lane->n_waiting--;
	helper->job = lane->jobs[helper->number];
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
	struct lane *lane = helper->lane;

	/* Before the next job begins, which may concern the same owner. */
	owner_charge(lane->proc, helper->job.tgid, helper->job.cpu_ns);
	HOLD(&lane->lock);
	lane->jobs[helper->number] = helper->job;
	lane->done[lane->n_done++] = helper->number;
	if (lane->n_waiting == 0)
		(void)pthread_cond_signal(&lane->news);
}

static void *helper_run(void *data)
{
	struct helper *helper = data;
	lane_read_fn *read_file = helper->lane->read_file;
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
		return NULL; /* lane_close() frees it */
	helper->job.consumer->drop(helper->job.data);
	remove_lost(helper);
	free_helper(helper);
	return NULL;
}

void lane_moves(void)
{
	if (own)
		atomic_store(&own->moved_ns, clock_now());
}

void lane_reads_memory(bool reads)
{
	if (own)
		atomic_store(&own->reads_memory, reads);
	lane_moves();
}

void lane_waits_for_own(bool for_own)
{
	if (own)
		atomic_store(&own->waits_for_own, for_own);
	lane_moves();
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
	return condition_at(helper->lane->proc, path);
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

static int start_helper(struct lane *lane)
{
	if (lane->n_helpers + lost.n >= LANE_HELPERS)
		return -ETIMEDOUT;
	struct helper *helper = calloc(1, sizeof *helper);
	if (!helper)
		return -ENOMEM;
	helper->lane = lane;
	int r = helper_start(&helper->thread, STACK_SIZE, helper_run, helper);
	if (r < 0) {
		free_helper(helper);
		return r;
	}
	helper->next = lane->helpers;
	lane->helpers = helper;
	lane->n_helpers++;
	return 0;
}

/* Starts helpers for the waiting jobs if all helpers are held up: one for each that is blocked and
 * some more, as the next jobs may block, too; only a few more if some read for long. */
static int relieve(struct lane *lane)
{
	unsigned n[] = {0, 0, 0};
	int r = 0;

	for (struct helper *helper = lane->helpers; helper; helper = helper->next)
		n[hold_of(helper)]++;
	if (n[NO_HOLD] > 0 || n[READS] >= READERS)
		return 0;
	unsigned more = n[BLOCKS] + (n[READS] > 0 ? READERS - n[READS] : RELIEF);
	more = more < lane->n_waiting ? more : lane->n_waiting;
	for (unsigned i = 0; r == 0 && i < more; i++)
		r = start_helper(lane);
	return lane->helpers ? 0 : r;
}

/* ---- the worker ------------------------------------------------------- */

int lane_open(lane_read_fn *read_file, int proc, struct lane **ret)
{
	struct lane *lane = calloc(1, sizeof *lane);

	if (!lane)
		return -ENOMEM;
	lane->read_file = read_file;
	lane->proc = proc;
	(void)pthread_mutex_init(&lane->lock, NULL);
	hold_init_condition(&lane->work);
	hold_init_condition(&lane->news);
	*ret = lane;
	return 0;
}

static void tell_to_close(struct lane *lane)
{
	HOLD(&lane->lock);
	lane->closing = true;
	(void)pthread_cond_broadcast(&lane->work);
}

void lane_close(struct lane *lane)
{
	tell_to_close(lane);
	while (lane->helpers) {
		struct helper *helper = lane->helpers;

		lane->helpers = helper->next;
		(void)pthread_join(helper->thread, NULL);
		free_helper(helper);
	}
	(void)pthread_cond_destroy(&lane->work);
	(void)pthread_cond_destroy(&lane->news);
	(void)pthread_mutex_destroy(&lane->lock);
	free(lane);
}

struct lane_job *lane_job(struct lane *lane, unsigned i)
{
	return &lane->jobs[i];
}

void lane_submit(struct lane *lane, unsigned i)
{
	HOLD(&lane->lock);
	lane->waiting[(lane->first + lane->n_waiting++) % LANE_JOBS] = i;
	lane->is_open[i] = true;
	lane->n_open++;
	if (!lane->helpers)
		(void)start_helper(lane);
	(void)pthread_cond_signal(&lane->work);
}

int lane_wait(struct lane *lane, uint64_t ns)
{
	HOLD(&lane->lock);
	uint64_t until = clock_now() + (lane->n_waiting > 0 && ns > RELIEF_NS ? RELIEF_NS : ns);

	while (lane->n_open > 0 && (lane->n_done == 0 || lane->n_waiting > 0))
		if (!hold_wait(&lane->news, &lane->lock, until))
			break;
	return lane->n_waiting > 0 ? relieve(lane) : 0;
}

bool lane_wants_more(struct lane *lane, unsigned *ret)
{
	HOLD(&lane->lock);
	if (lane->n_waiting >= LANE_AHEAD || lane->n_open == LANE_JOBS)
		return false;
	for (*ret = 0; lane->is_open[*ret];)
		++*ret;
	return true;
}

bool lane_is_busy(struct lane *lane)
{
	HOLD(&lane->lock);
	return lane->n_open > 0;
}

/* Frees job i for the worker; the lock must be held. */
static void give_back(struct lane *lane, unsigned i, unsigned *ret)
{
	lane->is_open[i] = false;
	lane->n_open--;
	*ret = i;
}

bool lane_take(struct lane *lane, unsigned *ret)
{
	HOLD(&lane->lock);
	if (lane->n_done == 0)
		return false;
	give_back(lane, lane->done[--lane->n_done], ret);
	return true;
}

bool lane_withdraw(struct lane *lane, unsigned *ret)
{
	HOLD(&lane->lock);
	if (lane->n_waiting == 0)
		return false;
	give_back(lane, lane->waiting[(lane->first + --lane->n_waiting) % LANE_JOBS], ret);
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
	return condition_at(helper->lane->proc, path).state != 'R';
}

/* Returns how long to wait for a blocked job: as long as the capture had taken when the job began,
 * so that the wait at most doubles that and is longer on a slow host, but at least a part of the
 * timeout.  The time is shorter if the process is at rest, and after other jobs were given up. */
static uint64_t time_to_block(const struct lane_patience *patience, const struct helper *helper,
			      bool at_rest)
{
	unsigned spent = atomic_load(&patience->spent);
	uint64_t whole = patience->timeout_ns;
	uint64_t taken = helper->begun_ns - patience->begun_ns;
	uint64_t first = clamp(taken, whole / LEAST_FIRST, whole);

	if (at_rest)
		first /= AT_REST;
	return clamp(first >> (spent < HALVED_MAX ? spent : HALVED_MAX),
		     whole < LEAST_NS ? whole : LEAST_NS, whole);
}

void lane_patience_again(struct lane_patience *patience)
{
	if (patience->begun_ns > 0)
		patience->begun_ns = clock_now();
	atomic_store(&patience->spent, 0);
	owner_again();
}

static bool has_blocked(struct helper *helper, const struct lane_patience *patience)
{
	if (atomic_load(&helper->waits_for_own) ||
	    look(helper) < time_to_block(patience, helper, true))
		return false;
	return is_blocked(helper, time_to_block(patience, helper, is_at_rest(helper)), false);
}

static bool has_overrun(struct helper *helper, const struct lane_patience *patience)
{
	uint64_t whole = patience->whole_ns ? patience->whole_ns : patience->timeout_ns;

	return atomic_load(&helper->state) == BUSY &&
	       (clock_now() - helper->begun_ns >= whole || has_blocked(helper, patience));
}

/* Abandons the helper; false if it has finished its job meanwhile. */
static bool leave_behind(struct helper *helper)
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

bool lane_abandon(struct lane *lane, struct lane_patience *patience, unsigned *ret,
		  uint64_t *ret_ns)
{
	HOLD(&lane->lock);
	struct helper **place = &lane->helpers;

	while (*place && !has_overrun(*place, patience))
		place = &(*place)->next;
	struct helper *helper = *place;
	if (!helper)
		return false;
	unsigned number = helper->number;
	uint64_t begun = helper->begun_ns;
	pthread_t thread = helper->thread;
	struct helper *next = helper->next;
	owner_charge(lane->proc, lane->jobs[number].tgid, helper->cpu_ns - helper->begun_cpu_ns);
	/* This must precede leave_behind(), after which the helper may end at once. */
	helper_pin_code();
	if (!leave_behind(helper))
		return false;
	(void)pthread_detach(thread);
	*place = next;
	lane->n_helpers--;
	give_back(lane, number, ret);
	atomic_fetch_add(&patience->spent, 1);
	*ret_ns = clock_now() - begun;
	return true;
}

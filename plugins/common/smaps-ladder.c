/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps-ladder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"
#include "newer-host.h"
#include "owner.h"
#include "thread-file.h"

#define NS_PER_MS 1000000u

/* After this many, warnings are shown only with -v. */
#define WARNINGS_MAX 4u
/* How often a waiting worker checks the limits. */
#define SLICE_NS (4u * NS_PER_MS)
/* The number of siblings to try when a leader has exited: each may be exiting, too. */
#define SIBLINGS_MAX 4u

/* One leader on its way down the ladder. */
struct smaps_attempt {
	const struct ctprof_target *target;
	struct smaps_answer answer; /* as far as known */
	int32_t tid;                /* the thread whose files are tried */
	int fd;
	unsigned n_siblings; /* left to try */
	int32_t siblings[SIBLINGS_MAX];
	bool searched;
};

/* The first file, and the one for kernels without it. */
static const struct {
	const char *first, *second;
} rungs[] = {
	[SMAPS_AUTO] = {"smaps_rollup", "smaps"},
	[SMAPS_ROLLUP] = {"smaps_rollup", NULL},
	[SMAPS_FULL] = {NULL, "smaps"},
	[SMAPS_CMDLINE] = {"cmdline", NULL},
};

/* ---- limits ----------------------------------------------------------- */

const struct ctprof_option_word smaps_modes[SMAPS_N_MODES] = {
	OPTION_WORD("auto", "within the budget"),
	OPTION_WORD("always", NULL),
	OPTION_WORD("never", NULL),
};

void smaps_limits_configure(struct smaps_limits *ret, const struct ctprof_host *host)
{
	const char *mode = host->option(host, "smaps");

	ret->never = mode && strcmp(mode, "never") == 0;
	ret->unlimited = mode && strcmp(mode, "always") == 0;
	ret->read_file = read;
	ret->job_limits = (struct async_limits){
		.begun_ns = clock_now(),
		.timeout_ns = option_u64(host, "smaps-timeout", SMAPS_TIMEOUT_S * NS_PER_S),
	};
	ret->budget_ns = option_u64(host, "smaps-budget", SMAPS_BUDGET_S * NS_PER_S);
	owner_again();
}

void smaps_limits_again(struct smaps_limits *limits)
{
	atomic_store(&limits->spent_ns, 0);
	async_limits_again(&limits->job_limits);
}

uint64_t smaps_limits_left(struct smaps_limits *limits)
{
	uint64_t spent = atomic_load(&limits->spent_ns);

	if (limits->unlimited)
		return UINT64_MAX;
	return spent < limits->budget_ns ? limits->budget_ns - spent : 0;
}

/* Returns the limit of one owner: half of the budget. */
static uint64_t smaps_limits_share(const struct smaps_limits *limits)
{
	return limits->unlimited ? 0 : limits->budget_ns / 2;
}

static bool out_of_time(const struct smaps_ladder *ladder)
{
	return ladder->is_spent || smaps_limits_left(ladder->limits) == 0;
}

/* ---- answers ---------------------------------------------------------- */

static void answer(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
		   struct smaps_attempt *attempt, enum smaps_end end, int err)
{
	running_progress(ladder->host);
	attempt->answer.end = end;
	attempt->answer.err = err;
	attempt->answer.sibling = attempt->tid != attempt->target->tid;
	ladder->use->answer(ladder->self, batch, &attempt->answer);
}

/* ---- climbing -------------------------------------------------------- */

static bool next_sibling(const struct ctprof_host *host, struct smaps_attempt *attempt)
{
	if (!attempt->searched)
		attempt->n_siblings =
			thread_file_siblings(host, attempt->target->task_fd, attempt->target->tid,
					     attempt->siblings, SIBLINGS_MAX);
	attempt->searched = true;
	if (attempt->n_siblings == 0)
		return false;
	attempt->tid = attempt->siblings[--attempt->n_siblings];
	return true;
}

static const char *rung(const struct smaps_ladder *ladder, const struct smaps_attempt *attempt)
{
	return attempt->answer.per_mapping ? rungs[ladder->files].second
					   : rungs[ladder->files].first;
}

static int open_rung(const struct smaps_ladder *ladder, struct smaps_attempt *attempt)
{
	const struct ctprof_host *host = ladder->host;
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, attempt->tid, rung(ladder, attempt));
	attempt->fd = host->open_file(host, attempt->target->task_fd, path);
	return attempt->fd < 0 ? -attempt->fd : 0;
}

/*
 * Opens the next file after the current one failed with err (0: the first). True if there is a file
 * to read; otherwise the row has its answer.
 */
static bool climb(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
		  struct smaps_attempt *attempt, int err)
{
	const struct ctprof_host *host = ladder->host;

	for (;;) {
		if (err == 0)
			err = open_rung(ladder, attempt);
		if (err == 0)
			return true;
		bool gone = (err == ENOENT || err == ESRCH) &&
			    thread_file_gone(host, attempt->target->task_fd, attempt->tid);
		if (err == ENOENT && !gone && !attempt->answer.per_mapping &&
		    rungs[ladder->files].second) {
			attempt->answer.per_mapping = true;
		} else if (gone && attempt->tid == attempt->target->tid) {
			answer(ladder, batch, attempt, SMAPS_VANISHED, 0);
			return false;
		} else if (!gone && err != ESRCH) {
			answer(ladder, batch, attempt, SMAPS_FAILED, err);
			return false;
		} else if (!next_sibling(host, attempt)) {
			/* No thread has memory: the process is a zombie, or is just exiting. */
			answer(ladder, batch, attempt, SMAPS_NOT_APPLICABLE, 0);
			return false;
		}
		err = 0;
	}
}

/* Starts with the first file; false if the row already has its answer. */
static bool start_attempt(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
			  const struct smaps_want *want, struct smaps_attempt *ret)
{
	*ret = (struct smaps_attempt){
		.target = ctprof_batch_target(batch, want->row),
		.answer = {.row = want->row, .per_mapping = !rungs[ladder->files].first},
	};
	ret->tid = ret->target->tid;
	if (want->kernel_thread) {
		answer(ladder, batch, ret, SMAPS_NOT_APPLICABLE, 0);
	} else if (want->left_out) {
		answer(ladder, batch, ret, SMAPS_TOO_DEAR, 0);
	} else if (ladder->limits->never) {
		answer(ladder, batch, ret, SMAPS_SKIPPED, 0);
	} else if (stuck_is(ladder->host, batch, want->row)) {
		answer(ladder, batch, ret, SMAPS_TIMEOUT, ETIMEDOUT);
	} else if (async_has_lost(ret->target->tgid, -1)) {
		stuck_mark(ladder->host, batch, want->row);
		answer(ladder, batch, ret, SMAPS_TIMEOUT, ETIMEDOUT);
	} else if (owner_is_spent(ladder->host->root(ladder->host, CTPROF_ROOT_PROC),
				  ret->target->tgid, smaps_limits_share(ladder->limits))) {
		answer(ladder, batch, ret, SMAPS_TIMEOUT, 0);
	} else if (!ladder->use->admit || ladder->use->admit(ladder->self, batch, want->row)) {
		if (!out_of_time(ladder))
			return climb(ladder, batch, ret, want->exited ? ESRCH : 0);
		answer(ladder, batch, ret, SMAPS_TIMEOUT, 0);
	}
	return false;
}

/* ---- jobs of helpers -------------------------------------------------- */

static void give_up(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
		    struct smaps_attempt *attempt, int err)
{
	(void)close(attempt->fd);
	if (err == ETIMEDOUT)
		answer(ladder, batch, attempt, SMAPS_TIMEOUT, 0);
	else
		answer(ladder, batch, attempt, SMAPS_FAILED, err);
}

/* Hands over job i, whose file is open. */
static void submit(struct smaps_ladder *ladder, struct ctprof_batch *batch, unsigned i)
{
	struct smaps_attempt *attempt = &ladder->attempts[i];

	if (!ladder->data[i])
		ladder->data[i] = calloc(1, ladder->use->data_size);
	if (!ladder->data[i]) {
		give_up(ladder, batch, attempt, ENOMEM);
		return;
	}
	ladder->use->reset(ladder->self, ladder->data[i], attempt->answer.per_mapping);
	*async_job(ladder->async, i) = (struct async_job){
		.fd = attempt->fd,
		.tgid = attempt->target->tgid,
		.consumer = &ladder->use->consumer,
		.data = ladder->data[i],
	};
	async_submit(ladder->async, i);
}

/* Answers the row after a read, or continues with the next file. */
static void take_answer(struct smaps_ladder *ladder, struct ctprof_batch *batch, unsigned i)
{
	const struct async_job *job = async_job(ladder->async, i);
	struct smaps_attempt *attempt = &ladder->attempts[i];

	attempt->answer.ns += job->ns;
	if (job->err) {
		if (climb(ladder, batch, attempt, job->err))
			submit(ladder, batch, i);
		return;
	}
	attempt->answer.data = job->data;
	answer(ladder, batch, attempt, SMAPS_READ, 0);
}

/* Answers the row of job i, which overran; its helper was abandoned. */
static void abandon(struct smaps_ladder *ladder, struct ctprof_batch *batch, unsigned i,
		    uint64_t ns)
{
	const struct ctprof_host *host = ladder->host;
	struct smaps_attempt *attempt = &ladder->attempts[i];
	unsigned n = ++ladder->limits->n_abandoned;

	ladder->data[i] = NULL;
	stuck_mark(host, batch, attempt->answer.row);
	host->log(host, n <= WARNINGS_MAX ? CTPROF_LOG_WARNING : CTPROF_LOG_INFO,
		  "%s of process %d: no answer within %" PRIu64 " ms, left out",
		  rung(ladder, attempt), (int)attempt->target->tgid, ns / NS_PER_MS);
	attempt->answer.ns += ns;
	answer(ladder, batch, attempt, SMAPS_TIMEOUT, ETIMEDOUT);
}

/* Waits for a while, charged to the budget; -errno: no more jobs can start. */
static int wait_slice(struct smaps_ladder *ladder)
{
	uint64_t before = clock_now();
	int r = async_wait(ladder->async, SLICE_NS);

	atomic_fetch_add(&ladder->limits->spent_ns, clock_now() - before);
	ladder->is_spent = ladder->is_spent || r == -ETIMEDOUT;
	return r < 0 ? r : smaps_limits_left(ladder->limits) == 0 ? -ETIMEDOUT : 0;
}

/* Waits, and takes finished jobs. */
static void take_some(struct smaps_ladder *ladder, struct ctprof_batch *batch)
{
	int r = wait_slice(ladder);
	uint64_t ns;
	unsigned i;

	while (async_take(ladder->async, &i))
		take_answer(ladder, batch, i);
	while (async_abandon(ladder->async, &ladder->limits->job_limits, &i, &ns))
		abandon(ladder, batch, i, ns);
	while (r < 0 && async_cancel(ladder->async, &i))
		give_up(ladder, batch, &ladder->attempts[i], -r);
}

static void start_some(struct smaps_ladder *ladder, struct ctprof_batch *batch, size_t *next)
{
	unsigned i;

	while (*next < ladder->n && async_wants_more(ladder->async, &i))
		if (start_attempt(ladder, batch, &ladder->wants[(*next)++], &ladder->attempts[i]))
			submit(ladder, batch, i);
}

/* ---- a batch ---------------------------------------------------------- */

void smaps_ladder_init(struct smaps_ladder *ret, const struct ctprof_host *host,
		       struct smaps_limits *limits, enum smaps_files files,
		       const struct smaps_use *use, void *self)
{
	*ret = (struct smaps_ladder){
		.host = host, .limits = limits, .files = files, .use = use, .self = self};
}

void smaps_ladder_clear(struct smaps_ladder *ladder)
{
	if (ladder->async)
		async_close(ladder->async);
	for (unsigned i = 0; i < ASYNC_JOBS; i++)
		if (ladder->data[i])
			ladder->use->consumer.drop(ladder->data[i]);
	free(ladder->attempts);
	free(ladder->wants);
	*ladder = (struct smaps_ladder){0};
}

int smaps_ladder_begin(struct smaps_ladder *ladder, uint64_t rows)
{
	const struct ctprof_host *host = ladder->host;

	ladder->n = 0;
	if (!ladder->attempts)
		ladder->attempts = calloc(ASYNC_JOBS, sizeof *ladder->attempts);
	if (!ladder->attempts)
		return -ENOMEM;
	int r = ladder->async ? 0
			      : async_open(ladder->limits->read_file,
					   host->root(host, CTPROF_ROOT_PROC), &ladder->async);
	if (r < 0)
		return r;
	return list_reserve(&ladder->wants, &ladder->room, (size_t)rows, SIZE_MAX,
			    sizeof *ladder->wants);
}

void smaps_ladder_add(struct smaps_ladder *ladder, struct smaps_want want)
{
	if (ladder->n < ladder->room)
		ladder->wants[ladder->n++] = want;
}

void smaps_ladder_finish(struct smaps_ladder *ladder, struct ctprof_batch *batch)
{
	size_t next = 0;

	while (next < ladder->n || async_is_busy(ladder->async)) {
		start_some(ladder, batch, &next);
		take_some(ladder, batch);
	}
	owner_report(ladder->host);
}

/* ---- sums ------------------------------------------------------------- */

void smaps_use_reset_sums(void *self, void *data, bool per_mapping)
{
	(void)self;
	smaps_sums_reset(data, per_mapping);
}

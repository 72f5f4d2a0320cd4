/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps-ladder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list.h"
#include "thread-file.h"

#define NS_PER_MS 1000000u

/* An abandoned helper holds a stack and 100 KiB: so their number is limited. */
#define ABANDONED_MAX 64u
/* Each one left behind halves the time for the next, to this part of it at least: many
 * that are stuck must not take the time of all others. */
#define PATIENCE_HALVED_MAX 3u
/* More of them are told to those who want to know. */
#define WARNINGS_MAX 4u
/* How often a waiting worker looks at the budget. */
#define SLICE_NS (50u * NS_PER_MS)
/* Siblings tried when a leader has exited: each may be exiting too. */
#define SIBLINGS_MAX 4u

/* One leader on its way down the ladder. */
struct attempt {
	const struct ctprof_target *target;
	struct smaps_answer answer; /* as far as it is known */
	int32_t tid;                /* whose files are tried */
	int fd;
	unsigned n_siblings; /* left to try */
	int32_t siblings[SIBLINGS_MAX];
	bool searched;
};

/* The first rung, and the one for kernels that do not have it. */
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
	ret->timeout_ns = option_u64(host, "smaps-timeout", SMAPS_TIMEOUT_S * SMAPS_NS_PER_S);
	ret->budget_ns = option_u64(host, "smaps-budget", SMAPS_BUDGET_S * SMAPS_NS_PER_S);
}

uint64_t smaps_limits_left(struct smaps_limits *limits)
{
	uint64_t spent = atomic_load(&limits->spent_ns);

	if (limits->unlimited)
		return UINT64_MAX;
	return spent < limits->budget_ns ? limits->budget_ns - spent : 0;
}

static bool out_of_time(const struct smaps_ladder *ladder)
{
	return ladder->abandoned >= ABANDONED_MAX || smaps_limits_left(ladder->limits) == 0;
}

/* ---- answers ---------------------------------------------------------- */

static void answer(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
		   struct attempt *attempt, enum smaps_end end, int err)
{
	attempt->answer.end = end;
	attempt->answer.err = err;
	attempt->answer.sibling = attempt->tid != attempt->target->tid;
	ladder->use->answer(ladder->self, batch, &attempt->answer);
}

/* ---- climbing -------------------------------------------------------- */

static bool next_sibling(const struct ctprof_host *host, struct attempt *attempt)
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

static const char *rung(const struct smaps_ladder *ladder, const struct attempt *attempt)
{
	return attempt->answer.per_mapping ? rungs[ladder->files].second
					   : rungs[ladder->files].first;
}

static int open_rung(const struct smaps_ladder *ladder, struct attempt *attempt)
{
	const struct ctprof_host *host = ladder->host;
	char path[THREAD_FILE_PATH_MAX];

	thread_file_path(path, attempt->tid, rung(ladder, attempt));
	attempt->fd = host->open_file(host, attempt->target->task_fd, path);
	return attempt->fd < 0 ? -attempt->fd : 0;
}

/*
 * Opens the next file after the current one failed with err (0: the first).
 * True when there is one to read; else the row has its answer.
 */
static bool climb(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
		  struct attempt *attempt, int err)
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
			/* No thread has a memory: a zombie, or it is just dying. */
			answer(ladder, batch, attempt, SMAPS_NOT_APPLICABLE, 0);
			return false;
		}
		err = 0;
	}
}

/* First step; false when the row has its answer already. */
static bool start_attempt(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
			  const struct smaps_want *want, struct attempt *ret)
{
	*ret = (struct attempt){
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
	} else if (!ladder->use->admit || ladder->use->admit(ladder->self, batch, want->row)) {
		if (!out_of_time(ladder))
			return climb(ladder, batch, ret, want->exited ? ESRCH : 0);
		answer(ladder, batch, ret, SMAPS_TIMEOUT, 0);
	}
	return false;
}

/* ---- the helper's side ------------------------------------------------ */

static int ensure_data(struct smaps_ladder *ladder, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (!ladder->data[i])
			ladder->data[i] = calloc(1, ladder->use->data_size);
		if (!ladder->data[i])
			return ENOMEM;
	}
	return 0;
}

/* Positive errno; ETIMEDOUT when waiting any longer is out of the question. */
static int ensure_lane(struct smaps_ladder *ladder, unsigned n)
{
	if (out_of_time(ladder))
		return ETIMEDOUT;
	int err = ensure_data(ladder, n);
	if (err || ladder->lane)
		return err;
	return -lane_open(ladder->limits->read_file, &ladder->lane);
}

static void submit(struct smaps_ladder *ladder, const struct attempt *attempts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct lane_job *job = lane_job(ladder->lane, i);

		ladder->use->reset(ladder->self, ladder->data[i], attempts[i].answer.per_mapping);
		job->fd = attempts[i].fd;
		job->consumer = &ladder->use->consumer;
		job->data = ladder->data[i];
	}
	lane_submit(ladder->lane, n);
}

/* Answers a read attempt; true when it is to go on, with the next file open. */
static bool take_answer(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
			struct attempt *attempt, const struct lane_job *job)
{
	attempt->answer.ns += job->ns;
	if (job->err)
		return climb(ladder, batch, attempt, job->err);
	attempt->answer.data = job->data;
	answer(ladder, batch, attempt, SMAPS_READ, 0);
	return false;
}

static void give_up(const struct smaps_ladder *ladder, struct ctprof_batch *batch,
		    struct attempt *attempt, int err)
{
	(void)close(attempt->fd);
	if (err == ETIMEDOUT)
		answer(ladder, batch, attempt, SMAPS_TIMEOUT, 0);
	else
		answer(ladder, batch, attempt, SMAPS_FAILED, err);
}

static uint64_t patience_ns(const struct smaps_ladder *ladder)
{
	unsigned halved =
		ladder->abandoned < PATIENCE_HALVED_MAX ? ladder->abandoned : PATIENCE_HALVED_MAX;

	return ladder->limits->timeout_ns >> halved;
}

/* Whether the running job overran and its helper was abandoned. */
static bool leave_behind(struct smaps_ladder *ladder, struct ctprof_batch *batch,
			 struct attempt *attempt, const struct lane_progress *progress)
{
	const struct ctprof_host *host = ladder->host;
	uint64_t patience = patience_ns(ladder);
	uint64_t now = lane_clock_ns();

	if (progress->begun_ns == 0 || now < progress->begun_ns + patience ||
	    !lane_abandon(ladder->lane, progress->done))
		return false;
	ladder->lane = NULL;
	ladder->data[progress->done] = NULL;
	ladder->abandoned++;
	host->log(host, ladder->abandoned <= WARNINGS_MAX ? CTPROF_LOG_WARNING : CTPROF_LOG_INFO,
		  "%s of process %d: no answer within %" PRIu64 " ms, left out",
		  rung(ladder, attempt), (int)attempt->target->tgid, patience / NS_PER_MS);
	attempt->answer.ns += now - progress->begun_ns;
	answer(ladder, batch, attempt, SMAPS_TIMEOUT, ETIMEDOUT);
	return true;
}

/* Waits a while, at the expense of the budget. */
static struct lane_progress wait_slice(struct smaps_ladder *ladder)
{
	struct smaps_limits *limits = ladder->limits;
	uint64_t before = lane_clock_ns();
	uint64_t patience = patience_ns(ladder);
	struct lane_progress progress =
		lane_wait(ladder->lane, patience < SLICE_NS ? patience : SLICE_NS);

	atomic_fetch_add(&limits->spent_ns, lane_clock_ns() - before);
	return progress;
}

/*
 * One round: the helper reads the attempts' files.  Keeps, in front, those that
 * have another file to be read, and returns how many.
 */
static unsigned read_round(struct smaps_ladder *ladder, struct ctprof_batch *batch,
			   struct attempt *attempts, unsigned n)
{
	unsigned taken = 0, kept = 0;
	int err = ensure_lane(ladder, n);
	unsigned last = err ? 0 : n; /* jobs before it will be done */

	if (!err)
		submit(ladder, attempts, n);
	while (taken < last) {
		struct lane_progress progress = wait_slice(ladder);

		for (; taken < progress.done; taken++)
			if (take_answer(ladder, batch, &attempts[taken],
					lane_job(ladder->lane, taken)))
				attempts[kept++] = attempts[taken];
		if (taken >= last)
			break;
		if (leave_behind(ladder, batch, &attempts[taken], &progress)) {
			while (++taken < n)
				attempts[kept++] = attempts[taken];
		} else if (smaps_limits_left(ladder->limits) == 0) {
			last = lane_truncate(ladder->lane);
		}
	}
	for (; taken < n; taken++)
		give_up(ladder, batch, &attempts[taken], err ? err : ETIMEDOUT);
	return kept;
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
	if (ladder->lane)
		lane_close(ladder->lane);
	for (unsigned i = 0; i < LANE_JOBS; i++)
		if (ladder->data[i])
			ladder->use->consumer.drop(ladder->data[i]);
	free(ladder->wants);
	*ladder = (struct smaps_ladder){0};
}

int smaps_ladder_begin(struct smaps_ladder *ladder, uint64_t rows)
{
	ladder->n = 0;
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
	struct attempt attempts[LANE_JOBS];
	unsigned active = 0;
	size_t next = 0;

	do {
		while (active < LANE_JOBS && next < ladder->n)
			if (start_attempt(ladder, batch, &ladder->wants[next++], &attempts[active]))
				active++;
		if (active > 0)
			active = read_round(ladder, batch, attempts, active);
	} while (active > 0 || next < ladder->n);
}

/* ---- sums ------------------------------------------------------------- */

void smaps_use_reset_sums(void *self, void *data, bool per_mapping)
{
	(void)self;
	smaps_sums_reset(data, per_mapping);
}

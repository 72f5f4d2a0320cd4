/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "smaps.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

#define NS_PER_MS 1000000u
#define TIMEOUT_MS 1000u
#define BUDGET_MS 10000u
#define LIMIT_MS_MAX 3600000u

/* A helper left behind holds a stack and 100 KiB: not for ever more of them. */
#define ABANDONED_MAX 4u
/* How often a waiting worker looks at the budget. */
#define SLICE_NS (50u * NS_PER_MS)
/* Siblings tried when a leader has exited: each may be exiting too. */
#define SIBLINGS_MAX 4u

/* One leader on its way down the ladder. */
struct attempt {
	const struct smaps_want *want;
	const struct ctprof_target *target;
	int32_t tid; /* whose files are tried */
	bool per_mapping;
	int fd;
	unsigned n_siblings; /* left to try */
	int32_t siblings[SIBLINGS_MAX];
	bool searched;
};

/* ---- options ---------------------------------------------------------- */

static int read_limit(const struct ctprof_host *host, const char *key, uint64_t standard_ms,
		      uint64_t *ret_ns)
{
	const char *given = host->option(host, key);
	uint64_t ms = standard_ms;

	if (given &&
	    (!text_u64((struct text){given, strlen(given)}, &ms) || ms < 1 || ms > LIMIT_MS_MAX)) {
		host->error(host, "option %s: \"%s\" is not a number of milliseconds from 1 to %u",
			    key, given, LIMIT_MS_MAX);
		return -EINVAL;
	}
	*ret_ns = ms * NS_PER_MS;
	return 0;
}

int smaps_configure(struct smaps_config *ret, const struct ctprof_host *host)
{
	const char *mode = host->option(host, "smaps");

	if (!mode)
		mode = "auto";
	ret->never = strcmp(mode, "never") == 0;
	ret->unlimited = strcmp(mode, "always") == 0;
	if (!ret->never && !ret->unlimited && strcmp(mode, "auto") != 0) {
		host->error(host, "option smaps: \"%s\" is none of auto, always, never", mode);
		return -EINVAL;
	}
	ret->read_file = read;
	int r = read_limit(host, "smaps-timeout-ms", TIMEOUT_MS, &ret->timeout_ns);
	return r < 0 ? r : read_limit(host, "smaps-budget-ms", BUDGET_MS, &ret->budget_ns);
}

static bool budget_spent(struct smaps_config *config)
{
	return !config->unlimited && atomic_load(&config->spent_ns) >= config->budget_ns;
}

static bool out_of_time(const struct smaps *smaps)
{
	return smaps->abandoned >= ABANDONED_MAX || budget_spent(smaps->config);
}

/* ---- answers ---------------------------------------------------------- */

static void put_word(const struct smaps *smaps, struct ctprof_batch *batch, uint64_t row,
		     unsigned metric, const char *word)
{
	smaps->plan->host->put_text(batch, row, smaps->plan->slots[metric], word, strlen(word));
}

static void put_absent(const struct smaps *smaps, struct ctprof_batch *batch, uint64_t row,
		       unsigned metric, uint32_t why)
{
	smaps->plan->host->put_absent(batch, row, smaps->plan->slots[metric], why);
}

/* No figures, state saying why in a word; state NULL: it is absent too. */
static void put_nothing(const struct smaps *smaps, struct ctprof_batch *batch, uint64_t row,
			const char *state, uint32_t why)
{
	put_absent(smaps, batch, row, METRIC_SMAPS_MAP, why);
	put_absent(smaps, batch, row, METRIC_SMAPS_SOURCE, why);
	if (state)
		put_word(smaps, batch, row, METRIC_SMAPS_STATE, state);
	else
		put_absent(smaps, batch, row, METRIC_SMAPS_STATE, why);
}

static void put_not_applicable(const struct smaps *smaps, struct ctprof_batch *batch, uint64_t row)
{
	put_nothing(smaps, batch, row, "not-applicable", CTPROF_ABSENT_UNSUPPORTED);
}

static void put_timeout(const struct smaps *smaps, struct ctprof_batch *batch, uint64_t row)
{
	put_nothing(smaps, batch, row, "timeout", CTPROF_ABSENT_TIMEOUT);
}

static void put_failure(struct smaps *smaps, struct ctprof_batch *batch, uint64_t row, int err)
{
	tally_failure(smaps->tally, FILE_SMAPS, err);
	put_nothing(smaps, batch, row, "inaccessible", file_absence(err));
}

static void put_sums(const struct smaps *smaps, struct ctprof_batch *batch,
		     const struct attempt *attempt, const struct smaps_sums *sums)
{
	const struct plan *plan = smaps->plan;
	struct ctprof_map_entry entries[SMAPS_KEYS_MAX];
	uint64_t row = attempt->want->row;
	const char *source = attempt->tid != attempt->target->tid ? "sibling"
			     : attempt->per_mapping               ? "smaps"
								  : "rollup";

	for (uint32_t i = 0; i < sums->n; i++)
		entries[i] = (struct ctprof_map_entry){.key = sums->sums[i].key,
						       .key_len = sums->sums[i].key_len,
						       .number = sums->sums[i].kib};
	plan->host->put_map(batch, row, plan->slots[METRIC_SMAPS_MAP], entries, sums->n);
	put_word(smaps, batch, row, METRIC_SMAPS_STATE, "exact");
	put_word(smaps, batch, row, METRIC_SMAPS_SOURCE, source);
}

/* ---- the ladder ------------------------------------------------------- */

static void close_dir(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static void find_siblings(const struct ctprof_host *host, struct attempt *attempt)
{
	int fd = host->open_file(host, attempt->target->task_fd, ".");
	__attribute__((cleanup(close_dir))) DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	attempt->searched = true;
	if (fd >= 0 && !dir)
		(void)close(fd);
	while (dir && attempt->n_siblings < SIBLINGS_MAX && (entry = readdir(dir))) {
		int64_t tid;

		if (text_i64((struct text){entry->d_name, strlen(entry->d_name)}, &tid) &&
		    tid > 0 && tid <= INT32_MAX && tid != attempt->target->tid)
			attempt->siblings[attempt->n_siblings++] = (int32_t)tid;
	}
}

static bool next_sibling(const struct ctprof_host *host, struct attempt *attempt)
{
	if (!attempt->searched)
		find_siblings(host, attempt);
	if (attempt->n_siblings == 0)
		return false;
	attempt->tid = attempt->siblings[--attempt->n_siblings];
	return true;
}

static int open_rung(const struct ctprof_host *host, struct attempt *attempt)
{
	char path[READER_PATH_MAX];

	reader_path(path, attempt->tid, attempt->per_mapping ? "smaps" : "smaps_rollup");
	attempt->fd = host->open_file(host, attempt->target->task_fd, path);
	return attempt->fd < 0 ? -attempt->fd : 0;
}

/*
 * Opens the next file after the current one failed with err (0: the first).
 * True when there is one to read; else the row has its answer.
 */
static bool climb(struct smaps *smaps, struct ctprof_batch *batch, struct attempt *attempt, int err)
{
	const struct ctprof_host *host = smaps->plan->host;
	uint64_t row = attempt->want->row;
	int task_fd = attempt->target->task_fd;

	for (;;) {
		if (err == 0)
			err = open_rung(host, attempt);
		if (err == 0)
			return true;
		bool gone = (err == ENOENT || err == ESRCH) &&
			    reader_thread_gone(host, task_fd, attempt->tid);
		if (err == ENOENT && !gone && !attempt->per_mapping) {
			attempt->per_mapping = true;
		} else if (gone && attempt->tid == attempt->target->tid) {
			put_nothing(smaps, batch, row, NULL, CTPROF_ABSENT_VANISHED);
			return false;
		} else if (!gone && err != ESRCH) {
			put_failure(smaps, batch, row, err);
			return false;
		} else if (!next_sibling(host, attempt)) {
			/* No thread has a memory: a zombie, or it is just dying. */
			put_not_applicable(smaps, batch, row);
			return false;
		}
		err = 0;
	}
}

/* First step; false when the row has its answer already. */
static bool start_attempt(struct smaps *smaps, struct ctprof_batch *batch,
			  const struct smaps_want *want, struct attempt *ret)
{
	*ret = (struct attempt){.want = want, .target = ctprof_batch_target(batch, want->row)};
	ret->tid = ret->target->tid;
	if (want->task.kernel_thread) {
		put_not_applicable(smaps, batch, want->row);
		return false;
	}
	if (out_of_time(smaps)) {
		put_timeout(smaps, batch, want->row);
		return false;
	}
	bool exited = want->task.state == 'Z' || want->task.state == 'X';
	return climb(smaps, batch, ret, exited ? ESRCH : 0);
}

/* ---- the helper's side ------------------------------------------------ */

/* Positive errno; ETIMEDOUT when waiting any longer is out of the question. */
static int ensure_lane(struct smaps *smaps)
{
	if (out_of_time(smaps))
		return ETIMEDOUT;
	return smaps->lane ? 0 : -lane_open(smaps->config->read_file, &smaps->lane);
}

static void submit(struct smaps *smaps, const struct attempt *attempts, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct lane_job *job = lane_job(smaps->lane, i);

		job->fd = attempts[i].fd;
		job->per_mapping = attempts[i].per_mapping;
	}
	lane_submit(smaps->lane, n);
}

/* Answers a read attempt; true when it is to go on, with the next file open. */
static bool take_answer(struct smaps *smaps, struct ctprof_batch *batch, struct attempt *attempt,
			const struct lane_job *job)
{
	if (job->err)
		return climb(smaps, batch, attempt, job->err);
	put_sums(smaps, batch, attempt, &job->sums);
	return false;
}

static void give_up(struct smaps *smaps, struct ctprof_batch *batch, const struct attempt *attempt,
		    int err)
{
	(void)close(attempt->fd);
	if (err == ETIMEDOUT)
		put_timeout(smaps, batch, attempt->want->row);
	else
		put_failure(smaps, batch, attempt->want->row, err);
}

/* Whether the running job overran and its helper was left behind. */
static bool leave_behind(struct smaps *smaps, struct ctprof_batch *batch,
			 const struct attempt *attempt, const struct lane_progress *progress)
{
	const struct ctprof_host *host = smaps->plan->host;
	uint64_t now = lane_clock_ns();

	if (progress->begun_ns == 0 || now < progress->begun_ns + smaps->config->timeout_ns ||
	    !lane_abandon(smaps->lane, progress->done))
		return false;
	smaps->lane = NULL;
	smaps->abandoned++;
	tally_failure(smaps->tally, FILE_SMAPS, ETIMEDOUT);
	host->log(host, CTPROF_LOG_WARNING,
		  "memory of process %d: no answer within %" PRIu64 " ms, left out",
		  (int)attempt->target->tgid, smaps->config->timeout_ns / NS_PER_MS);
	put_timeout(smaps, batch, attempt->want->row);
	return true;
}

/* Waits a while, at the expense of the budget. */
static struct lane_progress wait_slice(struct smaps *smaps)
{
	struct smaps_config *config = smaps->config;
	uint64_t before = lane_clock_ns();
	struct lane_progress progress = lane_wait(
		smaps->lane, config->timeout_ns < SLICE_NS ? config->timeout_ns : SLICE_NS);

	atomic_fetch_add(&config->spent_ns, lane_clock_ns() - before);
	return progress;
}

/*
 * One round: the helper reads the attempts' files.  Keeps, in front, those that
 * have another file to be read, and returns how many.
 */
static unsigned read_round(struct smaps *smaps, struct ctprof_batch *batch,
			   struct attempt *attempts, unsigned n)
{
	unsigned taken = 0, kept = 0;
	int err = ensure_lane(smaps);
	unsigned last = err ? 0 : n; /* jobs before it will be done */

	if (!err)
		submit(smaps, attempts, n);
	while (taken < last) {
		struct lane_progress progress = wait_slice(smaps);

		for (; taken < progress.done; taken++)
			if (take_answer(smaps, batch, &attempts[taken],
					lane_job(smaps->lane, taken)))
				attempts[kept++] = attempts[taken];
		if (taken >= last)
			break;
		if (leave_behind(smaps, batch, &attempts[taken], &progress)) {
			while (++taken < n)
				attempts[kept++] = attempts[taken];
		} else if (budget_spent(smaps->config)) {
			last = lane_truncate(smaps->lane);
		}
	}
	for (; taken < n; taken++)
		give_up(smaps, batch, &attempts[taken], err ? err : ETIMEDOUT);
	return kept;
}

/* ---- a batch ---------------------------------------------------------- */

void smaps_init(struct smaps *ret, const struct plan *plan, struct smaps_config *config,
		struct tally *tally)
{
	*ret = (struct smaps){.plan = plan, .config = config, .tally = tally};
}

void smaps_clear(struct smaps *smaps)
{
	if (smaps->lane)
		lane_close(smaps->lane);
	free(smaps->wants);
	*smaps = (struct smaps){0};
}

int smaps_begin(struct smaps *smaps, uint64_t rows)
{
	smaps->n = 0;
	if (smaps->plan->n_wanted[FILE_SMAPS] == 0 || rows <= smaps->room)
		return 0;
	struct smaps_want *bigger = reallocarray(smaps->wants, (size_t)rows, sizeof *bigger);
	if (!bigger)
		return -ENOMEM;
	smaps->wants = bigger;
	smaps->room = (size_t)rows;
	return 0;
}

void smaps_add(struct smaps *smaps, uint64_t row, struct stat_task task)
{
	if (smaps->n < smaps->room)
		smaps->wants[smaps->n++] = (struct smaps_want){.row = row, .task = task};
}

void smaps_finish(struct smaps *smaps, struct ctprof_batch *batch)
{
	struct attempt attempts[LANE_JOBS];
	unsigned active = 0;
	size_t next = 0;

	if (smaps->config->never) {
		for (size_t i = 0; i < smaps->n; i++)
			put_nothing(smaps, batch, smaps->wants[i].row, NULL, CTPROF_ABSENT_SKIPPED);
		return;
	}
	do {
		while (active < LANE_JOBS && next < smaps->n)
			if (start_attempt(smaps, batch, &smaps->wants[next++], &attempts[active]))
				active++;
		if (active > 0)
			active = read_round(smaps, batch, attempts, active);
	} while (active > 0 || next < smaps->n);
}

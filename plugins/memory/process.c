/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "list.h"
#include "metrics.h"
#include "slots.h"
#include "thread-file.h"

/* Number of siblings whose status is tried if the leader's shows no memory. */
#define SIBLINGS_MAX 4u

/* The slowest measurement: smaps_rollup of 4 GiB in 4 KiB pages took 31.6 ms.  Measurements of this
 * capture soon outweigh it. */
#define PRIOR_PAGES 4096u
#define PRIOR_NS (PRIOR_PAGES * (uint64_t)31)

/* About eleven days. */
#define ESTIMATE_NS_MAX 1e15

/* ---- reading ---------------------------------------------------------- */

static ssize_t read_file(const struct process_worker *worker, const struct ctprof_target *target,
			 int32_t tid, const char *name)
{
	return thread_file_read(worker->plan->host, target->task_fd, tid, name, worker->buf,
				PROCESS_BUFFER_SIZE);
}

static bool is_gone(ssize_t got)
{
	return got == -ENOENT || got == -ESRCH;
}

/* Returns false if the process has ended. */
static bool read_stat(const struct process_worker *worker, struct process *process)
{
	const struct ctprof_target *target = process->target;
	ssize_t got = read_file(worker, target, target->tid, "stat");

	process->stat_known =
		got > 0 && stat_line_parse((struct text){worker->buf, (size_t)got}, &process->stat);
	return !is_gone(got);
}

/* Whether the target is still the process whose stat was read first: it has not ended, and its pid
 * was not reused. */
static bool is_same(const struct process_worker *worker, const struct process *process)
{
	struct process now = {.target = process->target};

	if (!process->stat_known)
		return true;
	return read_stat(worker, &now) &&
	       (!now.stat_known || now.stat.start_ticks == process->stat.start_ticks);
}

/* Returns whether the file could be read. */
static bool read_status(const struct process_worker *worker, const struct ctprof_target *target,
			int32_t tid, struct status *ret)
{
	ssize_t got = read_file(worker, target, tid, "status");

	if (got >= 0)
		status_parse((struct text){worker->buf, (size_t)got}, ret);
	else
		status_set_absent(ret, is_gone(got) ? (uint32_t)CTPROF_ABSENT_UNSUPPORTED
						    : file_absence((int)-got));
	return got >= 0;
}

/* The leader may have exited and then shows no memory; its threads share that memory, so try
 * them. */
static void read_sibling_status(const struct process_worker *worker, struct process *process)
{
	const struct ctprof_target *target = process->target;
	const struct slots_value *threads = &process->status.at[STATUS_THREADS];
	int32_t siblings[SIBLINGS_MAX];
	unsigned n = 0;

	if (status_has_mm(&process->status))
		return;
	if (threads->why != CTPROF_PRESENT || threads->number > 1)
		n = thread_file_siblings(worker->plan->host, target->task_fd, target->tid, siblings,
					 SIBLINGS_MAX);
	while (n > 0 && !status_has_mm(&process->status)) {
		struct status other;

		(void)read_status(worker, target, siblings[--n], &other);
		for (unsigned i = STATUS_FIRST_OF_MM; i < N_STATUS; i++)
			process->status.at[i] = other.at[i];
	}
}

/* ---- the cost --------------------------------------------------------- */

/* Returns the number of resident pages; 0 if status does not show it. */
static uint64_t pages_of(const struct process_plan *plan, const struct process *process)
{
	const struct slots_value *rss = &process->status.at[STATUS_VM_RSS];

	return rss->why == CTPROF_PRESENT ? rss->number / plan->page_bytes : 0;
}

static uint64_t estimate_ns(struct process_plan *plan, const struct process *process)
{
	double ns = (double)(PRIOR_NS + atomic_load(&plan->cost.ns));
	double pages = (double)(PRIOR_PAGES + atomic_load(&plan->cost.pages));
	double all = ns / pages * (double)(pages_of(plan, process) + 1);

	/* Limited, so that sums do not overflow. */
	return all < ESTIMATE_NS_MAX ? (uint64_t)all : (uint64_t)ESTIMATE_NS_MAX;
}

static void learn(struct process_plan *plan, const struct process *process,
		  const struct smaps_answer *answer)
{
	if (pages_of(plan, process) == 0)
		return;
	atomic_fetch_add(&plan->cost.ns, answer->ns);
	atomic_fetch_add(&plan->cost.pages, pages_of(plan, process));
}

static bool is_too_big(const struct process_plan *plan, const struct process *process)
{
	const struct slots_value *rss = &process->status.at[STATUS_VM_RSS];

	return rss->why == CTPROF_PRESENT && rss->number > plan->max_rss;
}

static bool is_over_budget(struct process_plan *plan, const struct process *process)
{
	uint64_t left = smaps_limits_left(plan->limits);
	uint64_t reserved = atomic_load(&plan->cost.reserved_ns);

	return is_too_big(plan, process) ||
	       process->would_ns > (left > reserved ? left - reserved : 0);
}

static void reserve(struct process_plan *plan, struct process *process)
{
	process->reserved_ns = process->would_ns;
	atomic_fetch_add(&plan->cost.reserved_ns, process->reserved_ns);
}

static void release(struct process_plan *plan, struct process *process)
{
	atomic_fetch_sub(&plan->cost.reserved_ns, process->reserved_ns);
	process->reserved_ns = 0;
}

/* ---- the values ------------------------------------------------------- */

static void put_value(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		      uint32_t slot, const struct process_metric *metric,
		      const struct process_value *value)
{
	if (value->why == CTPROF_PRESENT && metric->def.unit == CTPROF_UNIT_TEXT)
		host->put_text(batch, row, slot, value->text, value->len);
	else
		slots_put_u64(host, batch, row, slot, value->why, value->number);
}

static void put_process(const struct process_worker *worker, struct ctprof_batch *batch,
			struct process *process, uint64_t row, bool vanished)
{
	const struct process_plan *plan = worker->plan;
	const struct ctprof_host *host = plan->host;

	for (unsigned i = 0; i < N_PROCESS_METRICS; i++) {
		const struct process_metric *metric = &process_metrics[i];
		struct process_value value = {.why = CTPROF_ABSENT_VANISHED};

		if (!metric->fill || !plan->asked[i])
			continue;
		process->metric = metric;
		if (plan->impersonal && metric->traits & TRAIT_PERSONAL)
			value.why = CTPROF_ABSENT_SKIPPED;
		else if (!vanished || !process_metric_is_own(metric))
			value = metric->fill(process);
		put_value(host, batch, row, plan->slots[i], metric, &value);
	}
}

/* ---- the answer ------------------------------------------------------- */

/* Falls back to the values of status. */
static enum process_state state_of_failure(const struct process *process)
{
	return process->status.at[STATUS_VM_RSS].why == CTPROF_PRESENT ? PROCESS_APPROXIMATE
								       : PROCESS_INACCESSIBLE;
}

static enum process_state state_of(const struct process *process, const struct smaps_answer *answer)
{
	const struct smaps_sums *sums = answer->data;

	switch (answer->end) {
	case SMAPS_READ:
		/* A file without any valid line counts as a failure. */
		return sums->n > 0 ? PROCESS_EXACT : state_of_failure(process);
	case SMAPS_SKIPPED:
	case SMAPS_TOO_DEAR:
		return PROCESS_SKIPPED;
	case SMAPS_TIMEOUT:
		return PROCESS_TIMEOUT;
	case SMAPS_NOT_APPLICABLE:
	case SMAPS_VANISHED:
		return PROCESS_NOT_APPLICABLE;
	default:
		return state_of_failure(process);
	}
}

static void count(struct process_tally *tally, const struct process *process)
{
	tally->states[process->state]++;
	tally->denied += process->why == CTPROF_ABSENT_DENIED;
	tally->read_ns += process->answer->ns;
}

static void settle(struct process_worker *worker, struct ctprof_batch *batch,
		   struct process *process, const struct smaps_answer *given)
{
	struct smaps_answer answer = *given;

	if (answer.end != SMAPS_NOT_APPLICABLE && !is_same(worker, process))
		answer.end = SMAPS_VANISHED;
	bool vanished = answer.end == SMAPS_VANISHED;
	process->answer = &answer;
	process->state = state_of(process, &answer);
	process->why =
		answer.end == SMAPS_READ ? (uint32_t)CTPROF_ABSENT_INVALID : smaps_absence(&answer);
	process->waits = false;
	if (process->state == PROCESS_SKIPPED && pages_of(worker->plan, process) > 0)
		process->would_ns = estimate_ns(worker->plan, process);
	if (!vanished)
		count(&worker->tally, process);
	put_process(worker, batch, process, answer.row, vanished);
	smaps_put(worker->plan->host, batch, &worker->plan->smaps_slots, &answer);
	process->answer = NULL;
}

static void take_answer(void *self, struct ctprof_batch *batch, const struct smaps_answer *answer)
{
	struct process_worker *worker = self;
	struct process *process = &worker->processes[answer->row];

	release(worker->plan, process);
	process->stuck = answer->end == SMAPS_TIMEOUT && answer->err;
	if (answer->end == SMAPS_READ)
		learn(worker->plan, process, answer);
	settle(worker, batch, process, answer);
}

/* Whether the process is worth reading, given the cost. */
static bool admit(void *self, struct ctprof_batch *batch, uint64_t row)
{
	struct process_worker *worker = self;
	struct process *process = &worker->processes[row];
	struct smaps_answer refusal = {.row = row, .end = SMAPS_TOO_DEAR};

	if (process->stuck) {
		refusal.end = SMAPS_TIMEOUT;
	} else {
		/* Without VmRSS the cost is unknown; the deadline still applies. */
		if (process->status.at[STATUS_VM_RSS].why != CTPROF_PRESENT)
			return true;
		process->would_ns = estimate_ns(worker->plan, process);
		if (!is_over_budget(worker->plan, process)) {
			reserve(worker->plan, process);
			return true;
		}
	}
	settle(worker, batch, process, &refusal);
	return false;
}

static const struct smaps_use memory_use = {
	SMAPS_USE_SUMS,
	.admit = admit,
	.answer = take_answer,
};

/* ---- the command line ------------------------------------------------- */

static void reset_cmdline(void *self, void *data, bool per_mapping)
{
	struct cmdline *cmdline = data;

	(void)self;
	(void)per_mapping;
	cmdline->len = 0;
	cmdline->gap = false;
}

static void answer_cmdline(void *self, struct ctprof_batch *batch,
			   const struct smaps_answer *answer)
{
	const struct process_worker *worker = self;
	struct process *process = &worker->processes[answer->row];
	const struct cmdline *cmdline = answer->data;

	(void)batch;
	process->stuck = answer->end == SMAPS_TIMEOUT && answer->err;
	process->cmdline_why = smaps_absence(answer);
	if (answer->end != SMAPS_READ)
		return;
	process->cmdline_why = CTPROF_ABSENT_INAPPLICABLE;
	process->cmdline = cmdline->len > 0 ? malloc(cmdline->len) : NULL;
	if (!process->cmdline)
		return;
	memcpy(process->cmdline, cmdline->text, cmdline->len);
	process->cmdline_len = cmdline->len;
}

static const struct smaps_use cmdline_use = {
	.consumer = {.take = cmdline_take, .drop = free},
	.data_size = sizeof(struct cmdline),
	.reset = reset_cmdline,
	.answer = answer_cmdline,
};

/* ---- a batch ---------------------------------------------------------- */

int process_worker_open(struct process_plan *plan, struct process_worker *ret)
{
	*ret = (struct process_worker){.plan = plan};
	smaps_ladder_init(&ret->ladder, plan->host, plan->limits, plan->files, &memory_use, ret);
	smaps_ladder_init(&ret->cmdlines, plan->host, &plan->cmdline_limits, SMAPS_CMDLINE,
			  &cmdline_use, ret);
	ret->buf = malloc(PROCESS_BUFFER_SIZE);
	return ret->buf ? 0 : -ENOMEM;
}

void process_worker_close(struct process_worker *worker)
{
	struct process_plan *plan = worker->plan;

	(void)pthread_mutex_lock(&plan->lock);
	for (unsigned i = 0; i < N_PROCESS_STATES; i++)
		plan->tally.states[i] += worker->tally.states[i];
	plan->tally.denied += worker->tally.denied;
	plan->tally.read_ns += worker->tally.read_ns;
	(void)pthread_mutex_unlock(&plan->lock);
	smaps_ladder_clear(&worker->ladder);
	smaps_ladder_clear(&worker->cmdlines);
	free(worker->processes);
	free(worker->buf);
}

int process_begin(struct process_worker *worker, uint64_t rows)
{
	worker->n = rows;
	worker->tgid = 0;
	int r = list_reserve(&worker->processes, &worker->room, (size_t)rows, SIZE_MAX,
			     sizeof *worker->processes);
	if (r == 0 && rows > 0)
		memset(worker->processes, 0, (size_t)rows * sizeof *worker->processes);
	if (r == 0)
		r = smaps_ladder_begin(&worker->ladder, rows);
	return r < 0 ? r : smaps_ladder_begin(&worker->cmdlines, rows);
}

/* Puts the name of the leader, which came before the thread, into the thread's row. */
static void add_thread(struct process_worker *worker, struct ctprof_batch *batch, uint64_t row)
{
	const struct process_plan *plan = worker->plan;

	if (!plan->wanted || ctprof_batch_target(batch, row)->tgid != worker->tgid)
		return;
	const struct process *leader = &worker->processes[worker->leader];
	uint32_t slot = plan->slots[PROCESS_METRIC_PCOMM];
	if (leader->stat_known)
		plan->host->put_text(batch, row, slot, leader->stat.name, leader->stat.name_len);
}

static bool has_exited(const struct process *process)
{
	return process->stat.state == 'Z' || process->stat.state == 'X';
}

static void enqueue(struct process_worker *worker, const struct process *process, uint64_t row)
{
	struct smaps_want want = {.row = row, .exited = has_exited(process)};

	if (worker->plan->cmdline)
		smaps_ladder_add(&worker->cmdlines, want);
	if (worker->plan->dear)
		smaps_ladder_add(&worker->ladder, want);
}

static bool read_leader(struct process_worker *worker, struct process *process)
{
	const struct ctprof_target *target = process->target;

	if (target->task_fd < 0 || !read_stat(worker, process))
		return false;
	bool known = read_status(worker, target, target->tid, &process->status);
	if (known && !process->stat.kernel_thread)
		read_sibling_status(worker, process);
	process->has_mm =
		!process->stat.kernel_thread && (!known || status_has_mm(&process->status));
	for (unsigned i = STATUS_FIRST_OF_MM; !process->has_mm && i < N_STATUS; i++)
		process->status.at[i].why = CTPROF_ABSENT_INAPPLICABLE;
	return true;
}

void process_add(struct process_worker *worker, struct ctprof_batch *batch, uint64_t row)
{
	struct process_plan *plan = worker->plan;
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	struct process *process = &worker->processes[row];

	if (!(target->flags & CTPROF_TARGET_LEADER)) {
		add_thread(worker, batch, row);
		return;
	}
	*process = (struct process){
		.target = target,
		.users = &plan->users,
		.host = plan->host,
		.buf = worker->buf,
		.cmdline_why = CTPROF_ABSENT_INAPPLICABLE,
	};
	if (!read_leader(worker, process)) {
		plan->host->vanished(batch, row);
		return;
	}
	worker->tgid = target->tgid;
	worker->leader = row;
	process->waits = plan->wanted;
	if (plan->wanted && process->has_mm)
		enqueue(worker, process, row);
}

bool process_want_mappings(const struct process_worker *worker, uint64_t row,
			   struct smaps_want *ret)
{
	const struct process *process = &worker->processes[row];

	if (!process->has_mm)
		return false;
	*ret = (struct smaps_want){
		.row = row,
		.exited = has_exited(process),
		.left_out = process->stuck || is_too_big(worker->plan, process),
	};
	return true;
}

void process_finish(struct process_worker *worker, struct ctprof_batch *batch)
{
	/* Command lines come first: a process that does not answer here is not read further. */
	smaps_ladder_finish(&worker->cmdlines, batch);
	smaps_ladder_finish(&worker->ladder, batch);
	for (uint64_t row = 0; row < worker->n; row++) {
		struct process *process = &worker->processes[row];
		struct smaps_answer none = {.row = row, .end = SMAPS_NOT_APPLICABLE};

		if (process->waits && worker->plan->dear)
			settle(worker, batch, process, &none);
		else if (process->waits)
			put_process(worker, batch, process, row, false);
		free(process->cmdline);
	}
}

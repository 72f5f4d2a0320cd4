/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The source plugin: declares the metrics and turns answers into values. */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctprof/source.h"

#include "condition.h"
#include "decode.h"
#include "descriptor.h"
#include "exits.h"
#include "instance.h"
#include "need.h"
#include "option.h"
#include "query.h"
#include "shared-metrics.h"
#include "slots.h"
#include "totals.h"

enum tally { TALLY_OK, TALLY_EPERM, TALLY_ESRCH, TALLY_OTHER, N_TALLIES };
#define N_LABELS 4

struct taskstats {
	const struct ctprof_host *host;
	uint32_t slots[TASKSTATS_N_FIELDS];
	uint32_t label_slots[N_LABELS];
	uint32_t tally_slots[N_TALLIES];
	/* Set in start(). */
	uint16_t family;
	uint32_t active; /* enum taskstats_active */
	bool of_threads; /* a value of threads is wanted */
	uint64_t fill;   /* bit i: field i is wanted, and counted by this kernel */
	/* If all of these are filled, no request is needed: the wanted fields, and the labels. */
	uint32_t asked[TASKSTATS_N_FIELDS + N_LABELS];
	size_t n_asked;
	_Atomic uint64_t tallies[N_TALLIES];
	_Atomic uint64_t filled; /* threads whose statistics another source had read */
	struct exits exits;
	struct totals totals;
};

/* Label i is 1 when bit i of enum taskstats_active is on. */
static const struct ctprof_metric labels[N_LABELS] = {
	SHARED_taskstats_measured,
	SHARED_cpu_delay_active,
	SHARED_delay_block_active,
	SHARED_xacct_active,
};

#define TALLY(name, help)                                                                          \
	METRIC_ROW(COUNTER, NONE, CAPTURE, "taskstats_summary." name, "summary", help,             \
		   "taskstats netlink replies of the capture")

static const struct ctprof_metric tallies[N_TALLIES] = {
	[TALLY_OK] =
		TALLY("ok_count", "threads whose statistics were read, here or by another source"),
	[TALLY_EPERM] = TALLY("eperm_count", "threads refused, because CAP_NET_ADMIN is missing"),
	[TALLY_ESRCH] = TALLY("esrch_count", "threads that ended before the request"),
	[TALLY_OTHER] =
		TALLY("other_err_count", "threads without a reply, or with a malformed one"),
};

static enum tally tally_of(int err)
{
	return err == EPERM ? TALLY_EPERM : err == ESRCH ? TALLY_ESRCH : TALLY_OTHER;
}

static int register_metrics(struct taskstats *self)
{
	const struct ctprof_host *host = self->host;
	int r = slots_declare_rows(host, taskstats_fields, sizeof *taskstats_fields,
				   TASKSTATS_N_FIELDS, self->slots);

	if (r == 0)
		r = slots_declare(host, labels, N_LABELS, self->label_slots);
	if (r == 0)
		r = slots_declare(host, tallies, N_TALLIES, self->tally_slots);
	if (r == 0)
		r = totals_declare(&self->totals, host);
	if (r == 0)
		r = exits_declare(&self->exits, host);
	return r;
}

static int taskstats_open(const struct ctprof_host *host, void **ret_self)
{
	struct taskstats *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	return instance_give(self, register_metrics(self), ret_self);
}

/* Logs a summary of the capture in one line, with the most likely cause of failures. */
static void log_tallies(const struct taskstats *self)
{
	uint64_t n[N_TALLIES], asked = 0;
	const char *hint = "";

	for (size_t i = 0; i < N_TALLIES; i++)
		asked += n[i] = atomic_load(&self->tallies[i]);
	if (asked == 0)
		return;
	if (n[TALLY_EPERM] > 0)
		hint = "; refused ones need CAP_NET_ADMIN in the initial user namespace";
	else if (n[TALLY_ESRCH] > n[TALLY_OK])
		hint = "; most threads ended before the request";
	self->host->log(self->host, CTPROF_LOG_INFO,
			"%" PRIu64 " threads requested: %" PRIu64 " read, %" PRIu64
			" refused, %" PRIu64 " gone, %" PRIu64 " failed otherwise%s",
			asked, n[TALLY_OK], n[TALLY_EPERM], n[TALLY_ESRCH], n[TALLY_OTHER], hint);
}

static void taskstats_close(void *data)
{
	struct taskstats *self = data;

	log_tallies(self);
	exits_close(&self->exits);
	instance_free(self);
}

/* Registers briefly: the kernel reports a refusal only then. */
static void probe_exits(struct taskstats *self, const struct taskstats_advice *advice,
			uint16_t family)
{
	struct exits exits = {.host = self->host, .family = family};
	const char *why = advice->why;

	if (!why) {
		int r = exits_listen(&exits);

		why = r < 0 ? exits_explain(&exits, r) : NULL;
		exits_close(&exits);
	}
	finding_put(self->host, "exit", why ? CTPROF_FAILS : CTPROF_WORKS, why, advice->remedy);
}

/* Reports a finding; lacking: the part of enum taskstats_active that the group needs and the kernel
 * lacks. */
static void put_finding(const struct ctprof_host *host, const char *group, uint32_t lacking,
			const struct taskstats_advice *failure)
{
	uint32_t state = failure->why ? CTPROF_FAILS : lacking ? CTPROF_PARTLY : CTPROF_WORKS;
	struct taskstats_advice advice =
		state == CTPROF_PARTLY ? taskstats_explain_lack(&lacking) : *failure;

	finding_put(host, group, state, advice.why, advice.remedy);
}

static void put_process_finding(const struct ctprof_host *host, uint16_t family, uint32_t lacking,
				const struct taskstats_advice *failure)
{
	if (lacking || failure->why || totals_keep_switches(family))
		put_finding(host, "process", lacking, failure);
	else
		finding_put(host, "process", CTPROF_PARTLY,
			    "no context switches: this kernel leaves out those of ended threads",
			    NULL);
}

static int taskstats_probe(void *data)
{
	struct taskstats *self = data;
	struct taskstats_advice failure = {0};
	uint32_t active = 0;
	uint16_t family = 0;
	int answer;

	int r = taskstats_examine(self->host, &family, &active);
	uint32_t lacking = TASKSTATS_ALL & ~active;
	if (r < 0)
		failure = taskstats_explain_failure(r, &answer);
	if (self->exits.comm_slot)
		probe_exits(self, &failure, family);
	put_process_finding(self->host, family, lacking & ~(uint32_t)TASKSTATS_XACCT, &failure);
	put_finding(self->host, "delay", lacking, &failure);
	return 0;
}

static int fail_start(const struct ctprof_host *host, int err)
{
	int answer;
	struct taskstats_advice advice = taskstats_explain_failure(err, &answer);

	if (answer == -EIO)
		host->error(host, "%s: %s", advice.why, strerror(-err));
	else if (advice.remedy)
		host->error(host, "%s (%s)", advice.why, advice.remedy);
	else
		host->error(host, "%s", advice.why);
	return answer;
}

static int taskstats_start(void *data)
{
	struct taskstats *self = data;
	const struct ctprof_host *host = self->host;
	uint32_t lacking = 0;

	int r = taskstats_examine(host, &self->family, &self->active);
	if (r < 0)
		return fail_start(host, r);
	self->of_threads = slots_wanted(host, self->slots, TASKSTATS_N_FIELDS) ||
			   slots_wanted(host, self->label_slots, N_LABELS);
	exits_start(&self->exits, self->family, self->active);
	totals_start(&self->totals, self->family, self->active);
	for (size_t i = 0; i < TASKSTATS_N_FIELDS; i++) {
		uint32_t missing = taskstats_fields[i].needs & ~self->active;

		if (!host->wanted(host, self->slots[i]))
			continue;
		/* A field that only newer kernels have does not justify a request to this one. */
		if (!(missing & TASKSTATS_TIMES))
			self->asked[self->n_asked++] = self->slots[i];
		lacking |= missing & ~(uint32_t)TASKSTATS_TIMES;
		if (!(missing & ~(uint32_t)TASKSTATS_TIMES))
			self->fill |= UINT64_C(1) << i;
	}
	for (size_t i = 0; i < N_LABELS; i++)
		if (host->wanted(host, self->label_slots[i]))
			self->asked[self->n_asked++] = self->label_slots[i];
	while (lacking) {
		struct taskstats_advice advice = taskstats_explain_lack(&lacking);

		/* Most hosts lack something: report that as a finding of doctor, not as a warning
		 * at each capture. */
		host->log(host, CTPROF_LOG_INFO, "%s (%s)", advice.why, advice.remedy);
	}
	return 0;
}

static int taskstats_worker_open(void *data, uint32_t number, void **ret_context)
{
	struct taskstats *self = data;
	struct taskstats_query *worker = instance_new(self->host, sizeof *worker);

	(void)number;
	if (!worker)
		return -ENOMEM;
	worker->family = self->family;
	int r = netlink_open(&worker->netlink);
	if (r < 0)
		self->host->error(self->host, "cannot open a netlink socket: %s", strerror(-r));
	return instance_give(worker, r, ret_context);
}

static void taskstats_worker_close(void *data, void *context)
{
	struct taskstats_query *worker = context;

	(void)data;
	netlink_close(worker->netlink);
	instance_free(worker);
}

/* The threads of one taskstats_query_run(), and their rows. */
struct chunk {
	struct taskstats *self;
	struct ctprof_batch *batch;
	uint64_t rows[NETLINK_BATCH];
	uint64_t tallies[N_TALLIES];
};

static void put_values(const struct chunk *chunk, uint64_t row,
		       const struct taskstats_values *values)
{
	const struct taskstats *self = chunk->self;

	for (uint64_t left = taskstats_fill(self->fill, values); left; left &= left - 1) {
		int i = __builtin_ctzll(left);

		/* A delay that never occurred has no time. */
		if (i >= TASKSTATS_FIELD_MAX_AT && values->value[i] == 0)
			self->host->put_absent(chunk->batch, row, self->slots[i],
					       CTPROF_ABSENT_INAPPLICABLE);
		else
			self->host->put_u64(chunk->batch, row, self->slots[i], values->value[i]);
	}
	for (size_t i = 0; i < N_LABELS; i++)
		self->host->put_u64(chunk->batch, row, self->label_slots[i], self->active >> i & 1);
}

/* If the kernel did not answer for a thread, measured is known to be 0.  The other labels describe
 * an answer, and are absent. */
static void put_absences(const struct chunk *chunk, uint64_t row, uint32_t why)
{
	const struct taskstats *self = chunk->self;
	const struct ctprof_host *host = self->host;

	for (uint64_t left = self->fill; left; left &= left - 1)
		host->put_absent(chunk->batch, row, self->slots[__builtin_ctzll(left)], why);
	host->put_u64(chunk->batch, row, self->label_slots[0], 0);
	slots_put_absent(host, chunk->batch, row, &self->label_slots[1], N_LABELS - 1, why);
}

static void take_answer(void *data, size_t i, int err, const uint8_t *stats, size_t len)
{
	struct chunk *chunk = data;
	struct taskstats_values values;

	if (err == 0)
		err = -taskstats_decode(stats, len, &values);
	if (err == 0) {
		chunk->tallies[TALLY_OK]++;
		put_values(chunk, chunk->rows[i], &values);
		return;
	}
	chunk->tallies[tally_of(err)]++;
	put_absences(chunk, chunk->rows[i], taskstats_absence(err));
}

static int collect_chunk(struct taskstats_query *worker, struct chunk *chunk, size_t n)
{
	int32_t tids[NETLINK_BATCH];

	for (size_t i = 0; i < n; i++)
		tids[i] = ctprof_batch_target(chunk->batch, chunk->rows[i])->tid;
	int r = taskstats_query_run(worker, tids, n, take_answer, chunk);
	for (size_t i = 0; i < N_TALLIES; i++) {
		atomic_fetch_add(&chunk->self->tallies[i], chunk->tallies[i]);
		chunk->tallies[i] = 0;
	}
	return r;
}

static int collect_threads(struct taskstats *self, struct taskstats_query *worker,
			   struct ctprof_batch *batch)
{
	struct chunk chunk = {.self = self, .batch = batch};
	size_t n = 0;
	int r = 0;

	for (uint64_t row = 0; self->of_threads && row < batch->n && r == 0; row++) {
		if (slots_filled(self->host, batch, row, self->asked, self->n_asked))
			atomic_fetch_add(&self->filled, 1);
		else
			chunk.rows[n++] = row;
		if (n == NETLINK_BATCH || (n > 0 && row + 1 == batch->n)) {
			r = collect_chunk(worker, &chunk, n);
			n = 0;
		}
	}
	for (uint64_t first = 0; first < batch->n && r == 0; first += NETLINK_BATCH) {
		uint64_t left = batch->n - first;

		r = totals_collect(&self->totals, worker, batch, first,
				   left < NETLINK_BATCH ? (size_t)left : NETLINK_BATCH);
	}
	if (r < 0)
		self->host->error(self->host, "cannot query the kernel: %s", strerror(-r));
	return r;
}

static int taskstats_collect(void *data, void *context, struct ctprof_batch *batch)
{
	struct taskstats *self = data;

	if (batch->scope == CTPROF_SCOPE_THREAD)
		return collect_threads(self, context, batch);
	if (batch->scope == CTPROF_SCOPE_EXIT)
		return exits_collect(&self->exits, batch);
	if (batch->scope == CTPROF_SCOPE_CAPTURE) {
		for (size_t i = 0; i < N_TALLIES; i++)
			self->host->put_u64(
				batch, 0, self->tally_slots[i],
				atomic_load(&self->tallies[i]) +
					(i == TALLY_OK ? atomic_load(&self->filled) : 0));
		exits_put_tallies(&self->exits, batch);
	}
	return 0;
}

static int taskstats_listen(void *data)
{
	struct taskstats *self = data;

	return exits_listen(&self->exits);
}

static int taskstats_drain(void *data)
{
	struct taskstats *self = data;

	return exits_drain(&self->exits);
}

static int taskstats_again(void *data)
{
	struct taskstats *self = data;

	for (size_t i = 0; i < N_TALLIES; i++)
		atomic_store(&self->tallies[i], 0);
	atomic_store(&self->filled, 0);
	exits_again(&self->exits);
	return 0;
}

static const struct ctprof_option options[] = {
	OPTION(SIZE, EXITS_OPTION, "Size of the buffer for exit records",
	       .default_value = EXITS_BUFFER, .least = EXITS_BUFFER_MIN, .most = EXITS_BUFFER_MAX),
};

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(CAPABILITY, "CAP_NET_ADMIN", "any reply, in the initial user namespace"),
	NEED_ALWAYS(KCONFIG, "CONFIG_TASKSTATS", "any reply"),
	NEED_PARTLY(KCONFIG, "CONFIG_TASK_DELAY_ACCT", "the delays"),
	NEED_PARTLY(KCONFIG, "CONFIG_TASK_XACCT", "hiwater_rss_bytes and hiwater_vm_bytes"),
	NEED_PARTLY(SYSCTL, "kernel.task_delayacct", "1: the delays other than cpu"),
	NEED_PARTLY(FILE, "proc/sys/kernel/task_delayacct",
		    "to distinguish a delay of 0 from one that is not counted"),
	NEED_PARTLY(FILE, "proc/<tgid>/io",
		    "to distinguish 0 bytes read by threads that ended from bytes not counted"),
	NEED_PARTLY(FILE, "sys/devices/system/cpu/possible", "to listen for threads that end"),
};

SOURCE_PLUGIN("taskstats", PER_WORKER, CHEAP,
	      "Delays and memory peaks of each thread, and those that ended, from taskstats",
	      SOURCE_OPS(.open = taskstats_open, .close = taskstats_close, .probe = taskstats_probe,
			 .start = taskstats_start, .worker_open = taskstats_worker_open,
			 .worker_close = taskstats_worker_close, .collect = taskstats_collect,
			 .listen = taskstats_listen, .drain = taskstats_drain,
			 .again = taskstats_again),
	      SOURCE_OPTIONS(options), .preference = 30)

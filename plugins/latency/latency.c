/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ctprof/histogram.h"
#include "ctprof/source.h"

#include "bpf-condition.h"
#include "descriptor.h"
#include "hold.h"
#include "instance.h"
#include "need.h"
#include "option.h"
#include "probe.h"
#include "slots.h"

#define MILLION 1000000.0
#define BUDGET_OPTION "max-overhead"
#define BUDGET "0.05"
/* Switches that may be missed, and turns that may be merged: one in this many. */
#define TOLERANCE 100u

enum { WAIT, PREEMPTED, SLICE, N_HISTOGRAMS };
enum { WAIT_SUM, SLICE_SUM, N_SUMS };
enum {
	TALLY_THREADS,
	TALLY_CLOSED,
	TALLY_COVERAGE,
	TALLY_SWITCH_NS,
	TALLY_OVER,
	TALLY_REFUSED,
	N_TALLIES
};
enum { WAITED, WAITED_WHILE_IDLE, WAITED_FOR, N_WAITED };

#define HISTOGRAM(name, help, origin)                                                              \
	METRIC_ROW(HISTOGRAM, NS, THREAD, name, "latency", help, origin,                           \
		   .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_STILL,                         \
		   .buckets = CTPROF_BUCKETS_QUARTERS)
#define SUM(name, help, origin)                                                                    \
	METRIC_ROW(COUNTER, NS, THREAD, name, "latency", help, origin,                             \
		   .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_STILL)
#define TALLY(kind, unit, name, help, origin)                                                      \
	METRIC_ROW(kind, unit, HOST, "latency." name, "latency", help, origin,                     \
		   .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET)

#define RUN_DELAY "sched_info.run_delay, its growth at each sched_switch away from the thread"

static const struct ctprof_metric histograms[N_HISTOGRAMS] = {
	[WAIT] = HISTOGRAM("run_delay", "waits for a CPU, by their length", RUN_DELAY),
	[PREEMPTED] =
		HISTOGRAM("run_delay_preempted",
			  "those of threads that had been preempted, and had not slept", RUN_DELAY),
	[SLICE] = HISTOGRAM("slice_length", "turns on a CPU, by their length",
			    "se.sum_exec_runtime, its growth at each sched_switch away"),
};

static const struct ctprof_metric sums[N_SUMS] = {
	[WAIT_SUM] = SUM("run_delay_ns", "time waited for a CPU since the probe was attached",
			 "sched_info.run_delay (sched_info_arrive)"),
	[SLICE_SUM] = SUM("slice_length_ns", "time on a CPU since the probe was attached",
			  "se.sum_exec_runtime (update_curr)"),
};

static const struct ctprof_metric tallies[N_TALLIES] = {
	[TALLY_THREADS] = TALLY(COUNTER, NONE, "thread_count", "threads read", "the task iterator"),
	[TALLY_CLOSED] = TALLY(COUNTER, NONE, "closed_count",
			       "those whose every turn was counted, but for one in a hundred",
			       "nvcsw + nivcsw, compared with the switches counted"),
	[TALLY_COVERAGE] = TALLY(GAUGE, CENTIPERCENT, "coverage", "share of switches counted",
				 "nvcsw + nivcsw, compared with the switches counted"),
	[TALLY_SWITCH_NS] = TALLY(GAUGE, NS, "switch_ns",
				  "time of the program for each switch, without the call of it",
				  "one switch in 64, timed by the program"),
	[TALLY_OVER] = TALLY(LABEL, BOOL, "over_budget",
			     "counting ended for -O latency." BUDGET_OPTION, "ctprof"),
	[TALLY_REFUSED] =
		METRIC_ROW(COUNTER, NONE, HOST, "latency.refused_count", "latency-matrix",
			   "threads for whose pool there was no room, so that it is among others",
			   "the programs", .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET),
};

#define MATRIX "latency-matrix"
#define OBJECT(name, help, origin)                                                                 \
	METRIC_ROW(COUNTER, NS, OBJECT, name, MATRIX, help, origin,                                \
		   .flags = CTPROF_METRIC_ON_DEMAND)

static const struct ctprof_metric waited[N_WAITED] = {
	[WAITED] = OBJECT("waited_ns", "time that threads of the pool waited for a CPU", RUN_DELAY),
	[WAITED_WHILE_IDLE] =
		OBJECT("waited_while_idle_ns", "of that, the time during which some CPU was idle",
		       "sched_switch to and from the idle threads"),
	[WAITED_FOR] = OBJECT("waited_for_ns",
			      "of that, the time during which the other pool ran on their CPU",
			      "sched_switch, and the clock of the run queue"),
};

/* Names of the fixed columns, which are not pools, for the names of objects. */
static const char *const columns[N_WAIT_FIXED] = {
	[WAIT_OTHER] = "(other pools)",     [WAIT_IDLE] = "(idle)",
	[WAIT_INTERRUPTS] = "(interrupts)", [WAIT_UNKNOWN] = "(unknown)",
	[WAIT_THROTTLED] = "(throttled)",   [WAIT_ELSEWHERE] = "(another CPU)",
	[WAIT_BEFORE] = "(before)",
};

struct latency {
	const struct ctprof_host *host;
	uint32_t histograms[N_HISTOGRAMS];
	uint32_t sums[N_SUMS];
	uint32_t tallies[N_TALLIES];
	uint32_t waited[N_WAITED];
	struct probe *probe;
	struct matrix *matrix; /* NULL: not wanted */
	unsigned row, column;  /* of the next object */
	pthread_mutex_t lock;
	bool is_read; /* for this capture */
	int error;    /* of reading */
};

/* ---- open and close --------------------------------------------------- */

static int latency_open(const struct ctprof_host *host, void **ret_self)
{
	struct latency *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	(void)pthread_mutex_init(&self->lock, NULL);
	int r = slots_declare(host, histograms, N_HISTOGRAMS, self->histograms);
	if (r == 0)
		r = slots_declare(host, sums, N_SUMS, self->sums);
	if (r == 0)
		r = slots_declare(host, tallies, N_TALLIES, self->tallies);
	if (r == 0)
		r = slots_declare(host, waited, N_WAITED, self->waited);
	return instance_give(self, r, ret_self);
}

static void latency_close(void *data)
{
	struct latency *self = data;

	probe_free(self->probe);
	free(self->matrix);
	(void)pthread_mutex_destroy(&self->lock);
	instance_free(self);
}

/* ---- start ------------------------------------------------------------ */

/* Finds a reason why turns cannot be counted; false if there is none. */
static bool examine(const struct latency *self, struct condition_advice *ret)
{
	if (condition_examine(self->host, ret))
		return true;
	*ret = (struct condition_advice){
		-EOPNOTSUPP, "turns are counted in the initial PID namespace only", NULL};
	return !condition_is_outermost(self->host);
}

static int latency_probe(void *data)
{
	const struct latency *self = data;
	struct ctprof_finding finding = FINDING_WORKS("latency");
	struct condition_advice advice;

	if (examine(self, &advice))
		finding_set(&finding, CTPROF_FAILS, advice.why, advice.remedy);
	self->host->finding(self->host, &finding);
	finding.group = MATRIX;
	self->host->finding(self->host, &finding);
	return 0;
}

static unsigned wanted_tasks(const struct latency *self)
{
	const struct ctprof_host *host = self->host;

	return (slots_wanted(host, self->waited, N_WAITED) ? PROBE_WAITS : 0) |
	       (slots_wanted(host, self->histograms, N_HISTOGRAMS) ||
				slots_wanted(host, self->sums, N_SUMS)
			? PROBE_TURNS
			: 0);
}

static int latency_start(void *data)
{
	struct latency *self = data;
	const char *budget = self->host->option(self->host, BUDGET_OPTION);
	struct condition_advice advice;

	/* Otherwise the host would not start this source before the window begins. */
	if (!slots_wanted(self->host, self->tallies, N_TALLIES)) {
		self->host->error(self->host, "its values of the host are needed as well "
					      "(--groups=latency,latency-matrix)");
		return -EOPNOTSUPP;
	}
	if (examine(self, &advice))
		return condition_refuse(self->host, &advice);
	unsigned tasks = wanted_tasks(self);
	if (tasks & PROBE_WAITS)
		self->matrix = malloc(sizeof *self->matrix);
	int r = (tasks & PROBE_WAITS) && !self->matrix
			? -ENOMEM
			: probe_load(tasks,
				     (uint64_t)(strtod(budget ? budget : BUDGET, NULL) * MILLION),
				     &self->probe);
	if (r == 0)
		return 0;
	advice = condition_explain(r);
	if (advice.err == -EOPNOTSUPP && !advice.remedy)
		advice.remedy = "needs Linux 5.12";
	return condition_refuse(self->host, &advice);
}

/* ---- one thread ------------------------------------------------------- */

/* The first worker that calls this reads all threads; the others wait for it. */
static int read_once(struct latency *self)
{
	HOLD(&self->lock);

	if (!self->is_read) {
		self->error = probe_read(self->probe);
		self->is_read = true;
	}
	return self->error;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Whether nearly all turns of the thread were counted, compared with the kernel's count of
 * switches; at either end of the window a turn may be counted twice or not at all. */
static bool is_closed(const struct turn_record *record, const struct turns *turns)
{
	uint64_t seen = turns ? turns->switches : 0, merged = turns ? turns->merged : 0;

	return record->state == TURNS_BASED &&
	       distance(seen, record->switches) <= 1 + record->switches / TOLERANCE &&
	       merged <= 1 + seen / TOLERANCE;
}

static void put_histogram(const struct latency *self, struct ctprof_batch *batch, uint64_t row,
			  unsigned which, const unsigned *counts, const unsigned *more)
{
	uint64_t sum[TURN_BUCKETS];

	if (!self->host->wanted(self->host, self->histograms[which]))
		return;
	for (unsigned i = 0; i < TURN_BUCKETS; i++)
		sum[i] = (uint64_t)counts[i] + (more ? more[i] : 0);
	self->host->put_histogram(batch, row, self->histograms[which], sum, TURN_BUCKETS);
}

static void put_turns(const struct latency *self, struct ctprof_batch *batch, uint64_t row,
		      const struct turn_record *record, const struct turns *turns)
{
	static const struct turns none;
	const struct turns *known = turns ? turns : &none;

	put_histogram(self, batch, row, WAIT, known->counts[TURN_WOKEN],
		      known->counts[TURN_PREEMPTED]);
	put_histogram(self, batch, row, PREEMPTED, known->counts[TURN_PREEMPTED], NULL);
	put_histogram(self, batch, row, SLICE, known->counts[TURN_SLICE], NULL);
	self->host->put_u64(batch, row, self->sums[WAIT_SUM],
			    known->wait_ns + record->open_wait_ns);
	self->host->put_u64(batch, row, self->sums[SLICE_SUM],
			    known->slice_ns + record->open_slice_ns);
}

static void put_absent(const struct latency *self, struct ctprof_batch *batch, uint64_t row,
		       uint32_t why)
{
	slots_put_absent(self->host, batch, row, self->histograms, N_HISTOGRAMS, why);
	slots_put_absent(self->host, batch, row, self->sums, N_SUMS, why);
}

/* If the probe went over budget, all histograms end early and are absent. */
static void put_thread(const struct latency *self, struct ctprof_batch *batch, uint64_t row,
		       bool is_over)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	const struct turns *turns;
	const struct turn_record *record =
		probe_find(self->probe, target->tgid, target->tid, &turns);

	if (is_over)
		put_absent(self, batch, row, CTPROF_ABSENT_TIMEOUT);
	else if (!record)
		put_absent(self, batch, row, CTPROF_ABSENT_SKIPPED);
	else if (!is_closed(record, turns))
		put_absent(self, batch, row, CTPROF_ABSENT_INVALID);
	else
		put_turns(self, batch, row, record, turns);
}

static int collect_threads(struct latency *self, struct ctprof_batch *batch)
{
	struct probe_cost cost;
	int r = read_once(self);

	if (r < 0) {
		self->host->error(self->host, "cannot read the turns: %s", strerror(-r));
		return r;
	}
	probe_cost(self->probe, &cost);
	for (uint64_t row = 0; row < batch->n; row++)
		put_thread(self, batch, row, cost.is_over);
	return 0;
}

/* ---- the host ------------------------------------------------------ */

static void put_coverage(const struct latency *self, struct ctprof_batch *batch)
{
	uint64_t seen = 0, all = 0, closed = 0;

	for (size_t i = 0; i < probe_count(self->probe); i++) {
		const struct turns *turns;
		const struct turn_record *record = probe_at(self->probe, i, &turns);

		all += record->switches;
		seen += turns ? turns->switches - turns->merged : 0;
		closed += is_closed(record, turns);
	}
	self->host->put_u64(batch, 0, self->tallies[TALLY_THREADS], probe_count(self->probe));
	self->host->put_u64(batch, 0, self->tallies[TALLY_CLOSED], closed);
	if (all > 0)
		self->host->put_u64(batch, 0, self->tallies[TALLY_COVERAGE],
				    (seen < all ? seen : all) * 10000 / all);
}

static void put_tallies(struct latency *self, struct ctprof_batch *batch)
{
	struct probe_cost cost;

	if (read_once(self) < 0)
		return;
	put_coverage(self, batch);
	probe_cost(self->probe, &cost);
	if (cost.ns > 0)
		self->host->put_u64(batch, 0, self->tallies[TALLY_SWITCH_NS],
				    (uint64_t)(cost.ns + 0.5));
	self->host->put_u64(batch, 0, self->tallies[TALLY_OVER], cost.is_over);
	self->host->put_u64(batch, 0, self->tallies[TALLY_REFUSED], probe_refused(self->probe));
	if (cost.is_over)
		self->host->log(self->host, CTPROF_LOG_WARNING,
				"the probe took more than -O latency." BUDGET_OPTION
				" allows, and has stopped counting");
}

/* ---- who waited, and for what ------------------------------------------ */

static int name_pool(const struct latency *self, unsigned pool, char *ret, size_t size)
{
	return pool < N_WAIT_FIXED ? snprintf(ret, size, "%s", columns[pool])
				   : snprintf(ret, size, "%.*s", (int)sizeof(struct pool_name),
					      (const char *)&self->matrix->names[pool]);
}

/* Puts an object: "redis", or with what ran meanwhile "redis: cc1".  A negative errno: the batch
 * is full. */
static int put_waited(const struct latency *self, struct ctprof_batch *batch)
{
	const uint64_t *ns = self->matrix->ns[self->row];
	/* The sum comes first. */
	unsigned column = self->column == 0          ? WAIT_ALL
			  : self->column == WAIT_ALL ? WAIT_OTHER
						     : self->column;
	bool is_all = column == WAIT_ALL;
	char name[64];
	uint64_t at;

	if (column == WAIT_WHILE_IDLE || ns[column] == 0)
		return 0;
	int len = name_pool(self, self->row, name, sizeof name);
	if (!is_all) {
		len += snprintf(name + len, sizeof name - (size_t)len, ": ");
		len += name_pool(self, column, name + len, sizeof name - (size_t)len);
	}
	int r = self->host->object(batch, MATRIX, name, (size_t)len, &at);
	if (r < 0)
		return r;
	slots_put_absent(self->host, batch, at, self->waited, N_WAITED, CTPROF_ABSENT_INAPPLICABLE);
	self->host->put_u64(batch, at, self->waited[is_all ? WAITED : WAITED_FOR], ns[column]);
	if (is_all)
		self->host->put_u64(batch, at, self->waited[WAITED_WHILE_IDLE],
				    ns[WAIT_WHILE_IDLE]);
	return 0;
}

static int collect_waited(struct latency *self, struct ctprof_batch *batch)
{
	struct probe_cost cost;
	int r = 0;

	if (!self->matrix)
		return 0;
	probe_cost(self->probe, &cost);
	if (self->row == 0 && self->column == 0)
		probe_matrix(self->probe, self->matrix);
	while (r == 0 && !cost.is_over && self->row < self->matrix->n) {
		r = put_waited(self, batch);
		if (r == 0 && ++self->column >= self->matrix->n) {
			self->column = 0;
			self->row++;
		}
	}
	return r == -ENOSPC ? 0 : r;
}

static int latency_collect(void *data, void *context, struct ctprof_batch *batch)
{
	struct latency *self = data;

	(void)context;
	if (batch->scope == CTPROF_SCOPE_THREAD)
		return collect_threads(self, batch);
	if (batch->scope == CTPROF_SCOPE_OBJECT)
		return collect_waited(self, batch);
	if (batch->scope == CTPROF_SCOPE_HOST)
		put_tallies(self, batch);
	return 0;
}

/* Called between captures: detaches a probe that is over its budget, rather than leave it idle. */
static int latency_sample(void *data, uint64_t *ret_next_ns)
{
	struct latency *self = data;
	struct probe_cost cost;

	probe_cost(self->probe, &cost);
	if (cost.is_over)
		probe_detach(self->probe);
	*ret_next_ns = NS_PER_S;
	return 0;
}

static int latency_again(void *data)
{
	struct latency *self = data;

	int r = probe_again(self->probe);

	self->is_read = false;
	self->row = self->column = 0;
	if (r < 0)
		self->host->error(self->host, "cannot read the turns again: %s", strerror(-r));
	return r;
}

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(CAPABILITY, "CAP_BPF", "to load programs into the kernel"),
	NEED_ALWAYS(CAPABILITY, "CAP_PERFMON", "to let them read the kernel's memory"),
	NEED_ALWAYS(KCONFIG, "CONFIG_BPF_SYSCALL", "to load programs into the kernel"),
	NEED_ALWAYS(KCONFIG, "CONFIG_DEBUG_INFO_BTF", "the layout of the kernel's types"),
	NEED_ALWAYS(KCONFIG, "CONFIG_SCHED_INFO", "the kernel's counters of waits"),
	NEED_ALWAYS(FILE, "sys/kernel/btf/vmlinux", "the layout of the kernel's types"),
	NEED_PARTLY(FILE, "sys/kernel/security/lockdown", "whether the kernel is locked down"),
	NEED_PARTLY(FILE, "proc/self/stat", "whether /proc is of this PID namespace"),
	NEED_PARTLY(FILE, "proc/self/status", "the capabilities of ctprof"),
};

static const struct ctprof_option options[] = {
	OPTION(REAL, BUDGET_OPTION,
	       "Share of a CPU's time beyond which the probe stops counting; 0: no limit",
	       .default_value = BUDGET, .most = 1),
};

SOURCE_PLUGIN(
	"latency", PER_WORKER, CHEAP,
	"How long threads wait for a CPU, for whom, and then run, turn by turn, by a BPF program",
	SOURCE_OPS(.open = latency_open, .close = latency_close, .probe = latency_probe,
		   .start = latency_start, .collect = latency_collect, .again = latency_again,
		   .sample = latency_sample),
	SOURCE_OPTIONS(options))

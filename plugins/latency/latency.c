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

#define BUDGET_OPTION "max-overhead"
#define BUDGET "0.05"
/* At most one switch in this many may be missed, and one turn merged. */
#define TOLERANCE 100u

/* The values of threads, those of the host, and those of objects. */
enum { WAIT, PREEMPTED, SLICE, WAIT_SUM, SLEPT_SUM, SLICE_SUM, OF_HOST };
enum { THREADS = OF_HOST, CLOSED, COVERAGE, SWITCH_NS, WAKEUP_NS, OVER, REFUSED, OF_OBJECTS };
enum { WAITED = OF_OBJECTS, WHILE_IDLE, WAITED_FOR, WOKEN, WAITING, RUNNING, KIND, N_METRICS };

#define GROUP "latency"
#define MATRIX "latency-matrix"
#define ROW(kind, unit, scope, name, group, help, origin, flags_, ...)                             \
	METRIC_ROW(kind, unit, scope, name, group, help, origin,                                   \
		   .flags = CTPROF_METRIC_ON_DEMAND | (flags_), __VA_ARGS__)
#define HISTOGRAM(name, help, origin)                                                              \
	ROW(HISTOGRAM, NS, THREAD, name, GROUP, help, origin, CTPROF_METRIC_STILL,                 \
	    .buckets = CTPROF_BUCKETS_QUARTERS)
#define SUM(name, help, origin)                                                                    \
	ROW(COUNTER, NS, THREAD, name, GROUP, help, origin, CTPROF_METRIC_STILL)
#define TALLY(kind, unit, name, group, help, origin)                                               \
	ROW(kind, unit, HOST, "latency." name, group, help, origin, CTPROF_METRIC_QUIET)
#define OBJECT(kind, unit, name, help, origin)                                                     \
	ROW(kind, unit, OBJECT, name, MATRIX, help, origin, 0)

#define RUN_DELAY "growth of sched_info.run_delay at each sched_switch away from the thread"
#define SWITCHES "nvcsw + nivcsw, compared with the switches counted"
#define TIMED "one event in 64, timed by the program"
#define COMM "task_struct.comm of the leader"

static const struct ctprof_metric metrics[N_METRICS] = {
	[WAIT] = HISTOGRAM("run_delay", "waits for a CPU, by length", RUN_DELAY),
	[PREEMPTED] = HISTOGRAM("run_delay_preempted",
				"waits for a CPU that began with a preemption", RUN_DELAY),
	[SLICE] = HISTOGRAM("slice_length", "turns on a CPU, by length",
			    "growth of se.sum_exec_runtime at each sched_switch away"),
	[WAIT_SUM] = SUM("run_delay_ns", "time waited for a CPU since the probe was attached",
			 "sched_info.run_delay (sched_info_arrive)"),
	[SLEPT_SUM] =
		SUM("run_delay_slept_ns", "sleep that the kernel counted as time waited for a CPU",
		    "sched_info.run_delay, if sched_entity.sched_delayed at sched_migrate_task"),
	[SLICE_SUM] = SUM("slice_length_ns", "time on a CPU since the probe was attached",
			  "se.sum_exec_runtime (update_curr)"),
	[THREADS] = TALLY(COUNTER, NONE, "thread_count", GROUP, "threads read", "iter/task"),
	[CLOSED] = TALLY(COUNTER, NONE, "closed_count", GROUP,
			 "threads of which at least 99 % of the turns were counted", SWITCHES),
	[COVERAGE] = TALLY(GAUGE, CENTIPERCENT, "coverage", GROUP, "share of switches counted",
			   SWITCHES),
	[SWITCH_NS] = TALLY(GAUGE, NS, "switch_ns", GROUP,
			    "time in the program for each switch, excluding its call", TIMED),
	[WAKEUP_NS] = TALLY(GAUGE, NS, "wakeup_ns", MATRIX,
			    "time in the program for each wakeup, excluding its call", TIMED),
	[OVER] = TALLY(LABEL, BOOL, "over_budget", GROUP,
		       "counting stopped because of -O latency." BUDGET_OPTION, "ctprof"),
	[REFUSED] = TALLY(COUNTER, NONE, "refused_count", MATRIX,
			  "threads counted in other pools, as there was no room", "the programs"),
	[WAITED] = OBJECT(COUNTER, NS, "waited_ns",
			  "time that threads of the pool waited for a CPU", RUN_DELAY),
	[WHILE_IDLE] = OBJECT(COUNTER, NS, "waited_while_idle_ns",
			      "part of waited_ns in which some CPU was idle",
			      "sched_switch to and from idle"),
	[WAITED_FOR] = OBJECT(COUNTER, NS, "waited_for_ns",
			      "part of waited_ns in which the other pool ran there",
			      "sched_switch, rq.clock"),
	[WOKEN] = OBJECT(COUNTER, NONE, "woken_count",
			 "wakeups of the pool's threads; of a pair, by the other pool",
			 "sched_waking"),
	[WAITING] = OBJECT(LABEL, TEXT, "waiting_pool", "the pool that waited", COMM),
	[RUNNING] = OBJECT(LABEL, TEXT, "running_pool", "the pool that ran meanwhile", COMM),
	[KIND] = OBJECT(LABEL, TEXT, "waited_for", "pool, or else idle, interrupts, unknown, …",
			"the programs"),
};

/* The fixed columns that an object is made of; NULL: sums. */
static const char *const columns[N_WAIT_FIXED] = {
	[WAIT_OTHER] = "other pools",     [WAIT_IDLE] = "idle",
	[WAIT_INTERRUPTS] = "interrupts", [WAIT_UNKNOWN] = "unknown",
	[WAIT_THROTTLED] = "throttled",   [WAIT_ELSEWHERE] = "another CPU",
	[WAIT_BEFORE] = "before",
};

struct latency {
	const struct ctprof_host *host;
	uint32_t slots[N_METRICS];
	bool detaches;       /* programs are attached only while their values are read */
	unsigned tasks;      /* enum probe_task */
	struct probe *probe; /* NULL: not attached */
	struct matrix matrix;
	unsigned next; /* names of its cells, row by row */
	pthread_mutex_t lock;
	int error; /* result of reading this capture's turns; 1: not read yet */
};

/* ---- open and close --------------------------------------------------- */

static int latency_open(const struct ctprof_host *host, void **ret_self)
{
	struct latency *self = instance_new(host, sizeof *self);

	if (!self)
		return -ENOMEM;
	self->host = host;
	self->error = 1;
	(void)pthread_mutex_init(&self->lock, NULL);
	return instance_give(self, slots_declare(host, metrics, N_METRICS, self->slots), ret_self);
}

static void latency_close(void *data)
{
	struct latency *self = data;

	probe_free(self->probe);
	(void)pthread_mutex_destroy(&self->lock);
	instance_free(self);
}

/* ---- start ------------------------------------------------------------ */

static int latency_probe(void *data)
{
	const struct latency *self = data;
	struct condition_advice advice;
	uint32_t state = condition_examine_outer(self->host, &advice) ? CTPROF_FAILS : CTPROF_WORKS;

	finding_put(self->host, GROUP, state, advice.why, advice.remedy);
	finding_put(self->host, MATRIX, state, advice.why, advice.remedy);
	return 0;
}

/* Returns enum probe_task. */
static unsigned wanted_tasks(const struct latency *self)
{
	const char *wakeups = self->host->option(self->host, "wakeups");
	unsigned turns = slots_wanted(self->host, self->slots, OF_HOST) ? PROBE_TURNS : 0;

	if (!slots_wanted(self->host, &self->slots[OF_OBJECTS], N_METRICS - OF_OBJECTS))
		return turns;
	return turns | PROBE_WAITS | (wakeups && strcmp(wakeups, "yes") == 0 ? PROBE_WAKEUPS : 0);
}

/* Attaches the programs of these tasks in place of the others; 0 or the result of start(). */
static int attach(struct latency *self, unsigned tasks)
{
	const char *budget = self->host->option(self->host, BUDGET_OPTION);
	struct condition_advice advice;

	probe_free(self->probe);
	self->probe = NULL;
	self->tasks = tasks;
	if (!tasks)
		return 0;
	if (condition_examine_outer(self->host, &advice))
		return condition_refuse(self->host, &advice);
	int r = probe_load(tasks, (uint64_t)(strtod(budget ? budget : BUDGET, NULL) * 1e6),
			   &self->probe);
	if (r == 0)
		return 0;
	advice = condition_explain(r);
	if (advice.err == -EOPNOTSUPP && !advice.remedy)
		advice.remedy = "needs Linux 5.12";
	return condition_refuse(self->host, &advice);
}

static int latency_start(void *data)
{
	struct latency *self = data;
	const char *detaches = self->host->option(self->host, "detach");

	self->detaches = detaches && strcmp(detaches, "1") == 0;
	if (self->detaches)
		return 0;
	/* Otherwise the host would not start this source before the window begins. */
	if (!slots_wanted(self->host, &self->slots[OF_HOST], OF_OBJECTS - OF_HOST)) {
		self->host->error(self->host, "its values of the host must be captured, too "
					      "(--groups=latency,latency-matrix)");
		return -EOPNOTSUPP;
	}
	return attach(self, wanted_tasks(self));
}

static void put(const struct latency *self, struct ctprof_batch *batch, uint64_t row,
		unsigned metric, uint64_t value)
{
	self->host->put_u64(batch, row, self->slots[metric], value);
}

/* ---- one thread ------------------------------------------------------- */

/* The first worker that calls this reads all threads; the others wait for it. */
static int read_once(struct latency *self)
{
	HOLD(&self->lock);

	if (self->error > 0)
		self->error = self->probe ? probe_pass(self->probe, PASS_READ) : 0;
	return self->error;
}

/* Whether nearly all turns of the thread were counted, compared with the kernel's count of
 * switches; at either end of the window a turn may be counted twice or not at all. */
static bool is_closed(const struct turn_record *record)
{
	const struct turns *turns = &record->turns;
	uint64_t seen = turns->switches, all = record->switches, slack = 1 + all / TOLERANCE;

	return turns->state == TURNS_BASED && seen <= all + slack && all <= seen + slack &&
	       turns->merged <= 1 + seen / TOLERANCE;
}

static void put_turns(const struct latency *self, struct ctprof_batch *batch, uint64_t row,
		      const struct turn_record *record)
{
	uint64_t counts[TURN_COUNTS];

	probe_histograms(record, counts);
	/* WAIT is of all waits, however they began. */
	for (unsigned i = 0; i < TURN_BUCKETS; i++)
		counts[i] += counts[TURN_PREEMPTED * TURN_BUCKETS + i];
	for (unsigned i = 0; i < N_TURN_HISTOGRAMS; i++)
		self->host->put_histogram(batch, row, self->slots[WAIT + i],
					  &counts[i * TURN_BUCKETS], TURN_BUCKETS);
	put(self, batch, row, WAIT_SUM, record->turns.wait_ns);
	put(self, batch, row, SLEPT_SUM, record->turns.slept_ns);
	put(self, batch, row, SLICE_SUM, record->turns.slice_ns);
}

static int collect_threads(struct latency *self, struct ctprof_batch *batch)
{
	int r = read_once(self);

	if (r < 0) {
		self->host->error(self->host, "cannot read the counts: %s", strerror(-r));
		return r;
	}
	/* If the probe went over budget, all histograms end early and are absent. */
	bool is_over = self->probe && probe_state(self->probe).is_over;
	for (uint64_t row = 0; row < batch->n; row++) {
		const struct ctprof_target *target = ctprof_batch_target(batch, row);
		const struct turn_record *record =
			self->probe ? probe_find(self->probe, target->tgid, target->tid) : NULL;

		if (record && !is_over && is_closed(record))
			put_turns(self, batch, row, record);
		else
			slots_put_absent(self->host, batch, row, self->slots, OF_HOST,
					 is_over  ? CTPROF_ABSENT_TIMEOUT
					 : record ? CTPROF_ABSENT_INVALID
						  : CTPROF_ABSENT_SKIPPED);
	}
	return 0;
}

/* ---- the host ------------------------------------------------------ */

static void put_coverage(const struct latency *self, struct ctprof_batch *batch)
{
	uint64_t seen = 0, all = 0, closed = 0;
	size_t n;
	const struct turn_record *const *records = probe_records(self->probe, &n);

	for (size_t i = 0; i < n; i++) {
		all += records[i]->switches;
		seen += records[i]->turns.switches - records[i]->turns.merged;
		closed += is_closed(records[i]);
	}
	put(self, batch, 0, THREADS, n);
	put(self, batch, 0, CLOSED, closed);
	if (all > 0)
		put(self, batch, 0, COVERAGE, (seen < all ? seen : all) * 10000 / all);
}

static void put_tallies(struct latency *self, struct ctprof_batch *batch)
{
	if (read_once(self) < 0)
		return;
	const struct probe_state state = probe_state(self->probe);
	put_coverage(self, batch);
	for (unsigned i = 0; i < N_COSTS; i++)
		if (state.ns[i] > 0)
			put(self, batch, 0, SWITCH_NS + i, (uint64_t)(state.ns[i] + 0.5));
	put(self, batch, 0, OVER, state.is_over);
	put(self, batch, 0, REFUSED, state.n_refused);
	if (state.is_over)
		self->host->log(self->host, CTPROF_LOG_WARNING,
				"the probe took more than -O latency." BUDGET_OPTION
				" allows, and has stopped counting");
}

/* ---- who waited, and for what ------------------------------------------ */

/* Names a pool, or a fixed column "(idle)".  No process can choose the name of a column or of a
 * pair. */
static int name_pool(const struct latency *self, unsigned pool, char *ret, size_t size)
{
	const char *comm = (const char *)&self->matrix.names[pool];
	const char *quote = comm[0] == '(' ? "'" : "";

	if (pool < N_WAIT_FIXED)
		return snprintf(ret, size, "(%s)", columns[pool]);
	int len = snprintf(ret, size, "%s%s%s", quote, comm, quote);
	for (char *at = strstr(ret, ": "); at; at = strstr(at, ": "))
		at[1] = '_';
	return len;
}

/* Puts which pool waited and, unless it is the sum, which ran: not every text that can be read in
 * the name of an object is the name of a pool. */
static void put_labels(const struct latency *self, struct ctprof_batch *batch, uint64_t at,
		       unsigned row, unsigned column)
{
	const struct pool_name *names = self->matrix.names;
	const char *const texts[] = {
		row < N_WAIT_FIXED ? NULL : (const char *)&names[row],
		column < N_WAIT_FIXED ? NULL : (const char *)&names[column],
		column < N_WAIT_FIXED ? columns[column] : "pool",
	};

	for (unsigned i = 0; i < N_METRICS - WAITING; i++)
		if (texts[i])
			self->host->put_text(batch, at, self->slots[WAITING + i], texts[i],
					     strlen(texts[i]));
}

/* Puts an object: "redis", or with what ran meanwhile "redis: cc1".  A negative errno: the batch
 * is full. */
static int put_waited(const struct latency *self, struct ctprof_batch *batch, unsigned row,
		      unsigned column)
{
	const uint64_t *ns = self->matrix.ns[row];
	uint64_t at, woken = self->matrix.woken[row][column];
	bool is_all = column == WAIT_ALL;
	char name[64];

	if (column == WAIT_WHILE_IDLE || (ns[column] == 0 && woken == 0))
		return 0;
	int len = name_pool(self, row, name, sizeof name);
	if (!is_all) {
		len += snprintf(name + len, sizeof name - (size_t)len, ": ");
		len += name_pool(self, column, name + len, sizeof name - (size_t)len);
	}
	int r = self->host->object(batch, MATRIX, name, (size_t)len, &at);
	if (r < 0)
		return r;
	slots_put_absent(self->host, batch, at, &self->slots[OF_OBJECTS], N_METRICS - OF_OBJECTS,
			 CTPROF_ABSENT_INAPPLICABLE);
	put(self, batch, at, is_all ? WAITED : WAITED_FOR, ns[column]);
	if (is_all)
		put(self, batch, at, WHILE_IDLE, ns[WAIT_WHILE_IDLE]);
	if (self->tasks & PROBE_WAKEUPS)
		put(self, batch, at, WOKEN, woken);
	put_labels(self, batch, at, row, column);
	return 0;
}

static int collect_waited(struct latency *self, struct ctprof_batch *batch)
{
	int r = 0;

	if (!(self->tasks & PROBE_WAITS) || probe_state(self->probe).is_over)
		return 0;
	if (self->next == 0)
		probe_matrix(self->probe, &self->matrix);
	unsigned n = self->matrix.n;
	for (; r == 0 && self->next < n * n; self->next += r == 0)
		r = put_waited(self, batch, self->next / n, self->next % n);
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
	if (batch->scope == CTPROF_SCOPE_HOST && self->probe)
		put_tallies(self, batch);
	else if (batch->scope == CTPROF_SCOPE_HOST)
		slots_put_absent(self->host, batch, 0, &self->slots[OF_HOST], OF_OBJECTS - OF_HOST,
				 CTPROF_ABSENT_SKIPPED);
	return 0;
}

/* Called between captures: detaches a probe that is over its budget, rather than leave it idle. */
static int latency_sample(void *data, uint64_t *ret_next_ns)
{
	const struct latency *self = data;

	if (self->probe && probe_state(self->probe).is_over)
		probe_detach(self->probe);
	*ret_next_ns = NS_PER_S;
	return 0;
}

static int latency_again(void *data)
{
	struct latency *self = data;
	unsigned tasks = self->detaches ? wanted_tasks(self) : self->tasks;

	self->error = 1;
	self->next = 0;
	return tasks == self->tasks ? 0 : attach(self, tasks);
}

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(CAPABILITY, "CAP_BPF", "to load programs into the kernel"),
	NEED_ALWAYS(CAPABILITY, "CAP_PERFMON", "to let them read the kernel's memory"),
	BPF_NEEDS,
	NEED_ALWAYS(KCONFIG, "CONFIG_SCHED_INFO", "the kernel's wait counters"),
};

static const struct ctprof_option_word wakeups[] = {
	OPTION_WORD("no", NULL),
	OPTION_WORD("yes", NULL, .groups = MATRIX),
};

static const struct ctprof_option options[] = {
	OPTION(REAL, BUDGET_OPTION,
	       "Share of a CPU's time beyond which the probe stops counting; 0: no limit",
	       .default_value = BUDGET, .most = 1),
	OPTION(BOOL, "detach", "Detach the probe while none of its values are read"),
	OPTION(WORD, "wakeups", "Whether the matrix also counts who wakes whom",
	       .default_value = "no", OPTION_WORDS(wakeups)),
};

SOURCE_PLUGIN(
	"latency", PER_WORKER, CHEAP,
	"How long threads wait for a CPU and then run, turn by turn, and what runs meanwhile, by BPF",
	SOURCE_OPS(.open = latency_open, .close = latency_close, .probe = latency_probe,
		   .start = latency_start, .collect = latency_collect, .again = latency_again,
		   .sample = latency_sample),
	SOURCE_OPTIONS(options))

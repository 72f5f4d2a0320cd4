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

/* The values of threads, those of the host, and those of objects. */
enum { WAIT, PREEMPTED, SLICE, WAIT_SUM, SLICE_SUM, OF_HOST };
enum { THREADS = OF_HOST, CLOSED, COVERAGE, SWITCH_NS, OVER, REFUSED, OF_OBJECTS };
enum { WAITED = OF_OBJECTS, WHILE_IDLE, WAITED_FOR, WAITING, RUNNING, KIND, N_METRICS };

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

#define RUN_DELAY "sched_info.run_delay, its growth at each sched_switch away from the thread"
#define COMM "task_struct.comm of the leader"

static const struct ctprof_metric metrics[N_METRICS] = {
	[WAIT] = HISTOGRAM("run_delay", "waits for a CPU, by their length", RUN_DELAY),
	[PREEMPTED] =
		HISTOGRAM("run_delay_preempted",
			  "those of threads that had been preempted, and had not slept", RUN_DELAY),
	[SLICE] = HISTOGRAM("slice_length", "turns on a CPU, by their length",
			    "se.sum_exec_runtime, its growth at each sched_switch away"),
	[WAIT_SUM] = SUM("run_delay_ns", "time waited for a CPU since the probe was attached",
			 "sched_info.run_delay (sched_info_arrive)"),
	[SLICE_SUM] = SUM("slice_length_ns", "time on a CPU since the probe was attached",
			  "se.sum_exec_runtime (update_curr)"),
	[THREADS] =
		TALLY(COUNTER, NONE, "thread_count", GROUP, "threads read", "the task iterator"),
	[CLOSED] = TALLY(COUNTER, NONE, "closed_count", GROUP,
			 "those whose every turn was counted, but for one in a hundred",
			 "nvcsw + nivcsw, compared with the switches counted"),
	[COVERAGE] = TALLY(GAUGE, CENTIPERCENT, "coverage", GROUP, "share of switches counted",
			   "nvcsw + nivcsw, compared with the switches counted"),
	[SWITCH_NS] = TALLY(GAUGE, NS, "switch_ns", GROUP,
			    "time of the program for each switch, without the call of it",
			    "one switch in 64, timed by the program"),
	[OVER] = TALLY(LABEL, BOOL, "over_budget", GROUP,
		       "counting ended for -O latency." BUDGET_OPTION, "ctprof"),
	[REFUSED] = TALLY(COUNTER, NONE, "refused_count", MATRIX,
			  "threads for whose pool there was no room, so that it is among others",
			  "the programs"),
	[WAITED] = OBJECT(COUNTER, NS, "waited_ns",
			  "time that threads of the pool waited for a CPU", RUN_DELAY),
	[WHILE_IDLE] = OBJECT(COUNTER, NS, "waited_while_idle_ns",
			      "of that, the time during which some CPU was idle",
			      "sched_switch to and from the idle threads"),
	[WAITED_FOR] = OBJECT(COUNTER, NS, "waited_for_ns",
			      "of that, the time during which the other pool ran on their CPU",
			      "sched_switch, and the clock of the run queue"),
	[WAITING] = OBJECT(LABEL, TEXT, "waiting_pool", "the pool that waited", COMM),
	[RUNNING] = OBJECT(LABEL, TEXT, "running_pool", "the pool that ran meanwhile", COMM),
	[KIND] = OBJECT(LABEL, TEXT, "waited_for",
			"pool, other pools, idle, interrupts, throttled, another CPU, "
			"before or unknown",
			"the programs"),
};

/* The fixed columns that an object is made of. */
static const char *const columns[N_WAIT_FIXED] = {
	[WAIT_OTHER] = "other pools",     [WAIT_IDLE] = "idle",
	[WAIT_INTERRUPTS] = "interrupts", [WAIT_UNKNOWN] = "unknown",
	[WAIT_THROTTLED] = "throttled",   [WAIT_ELSEWHERE] = "another CPU",
	[WAIT_BEFORE] = "before",
};

struct latency {
	const struct ctprof_host *host;
	uint32_t slots[N_METRICS];
	struct probe *probe;
	struct matrix *matrix; /* NULL: not wanted */
	unsigned next;         /* of its cells, row by row */
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
	return instance_give(self, slots_declare(host, metrics, N_METRICS, self->slots), ret_self);
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
	static const struct condition_advice inner = {
		-EOPNOTSUPP, "turns are counted in the initial PID namespace only", NULL};

	if (condition_examine(self->host, ret))
		return true;
	bool is_inner = !condition_is_outermost(self->host);
	*ret = is_inner ? inner : (struct condition_advice){0, NULL, NULL};
	return is_inner;
}

static int latency_probe(void *data)
{
	const struct latency *self = data;
	struct condition_advice advice;
	uint32_t state = examine(self, &advice) ? CTPROF_FAILS : CTPROF_WORKS;

	finding_put(self->host, GROUP, state, advice.why, advice.remedy);
	finding_put(self->host, MATRIX, state, advice.why, advice.remedy);
	return 0;
}

static unsigned wanted_tasks(const struct latency *self)
{
	return (slots_wanted(self->host, self->slots, OF_HOST) ? PROBE_TURNS : 0) |
	       (slots_wanted(self->host, &self->slots[OF_OBJECTS], N_METRICS - OF_OBJECTS)
			? PROBE_WAITS
			: 0);
}

static int latency_start(void *data)
{
	struct latency *self = data;
	const char *budget = self->host->option(self->host, BUDGET_OPTION);
	struct condition_advice advice;

	/* Otherwise the host would not start this source before the window begins. */
	if (!slots_wanted(self->host, &self->slots[OF_HOST], OF_OBJECTS - OF_HOST)) {
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

	if (!self->host->wanted(self->host, self->slots[which]))
		return;
	for (unsigned i = 0; i < TURN_BUCKETS; i++)
		sum[i] = (uint64_t)counts[i] + (more ? more[i] : 0);
	self->host->put_histogram(batch, row, self->slots[which], sum, TURN_BUCKETS);
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
	self->host->put_u64(batch, row, self->slots[WAIT_SUM],
			    known->wait_ns + record->open_wait_ns);
	self->host->put_u64(batch, row, self->slots[SLICE_SUM],
			    known->slice_ns + record->open_slice_ns);
}

/* If the probe went over budget, all histograms end early and are absent. */
static void put_thread(const struct latency *self, struct ctprof_batch *batch, uint64_t row,
		       bool is_over)
{
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	const struct turns *turns;
	const struct turn_record *record =
		probe_find(self->probe, target->tgid, target->tid, &turns);

	uint32_t why = is_over                     ? CTPROF_ABSENT_TIMEOUT
		       : !record                   ? CTPROF_ABSENT_SKIPPED
		       : !is_closed(record, turns) ? CTPROF_ABSENT_INVALID
						   : CTPROF_PRESENT;

	if (why)
		slots_put_absent(self->host, batch, row, self->slots, OF_HOST, why);
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
	self->host->put_u64(batch, 0, self->slots[THREADS], probe_count(self->probe));
	self->host->put_u64(batch, 0, self->slots[CLOSED], closed);
	if (all > 0)
		self->host->put_u64(batch, 0, self->slots[COVERAGE],
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
		self->host->put_u64(batch, 0, self->slots[SWITCH_NS], (uint64_t)(cost.ns + 0.5));
	self->host->put_u64(batch, 0, self->slots[OVER], cost.is_over);
	self->host->put_u64(batch, 0, self->slots[REFUSED], probe_refused(self->probe));
	if (cost.is_over)
		self->host->log(self->host, CTPROF_LOG_WARNING,
				"the probe took more than -O latency." BUDGET_OPTION
				" allows, and has stopped counting");
}

/* ---- who waited, and for what ------------------------------------------ */

/* Names a pool, or a fixed column "(idle)".  No process can choose a name that is that of a column
 * or of a pair. */
static int name_pool(const struct latency *self, unsigned pool, char *ret, size_t size)
{
	const char *comm = (const char *)&self->matrix->names[pool];
	const char *quote = comm[0] == '(' ? "'" : "";

	if (pool < N_WAIT_FIXED)
		return snprintf(ret, size, "(%s)", columns[pool]);
	int len =
		snprintf(ret, size, "%s%.*s%s", quote, (int)sizeof(struct pool_name), comm, quote);
	for (char *at = strstr(ret, ": "); at; at = strstr(at, ": "))
		at[1] = '_';
	return len;
}

static void put_label(const struct latency *self, struct ctprof_batch *batch, uint64_t row,
		      unsigned metric, const char *text)
{
	self->host->put_text(batch, row, self->slots[metric], text,
			     strnlen(text, sizeof(struct pool_name)));
}

/* Puts which pool waited and, unless it is the sum, which ran: not every text that can be read in
 * the name of an object is the name of a pool. */
static void put_pools(const struct latency *self, struct ctprof_batch *batch, uint64_t at,
		      unsigned row, unsigned column)
{
	const struct pool_name *names = self->matrix->names;

	if (row >= N_WAIT_FIXED)
		put_label(self, batch, at, WAITING, (const char *)&names[row]);
	if (column >= N_WAIT_FIXED)
		put_label(self, batch, at, RUNNING, (const char *)&names[column]);
	if (column != WAIT_ALL)
		put_label(self, batch, at, KIND, column < N_WAIT_FIXED ? columns[column] : "pool");
}

/* Puts an object: "redis", or with what ran meanwhile "redis: cc1".  A negative errno: the batch
 * is full. */
static int put_waited(const struct latency *self, struct ctprof_batch *batch, unsigned row,
		      unsigned column)
{
	const uint64_t *ns = self->matrix->ns[row];
	char name[64];
	uint64_t at;

	if (column == WAIT_WHILE_IDLE || ns[column] == 0)
		return 0;
	int len = name_pool(self, row, name, sizeof name);
	if (column != WAIT_ALL) {
		len += snprintf(name + len, sizeof name - (size_t)len, ": ");
		len += name_pool(self, column, name + len, sizeof name - (size_t)len);
	}
	int r = self->host->object(batch, MATRIX, name, (size_t)len, &at);
	if (r < 0)
		return r;
	slots_put_absent(self->host, batch, at, &self->slots[OF_OBJECTS], N_METRICS - OF_OBJECTS,
			 CTPROF_ABSENT_INAPPLICABLE);
	self->host->put_u64(batch, at, self->slots[column == WAIT_ALL ? WAITED : WAITED_FOR],
			    ns[column]);
	if (column == WAIT_ALL)
		self->host->put_u64(batch, at, self->slots[WHILE_IDLE], ns[WAIT_WHILE_IDLE]);
	put_pools(self, batch, at, row, column);
	return 0;
}

static int collect_waited(struct latency *self, struct ctprof_batch *batch)
{
	struct probe_cost cost;
	int r = 0;

	if (!self->matrix)
		return 0;
	probe_cost(self->probe, &cost);
	if (self->next == 0)
		probe_matrix(self->probe, self->matrix);
	unsigned n = self->matrix->n;
	for (; r == 0 && !cost.is_over && self->next < n * n; self->next += r == 0)
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
	self->next = 0;
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The activities of threads, sampled at many moments. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "history.h"
#include "hold.h"
#include "instance.h"
#include "jitter.h"
#include "kinds.h"
#include "list.h"
#include "look-files.h"
#include "namespace.h"
#include "need.h"
#include "option.h"
#include "places.h"
#include "slots.h"
#include "thread-file.h"

#define GROUP "states"
#define ENDED_GROUP "states-ended"
#define STANDARD_RATE 5
/* Sampling all threads may take 1/20 of a CPU, 5 %. */
#define COST_SHARE 20u
#define WCHAN_BYTES 128u
#define SAMPLES_BYTES (N_KINDS * 24)
#define OBJECT_NAME_BYTES 64

enum { NOW, SAMPLES, N_OF_THREAD };
enum { INSTANTS, BEGAN, N_OF_HOST };
enum { SOURCE, INTERVAL, N_TALLIES };
enum { ENDED, N_OF_OBJECT };

static const struct ctprof_metric thread_metrics[N_OF_THREAD] = {
	[NOW] = METRIC_ROW(CATEGORY, TEXT, THREAD, "wait_state", GROUP,
			   "what the thread is doing: running, lock, socket, pipe, timer, idle, …",
			   "task_struct.__state; the system call in pt_regs; the file of its "
			   "descriptor",
			   .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET |
				    CTPROF_METRIC_STILL),
	[SAMPLES] = METRIC_ROW(
		CATEGORY, TEXT, THREAD, "state_samples", GROUP,
		"its states so far: \"idle@5 lock=3 timer=1\" is idle since instant 5, "
		"and before that lock at 3 instants and timer at 1",
		"as wait_state",
		.flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET | CTPROF_METRIC_STILL),
};

static const struct ctprof_metric host_metrics[N_OF_HOST] = {
	[INSTANTS] = METRIC_ROW(GAUGE, NONE, HOST, "states_instants", GROUP,
				"number of instants so far at which all threads were sampled",
				"counted by ctprof",
				.flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET),
	[BEGAN] = METRIC_ROW(GAUGE, NS, HOST, "states_began_ns", GROUP,
			     "time since boot of the first instant", "CLOCK_BOOTTIME",
			     .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET),
};

static const struct ctprof_metric tallies[N_TALLIES] = {
	[SOURCE] = METRIC_ROW(LABEL, TEXT, CAPTURE, "states_summary.source", GROUP,
			      "how threads were sampled: bpf or files", "counted by ctprof",
			      .flags = CTPROF_METRIC_ON_DEMAND),
	[INTERVAL] = METRIC_ROW(GAUGE, NS, CAPTURE, "states_summary.interval_ns", GROUP,
				"current time between two instants; longer than requested if "
				"sampling that often would take more than 5 % of a CPU",
				"counted by ctprof", .flags = CTPROF_METRIC_ON_DEMAND),
};

/* Objects, as the rows of exits belong to another source. */
static const struct ctprof_metric object_metrics[N_OF_OBJECT] = {
	[ENDED] =
		METRIC_ROW(LABEL, TEXT, OBJECT, "ended_states", ENDED_GROUP,
			   "state_samples of a thread that ended since the last capture, named "
			   "TGID:TID:START by its start_time_clock_ticks",
			   "as wait_state", .flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_QUIET),
};

struct states {
	const struct ctprof_host *host;
	struct places places;
	uint32_t of_thread[N_OF_THREAD], of_host[N_OF_HOST], tallies[N_TALLIES],
		of_object[N_OF_OBJECT];
	struct sweep *sweep; /* NULL: files are read */
	uint64_t asked_ns;   /* time between two instants, as requested */
	struct jitter jitter;

	pthread_mutex_t lock; /* protects the members below */
	struct looks looks;
	uint8_t *kinds;
	size_t kinds_room;
	struct history history;
	uint64_t began_ns, interval_ns;
	bool sampled;   /* instants are taken between captures; otherwise each capture takes one of
			 * its own */
	bool has_look;  /* this capture has looked; if sampled, only to find out which threads still
			 * exist */
	size_t n_put;   /* number of the ended threads put */
	bool is_warned; /* the user knows that sampling is slower than requested */
};

/* ---- open, probe, start ---------------------------------------------------- */

static int declare(struct states *self)
{
	const struct ctprof_host *host = self->host;
	int r = slots_declare(host, thread_metrics, N_OF_THREAD, self->of_thread);

	if (r == 0)
		r = slots_declare(host, host_metrics, N_OF_HOST, self->of_host);
	if (r == 0)
		r = slots_declare(host, object_metrics, N_OF_OBJECT, self->of_object);
	if (r == 0)
		r = slots_declare(host, tallies, N_TALLIES, self->tallies);
	return r == 0 ? places_declare(&self->places, host) : r;
}

static int states_open(const struct ctprof_host *host, void **ret_self)
{
	struct states *self = instance_new(host, sizeof *self);
	const char *rate = host->option(host, "rate");

	if (!self)
		return -ENOMEM;
	self->host = host;
	self->asked_ns = NS_PER_S / (rate ? strtoull(rate, NULL, 10) : STANDARD_RATE);
	self->interval_ns = self->asked_ns;
	self->jitter.random = clock_now() | 1;
	(void)pthread_mutex_init(&self->lock, NULL);
	return instance_give(self, declare(self), ret_self);
}

static void states_close(void *data)
{
	struct states *self = data;

	sweep_free(self->sweep);
	looks_clear(&self->looks);
	history_clear(&self->history);
	free(self->kinds);
	(void)pthread_mutex_destroy(&self->lock);
	instance_free(self);
}

static int open_sweep(const struct ctprof_host *host, struct sweep **ret)
{
	uint64_t calls[SWEEP_CALLS / 64];

	kind_calls_with_descriptor(kind_machine(), calls);
	return sweep_open(host, calls, ret);
}

static int states_probe(void *data)
{
	const struct states *self = data;
	const struct ctprof_host *host = self->host;
	struct ctprof_finding finding = FINDING_WORKS(GROUP);
	struct sweep *sweep = NULL;
	int file = file_check_root(host, CTPROF_ROOT_PROC, "self/syscall");
	int r = host->live(host) ? open_sweep(host, &sweep) : -EOPNOTSUPP;

	sweep_free(sweep);
	if (r < 0 && file < 0)
		finding_set(&finding, CTPROF_PARTLY,
			    "no BPF and no /proc/TID/syscall: only running, sleeping or stopped",
			    "CONFIG_HAVE_ARCH_TRACEHOOK, CAP_SYS_PTRACE");
	else if (r < 0)
		finding.why = "by files, at 20 to 40 µs a thread: BPF needs Linux 5.15, "
			      "CONFIG_DEBUG_INFO_BTF, CAP_BPF and CAP_PERFMON";
	host->finding(host, &finding);
	places_probe(&self->places);
	return 0;
}

/* The program identifies threads by their numbers in the initial PID namespace. */
static int states_start(void *data)
{
	struct states *self = data;
	const struct ctprof_host *host = self->host;
	bool wanted = slots_wanted(host, self->of_thread, N_OF_THREAD);

	if (wanted && host->live(host) && namespace_is_first(host, "pid") &&
	    file_shows_own_pids(host))
		(void)open_sweep(host, &self->sweep);
	return 0;
}

/* ---- looks ------------------------------------------------------------------- */

static enum kind classify(const struct states *self, const struct thread_record *record)
{
	char text[WCHAN_BYTES];
	enum machine machine = kind_machine();
	enum kind kind = kind_of(machine, record, text_of(""));

	if (kind != KIND_UNKNOWN || !kind_needs_wchan(machine, record))
		return kind;
	ssize_t got = thread_file_read_root(self->host, (int32_t)record->tgid, (int32_t)record->tid,
					    "wchan", text, sizeof text);
	return kind_of(machine, record, (struct text){text, got > 0 ? (size_t)got : 0});
}

static int look_at_all(struct states *self)
{
	int r = self->sweep ? looks_read_sweep(self->sweep, &self->looks) : -EOPNOTSUPP;

	if (r == 0)
		return 0;
	sweep_free(self->sweep);
	self->sweep = NULL;
	return looks_read_files(self->host, &self->looks);
}

/* The lock is held. */
static int look(struct states *self)
{
	int r = look_at_all(self);

	if (r == 0)
		r = list_reserve(&self->kinds, &self->kinds_room, self->looks.n, LOOKS_MOST, 1);
	for (size_t i = 0; r == 0 && i < self->looks.n; i++)
		self->kinds[i] = (uint8_t)classify(self, &self->looks.at[i]);
	if (r == 0)
		r = history_add(&self->history, self->looks.at, self->kinds, self->looks.n);
	if (r == 0 && self->history.instants == 1)
		self->began_ns = clock_ns(CLOCK_BOOTTIME);
	return r;
}

static void warn_slow(struct states *self)
{
	if (self->is_warned || self->interval_ns <= self->asked_ns)
		return;
	self->is_warned = true;
	self->host->log(self->host, CTPROF_LOG_INFO,
			"threads are sampled every %.1f s instead of every %.1f s, which would "
			"take more than 5 %% of a CPU",
			(double)self->interval_ns / NS_PER_S, (double)self->asked_ns / NS_PER_S);
}

static int states_sample(void *data, uint64_t *ret_next_ns)
{
	struct states *self = data;
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	HOLD(&self->lock);
	int r = look(self);

	if (r < 0) {
		self->host->error(self->host, "cannot sample threads: %s", strerror(-r));
		return r;
	}
	uint64_t cost =
		COST_SHARE * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin + self->looks.cpu_ns);
	self->sampled = true;
	self->interval_ns = cost > self->asked_ns ? cost : self->asked_ns;
	warn_slow(self);
	*ret_next_ns = jitter_next(&self->jitter, clock_now(), self->interval_ns);
	return 0;
}

/* ---- rows ---------------------------------------------------------------------- */

/* While a thread stays asleep, its text does not change. */
static size_t describe(const struct seen *seen, char ret[SAMPLES_BYTES])
{
	int len = snprintf(ret, SAMPLES_BYTES, "%s@%" PRIu32, kind_words[seen->kind], seen->since);

	for (unsigned i = 0; i < N_KINDS; i++)
		if (seen->before[i] > 0)
			len += snprintf(ret + len, SAMPLES_BYTES - (size_t)len, " %s=%" PRIu32,
					kind_words[i], seen->before[i]);
	return (size_t)len;
}

static void put_thread(const struct states *self, struct ctprof_batch *batch, uint64_t row)
{
	const struct ctprof_host *host = self->host;
	const struct ctprof_target *target = ctprof_batch_target(batch, row);
	const struct seen *seen = history_find(&self->history, target->tgid, target->tid);

	if (!seen) {
		slots_put_absent(host, batch, row, self->of_thread, N_OF_THREAD,
				 CTPROF_ABSENT_SKIPPED);
		return;
	}
	char text[SAMPLES_BYTES];
	const char *word = kind_words[seen->kind];
	host->put_text(batch, row, self->of_thread[NOW], word, strlen(word));
	if (self->sampled)
		host->put_text(batch, row, self->of_thread[SAMPLES], text, describe(seen, text));
	else
		host->put_absent(batch, row, self->of_thread[SAMPLES], CTPROF_ABSENT_SKIPPED);
}

static void look_once(struct states *self)
{
	if (self->has_look)
		return;
	self->has_look = true;
	if (!self->sampled) {
		history_clear(&self->history);
		(void)look(self);
	} else if (look_at_all(self) == 0) {
		history_note_ended(&self->history, self->looks.at, self->looks.n);
	}
}

static void collect_threads(struct states *self, struct ctprof_batch *batch)
{
	HOLD(&self->lock);

	look_once(self);
	for (uint64_t row = 0; row < batch->n; row++)
		put_thread(self, batch, row);
}

/* The program writes start times in ns since boot, the files show ticks. */
static uint64_t start_ticks(const struct states *self, uint64_t start)
{
	return self->sweep ? start / (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK)) : start;
}

static void put_ended(struct states *self, struct ctprof_batch *batch)
{
	const struct ctprof_host *host = self->host;
	char name[OBJECT_NAME_BYTES], text[SAMPLES_BYTES];
	uint64_t row;
	HOLD(&self->lock);

	for (; self->n_put < self->history.n_ended; self->n_put++) {
		const struct seen *seen = &self->history.ended[self->n_put];
		int len = snprintf(name, sizeof name, "%" PRIu32 ":%" PRIu32 ":%" PRIu64,
				   seen->tgid, seen->tid, start_ticks(self, seen->start));

		if (host->object(batch, ENDED_GROUP, name, (size_t)len, &row) < 0)
			return;
		host->put_text(batch, row, self->of_object[ENDED], text, describe(seen, text));
	}
}

static void put_host(struct states *self, struct ctprof_batch *batch)
{
	HOLD(&self->lock);

	if (!self->sampled)
		return;
	self->host->put_u64(batch, 0, self->of_host[INSTANTS], self->history.instants);
	self->host->put_u64(batch, 0, self->of_host[BEGAN], self->began_ns);
}

static void put_tallies(const struct states *self, struct ctprof_batch *batch)
{
	const char *source = self->sweep ? "bpf" : "files";

	self->host->put_text(batch, 0, self->tallies[SOURCE], source, strlen(source));
	if (self->sampled)
		self->host->put_u64(batch, 0, self->tallies[INTERVAL], self->interval_ns);
}

static int states_collect(void *data, void *context, struct ctprof_batch *batch)
{
	struct states *self = data;

	(void)context;
	if (batch->scope == CTPROF_SCOPE_HOST)
		put_host(self, batch);
	if (batch->scope == CTPROF_SCOPE_OBJECT)
		put_ended(self, batch);
	if (batch->scope == CTPROF_SCOPE_CAPTURE)
		put_tallies(self, batch);
	if (batch->scope != CTPROF_SCOPE_THREAD)
		return 0;
	if (slots_wanted(self->host, self->of_thread, N_OF_THREAD))
		collect_threads(self, batch);
	places_collect(&self->places, batch);
	return 0;
}

static int states_again(void *data)
{
	struct states *self = data;

	self->has_look = false;
	self->n_put = 0;
	history_forget_ended(&self->history);
	return 0;
}

/* ---- the plugin ------------------------------------------------------------------ */

static const struct ctprof_need needs[] = {
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/stat", "whether a thread waits"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/syscall", "the states, without BPF"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/wchan", "wait_channel"),
	NEED_PARTLY(FILE, "proc/<tgid>/task/<tid>/stack", "wait_stack"),
	NEED_PARTLY(FILE, "proc/<tgid>/task", "the threads, without BPF"),
	NEED_PARTLY(FILE, "proc/self/syscall", "for doctor: whether it exists"),
	NEED_PARTLY(FILE, "proc/self/wchan", "for doctor: whether there are wait channels"),
	NEED_PARTLY(FILE, "proc/self/stack", "for doctor: whether stacks may be read"),
	NEED_PARTLY(FILE, "proc/self/status", "for doctor: the capabilities of ctprof"),
	NEED_PARTLY(FILE, "proc/self/stat", "whether /proc is of this PID namespace"),
	NEED_PARTLY(FILE, "proc/self/ns/pid", "whether it is the initial namespace"),
	NEED_PARTLY(FILE, "sys/kernel/btf/vmlinux", "the states by BPF"),
	NEED_PARTLY(KCONFIG, "CONFIG_KALLSYMS", "wait_channel"),
	NEED_PARTLY(KCONFIG, "CONFIG_STACKTRACE", "wait_stack"),
	NEED_PARTLY(KCONFIG, "CONFIG_DEBUG_INFO_BTF", "the states by BPF"),
	NEED_PARTLY(CAPABILITY, "CAP_SYS_PTRACE", "other users' threads, kernel threads"),
	NEED_PARTLY(CAPABILITY, "CAP_SYS_ADMIN", "wait_stack"),
	NEED_PARTLY(CAPABILITY, "CAP_DAC_READ_SEARCH", "wait_stack of other users' threads"),
	NEED_PARTLY_TO_START("CAP_BPF", "the states by BPF"),
	NEED_PARTLY_TO_START("CAP_PERFMON", "the states by BPF"),
};

#define RATE(number) OPTION_WORD(number, NULL, .groups = GROUP "," ENDED_GROUP)

static const struct ctprof_option_word rates[] = {RATE("1"), RATE("2"), RATE("5"), RATE("10")};

static const struct ctprof_option options[] = {
	OPTION(WORD, "rate",
	       "Times per second to sample what each thread waits for, between captures",
	       .flags = CTPROF_OPTION_OPTIONAL, .long_name = "states", .placeholder = "RATE",
	       .default_value = OPTION_TEXT(STANDARD_RATE), OPTION_WORDS(rates)),
};

SOURCE_PLUGIN("states", PER_WORKER, MODERATE,
	      "What threads do with their time, and where in the kernel they wait",
	      SOURCE_OPS(.open = states_open, .close = states_close, .probe = states_probe,
			 .start = states_start, .collect = states_collect, .again = states_again,
			 .sample = states_sample),
	      SOURCE_OPTIONS(options))

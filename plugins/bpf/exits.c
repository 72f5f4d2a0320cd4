/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exits.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "condition.h"
#include "newer-host.h"
#include "option.h"
#include "slots.h"

#define NS_PER_US 1000u
/* How long to wait, on a busy host, until threads that have ended have run for the last time: the
 * first limit is for the time since the last thread that did, the second one for the whole wait. */
#define LAST_MOST_MS 1000
#define LASTS_MOST_MS 10000
#define LAST_NAP_MS 2

#define ENDED_WORDS (sizeof(struct ended) / sizeof(uint64_t))
_Static_assert(sizeof(struct ended) % sizeof(uint64_t) == 0, "an exit store holds whole words");
_Static_assert(ENDED_WORDS <= EXIT_STORE_MAX_WORDS, "the record fits into an exit store");

/* ---- metrics ---------------------------------------------------------- */

/* Whether the value adds up or has a peak.  This excludes the times that a process was charged for
 * its children, which have records of their own. */
static bool is_recorded(unsigned value)
{
	uint32_t kind = bpf_metrics[value].kind;

	if (value == VALUE_cutime_clock_ticks || value == VALUE_cstime_clock_ticks)
		return false;
	return kind == CTPROF_COUNTER || kind == CTPROF_PEAK || kind == CTPROF_LOW ||
	       value == VALUE_start_time_clock_ticks || value == VALUE_ppid || value == VALUE_nice;
}

int exits_declare(struct exits *self, const struct ctprof_host *host)
{
	int r = 0;

	self->host = host;
	self->store.n_words = self->later.n_words = ENDED_WORDS;
	if (!HOST_HAS(host, exited))
		return 0;
	for (unsigned i = 0; i < N_RECORD_VALUES && r == 0; i++) {
		struct ctprof_metric metric = bpf_metrics[i];

		metric.scope = CTPROF_SCOPE_EXIT;
		metric.group = "exit";
		if (is_recorded(i))
			r = slots_declare(host, &metric, 1, &self->slots[i]);
	}
	if (r == 0)
		r = slots_declare(host, bpf_exit_values, N_EXIT_VALUES, self->values);
	if (r == 0)
		r = slots_declare(host, bpf_exit_texts, N_EXIT_TEXTS, self->texts);
	if (r == 0)
		r = slots_declare(host, bpf_exit_tallies, N_EXIT_TALLIES, self->tallies);
	return r;
}

bool exits_wanted(const struct exits *self)
{
	return self->texts[0] && (slots_wanted(self->host, self->values, N_EXIT_VALUES) ||
				  slots_wanted(self->host, self->texts, N_EXIT_TEXTS));
}

uint32_t exits_room(const struct exits *self)
{
	return (uint32_t)option_u64(self->host, EXITS_OPTION, EXITS_BUFFER_BYTES);
}

/* ---- listening -------------------------------------------------------- */

int exits_listen(struct exits *self, struct sweep *sweep)
{
	int r = sweep ? sweep_ends_error(sweep) : -EOPNOTSUPP;

	if (r < 0) {
		self->host->error(self->host, "the kernel rejects the programs for exits: %s%s",
				  strerror(-r),
				  r == -EPERM ? " (before Linux 5.11: ulimit -l unlimited)" : "");
		return r;
	}
	if (!condition_is_outermost(self->host)) {
		self->host->error(self->host, "exits are recorded in the initial PID and time "
					      "namespace only");
		return -EOPNOTSUPP;
	}
	sweep_listen(sweep);
	self->sweep = sweep;
	return 0;
}

static bool take(void *data, const struct ended *end)
{
	struct exits *self = data;
	uint64_t words[ENDED_WORDS];

	memcpy(words, end, sizeof words);
	/* A field that this kernel does not have still contains data of an earlier record: clear
	 * it. */
	for (unsigned i = 0; i < N_RECORD_VALUES; i++)
		if (!(end->record.has[i / 64] >> i % 64 & 1))
			words[offsetof(struct ended, record.value) / sizeof(uint64_t) + i] = 0;
	return exit_store_add(&self->store, words);
}

int exits_drain(struct exits *self)
{
	int r = sweep_drain(self->sweep, take, self);

	if (r < 0)
		self->host->error(self->host, "cannot receive exits: %s", strerror(-r));
	return r;
}

/* ---- rows ------------------------------------------------------------- */

/* Waits until all threads that have ended by now have been switched out for the last time. */
static void await_ends(struct exits *self)
{
	const struct timespec nap = {.tv_nsec = LAST_NAP_MS * 1000000L};
	uint64_t now = clock_now(), written = sweep_written(self->sweep);
	unsigned in_vain = 0;

	for (unsigned ms = 0; ms < LASTS_MOST_MS && in_vain < LAST_MOST_MS; ms += LAST_NAP_MS) {
		if (!sweep_awaits(self->sweep, now))
			return;
		(void)nanosleep(&nap, NULL);
		in_vain = sweep_written(self->sweep) == written ? in_vain + LAST_NAP_MS : 0;
		written = sweep_written(self->sweep);
		if (exits_drain(self) < 0)
			return;
	}
}

/* Whether the thread also has a row in this capture: it was a zombie, or ended later. */
static bool has_row(const struct ended *end, const struct live_record *live_rec, bool is_taken)
{
	/* If the start times differ, the row is that of another thread, which took over the IDs by
	 * exec. */
	bool is_same = live_rec->record.value[VALUE_start_time_clock_ticks] ==
		       end->record.value[VALUE_start_time_clock_ticks];

	return is_taken && is_same;
}

/* Whether the record belongs to the next capture.  The usage of the host and of its threads is read
 * when the sweep begins, so later exits are not of this window.  An exception is a thread that the
 * sweep saw but that got no row, because it had ended by then. */
static bool is_of_next_capture(const struct exits *self, const struct ended *end)
{
	const struct record *record = &end->record;
	bool is_taken, ended_later = end->end_ns > sweep_begin(self->sweep);
	struct live_record live_rec;

	if (!sweep_find(self->sweep, (int32_t)record->tgid, (int32_t)record->tid, &live_rec,
			&is_taken))
		return ended_later;
	return has_row(end, &live_rec, is_taken) &&
	       (ended_later || live_rec.record.flags & RECORD_EXITING);
}

static void put_values(const struct exits *self, struct ctprof_batch *batch, uint64_t row,
		       const struct decoded *decoded)
{
	const struct ctprof_host *host = self->host;

	for (unsigned i = 0; i < N_RECORD_VALUES; i++)
		if (self->slots[i])
			bpf_metric_put(host, batch, row, self->slots[i], i, decoded->why[i],
				       decoded->value[i]);
}

static void put_texts(const struct exits *self, struct ctprof_batch *batch, uint64_t row,
		      const struct record *record, const struct cgroups *cgroups)
{
	const struct ctprof_host *host = self->host;
	const char *path = cgroups ? cgroups_find(cgroups, record->cgroup) : NULL;

	host->put_text(batch, row, self->texts[EXIT_COMM], record->comm, sizeof record->comm);
	host->put_text(batch, row, self->texts[EXIT_PCOMM], record->pcomm, sizeof record->pcomm);
	if (path)
		host->put_text(batch, row, self->texts[EXIT_CGROUP], path, strlen(path));
	else if (cgroups)
		host->put_absent(batch, row, self->texts[EXIT_CGROUP], CTPROF_ABSENT_VANISHED);
}

static void put_ended(const struct exits *self, struct ctprof_batch *batch, uint64_t row,
		      const struct ended *end)
{
	const struct ctprof_host *host = self->host;
	uint64_t utime, stime;

	decode_cputime(&end->record, &utime, &stime);
	const uint64_t values[N_EXIT_VALUES] = {
		[EXIT_UTIME] = utime / NS_PER_US,
		[EXIT_STIME] = stime / NS_PER_US,
		[EXIT_ELAPSED] = end->elapsed_ns / NS_PER_US,
		[EXIT_UID] = end->uid,
		[EXIT_FINAL_RUN_TIME] = end->record.sum_exec_runtime,
		[EXIT_CODE] = end->exit_code,
	};
	for (unsigned i = 0; i < N_EXIT_VALUES; i++) {
		if (i == EXIT_CODE && end->record.tid != end->record.tgid)
			host->put_absent(batch, row, self->values[i], CTPROF_ABSENT_INAPPLICABLE);
		else
			host->put_u64(batch, row, self->values[i], values[i]);
	}
}

int exits_collect(struct exits *self, struct ctprof_batch *batch, const struct decode_rules *rules,
		  const struct cgroups *cgroups)
{
	union {
		struct ended end;
		uint64_t words[ENDED_WORDS];
	} kept;
	struct decoded decoded;
	uint64_t row;

	if (!self->waited && self->sweep) {
		self->waited = true;
		await_ends(self);
		(void)exits_drain(self);
	}
	for (;;) {
		struct exit_cursor before = self->cursor;
		const struct record *record = &kept.end.record;

		if (!exit_store_next(&self->store, &self->cursor, kept.words))
			return 0;
		if (is_of_next_capture(self, &kept.end)) {
			if (!exit_store_add(&self->later, kept.words))
				self->n_dropped++;
			continue;
		}
		if (self->host->exited(batch, (int32_t)record->tgid, (int32_t)record->tid, &row) <
		    0) {
			self->cursor = before;
			return 0;
		}
		decode_record(rules, record, &decoded);
		put_values(self, batch, row, &decoded);
		put_ended(self, batch, row, &kept.end);
		put_texts(self, batch, row, record, cgroups);
	}
}

static uint64_t count_lost(const struct exits *self)
{
	return sweep_lost(self->sweep) + self->n_dropped;
}

void exits_put_tallies(const struct exits *self, struct ctprof_batch *batch)
{
	const struct ctprof_host *host = self->host;

	if (!self->sweep)
		return;
	host->put_u64(batch, 0, self->tallies[EXIT_RECEIVED], self->store.n - self->later.n);
	host->put_u64(batch, 0, self->tallies[EXIT_LOST], count_lost(self) - self->lost_before);
	/* The order of the reads matters: a thread is counted in sweep_ended() before it is in
	 * sweep_written(). */
	uint64_t written = sweep_written(self->sweep);
	host->put_u64(batch, 0, self->tallies[EXIT_UNFREED],
		      sweep_ended(self->sweep) - written + self->later.n);
	host->put_text(batch, 0, self->tallies[EXIT_SOURCE], "bpf", strlen("bpf"));
}

void exits_again(struct exits *self)
{
	exit_store_clear(&self->store);
	self->store = self->later;
	self->later = (struct exit_store){.n_words = ENDED_WORDS};
	self->cursor = (struct exit_cursor){0};
	self->waited = false;
	if (self->sweep)
		self->lost_before = count_lost(self);
}

void exits_close(struct exits *self)
{
	exit_store_clear(&self->store);
	exit_store_clear(&self->later);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "totals.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "slots.h"

#define SWITCHES (UINT64_C(3) << TOTALS_FIELD_SWITCHES)
/* Limit on attempts to request the sum without a context switch of this process meanwhile. */
#define MAX_TRIES 20
/* Limit on waits of 1 ms each, for a thread to have slept or to be gone. */
#define MAX_WAITS 1000

int totals_declare(struct totals *self, const struct ctprof_host *host)
{
	self->host = host;
	return slots_declare_rows(host, total_fields, sizeof *total_fields, TOTALS_N_FIELDS,
				  self->slots);
}

/* ---- which sums this kernel keeps ---- */

static void take_switches(void *data, size_t i, int err, const uint8_t *stats, size_t len)
{
	struct taskstats_values values;
	uint64_t *ret = data;

	(void)i;
	if (err == 0 && taskstats_decode_totals(stats, len, &values) == 0)
		*ret = values.value[TOTALS_FIELD_SWITCHES];
}

/* Sleeps until a context switch is counted: a sleep that ends at once does not switch. */
static void *sleep_once(void *data)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct rusage usage = {0};
	int32_t *ret_tid = data;

	*ret_tid = gettid();
	for (int i = 0; i < MAX_WAITS && usage.ru_nvcsw == 0; i++) {
		(void)nanosleep(&moment, NULL);
		(void)getrusage(RUSAGE_THREAD, &usage);
	}
	return data;
}

/* Waits until a joined thread is gone: the kernel counts it among the live threads for a moment
 * longer (release_task()). */
static bool has_ended(int32_t own, int32_t tid)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	for (int i = 0; i < MAX_WAITS; i++) {
		if (syscall(SYS_tgkill, own, tid, 0) != 0)
			return errno == ESRCH;
		(void)nanosleep(&moment, NULL);
	}
	return false;
}

static long own_switches(void)
{
	struct rusage usage = {0};

	(void)getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

/* Lets a thread end, and compares the kernel's sum with that of getrusage(), which is correct. */
bool totals_keep_switches(uint16_t family)
{
	struct taskstats_query query = {.family = family, .subject = TASKSTATS_OF_PROCESS};
	const int32_t own = getpid();
	pthread_t thread;
	int32_t tid = 0;
	bool keeps = false;

	if (pthread_create(&thread, NULL, sleep_once, &tid) != 0)
		return false;
	(void)pthread_join(thread, NULL);
	if (!has_ended(own, tid) || netlink_open(&query.netlink) < 0)
		return false;
	for (int i = 0; i < MAX_TRIES; i++) {
		uint64_t switches = 0;
		long before = own_switches();

		(void)taskstats_query_run(&query, &own, 1, take_switches, &switches);
		if (own_switches() != before)
			continue;
		keeps = switches == (uint64_t)before;
		break;
	}
	netlink_close(query.netlink);
	return keeps;
}

void totals_start(struct totals *self, uint16_t family, uint32_t active)
{
	for (size_t i = 0; i < TOTALS_N_FIELDS; i++)
		if (!(total_fields[i].needs & ~active) &&
		    self->host->wanted(self->host, self->slots[i]))
			self->fill |= UINT64_C(1) << i;
	if (self->fill & SWITCHES && !totals_keep_switches(family))
		self->fill &= ~SWITCHES;
}

/* ---- the processes of a batch ---- */

struct leaders {
	const struct totals *self;
	struct ctprof_batch *batch;
	uint64_t rows[NETLINK_BATCH];
};

static void take_answer(void *data, size_t i, int err, const uint8_t *stats, size_t len)
{
	const struct leaders *leaders = data;
	const struct totals *self = leaders->self;
	const struct ctprof_host *host = self->host;
	struct taskstats_values values = {0};

	if (err == 0)
		err = -taskstats_decode_totals(stats, len, &values);
	for (uint64_t left = self->fill; left; left &= left - 1) {
		int field = __builtin_ctzll(left);

		if (err != 0)
			host->put_absent(leaders->batch, leaders->rows[i], self->slots[field],
					 taskstats_absence(err));
		else if (values.present >> field & 1)
			host->put_u64(leaders->batch, leaders->rows[i], self->slots[field],
				      values.value[field]);
	}
}

int totals_collect(const struct totals *self, struct taskstats_query *query,
		   struct ctprof_batch *batch, uint64_t first, size_t n)
{
	struct leaders leaders = {.self = self, .batch = batch};
	int32_t ids[NETLINK_BATCH];
	size_t n_ids = 0;

	for (uint64_t row = first; self->fill && row < first + n; row++) {
		const struct ctprof_target *target = ctprof_batch_target(batch, row);

		if (!(target->flags & CTPROF_TARGET_LEADER))
			continue;
		leaders.rows[n_ids] = row;
		ids[n_ids++] = target->tgid;
	}
	if (n_ids == 0)
		return 0;
	query->subject = TASKSTATS_OF_PROCESS;
	int r = taskstats_query_run(query, ids, n_ids, take_answer, &leaders);
	query->subject = TASKSTATS_OF_THREAD;
	return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode.h"

#include <stddef.h>

#include "ctprof/plugin.h"

/* include/linux/sched.h */
#define TASK_REPORT 0x7fu
#define TASK_IDLE 0x402u
#define TASK_RTLOCK_WAIT 0x1000u
#define TASK_FROZEN 0x8000u

enum { SCHED_NORMAL = 0, SCHED_BATCH = 3, SCHED_EXT = 7 };

static bool has(const struct record *record, enum record_value value)
{
	return record->has[value / 64] >> value % 64 & 1;
}

/* ---- the kernel's arithmetic ------------------------------------------ */

char decode_state(uint32_t state, uint32_t exit_state)
{
	static const char letters[] = "RSDTtXZPI";
	uint32_t shown = (state | exit_state) & TASK_REPORT;

	if ((state & TASK_IDLE) == TASK_IDLE)
		shown = TASK_REPORT + 1;
	/* The kernel shows both of these states to users as D: task_state_index(). */
	if (state & (TASK_RTLOCK_WAIT | TASK_FROZEN))
		return 'D';
	return letters[shown ? 32 - __builtin_clz(shown) : 0];
}

/* Returns the share of stime in the total.  The kernel multiplies in 128 bits, too. */
static uint64_t scale(uint64_t total, uint64_t stime, uint64_t utime)
{
	return (uint64_t)((unsigned __int128)stime * total / ((unsigned __int128)stime + utime));
}

void decode_cputime(const struct record *record, uint64_t *ret_utime, uint64_t *ret_stime)
{
	uint64_t utime = record->value[VALUE_utime_clock_ticks];
	uint64_t stime = record->value[VALUE_stime_clock_ticks];
	uint64_t total = record->sum_exec_runtime;

	*ret_utime = utime;
	*ret_stime = stime;
	if (record->flags & RECORD_NO_PREV_CPUTIME)
		return;
	*ret_utime = record->prev_utime;
	*ret_stime = record->prev_stime;
	/* Neither may decrease, even if the proportion of ticks shifts. */
	if (record->prev_utime + record->prev_stime >= total)
		return;
	if (stime > 0)
		stime = utime > 0 ? scale(total, stime, utime) : total;
	if (stime < record->prev_stime)
		stime = record->prev_stime;
	utime = total - stime;
	if (utime < record->prev_utime) {
		utime = record->prev_utime;
		stime = total - utime;
	}
	*ret_utime = utime;
	*ret_stime = stime;
}

/* ---- present values --------------------------------------------------- */

static void take(const struct record *record, struct decoded *ret)
{
	for (unsigned i = 0; i < N_RECORD_VALUES; i++) {
		ret->value[i] = record->value[i];
		ret->why[i] = has(record, i) ? CTPROF_PRESENT : CTPROF_ABSENT_UNSUPPORTED;
	}
	/* The place of this field depends on the architecture, so leave it to another source. */
	if (!has(record, VALUE_processor))
		ret->why[VALUE_processor] = DECODE_LEFT;
	if (record->flags & RECORD_HAS_EXT)
		ret->why[VALUE_ext_enabled] = DECODE_LEFT;
}

static void deny(struct decoded *ret, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		ret->why[i] = CTPROF_ABSENT_UNSUPPORTED;
}

static void finish_times(const struct decode_rules *rules, const struct record *record,
			 struct decoded *ret)
{
	uint64_t utime, stime;

	decode_cputime(record, &utime, &stime);
	ret->value[VALUE_utime_clock_ticks] = utime / rules->tick_ns;
	ret->value[VALUE_stime_clock_ticks] = stime / rules->tick_ns;
	ret->value[VALUE_cutime_clock_ticks] /= rules->tick_ns;
	ret->value[VALUE_cstime_clock_ticks] /= rules->tick_ns;
	ret->value[VALUE_start_time_clock_ticks] /= rules->tick_ns;
}

/* proc_sched_show_task() prints the slice of fair threads only. */
static void finish_slice(const struct record *record, struct decoded *ret)
{
	unsigned policy = record->policy;

	if (policy != SCHED_NORMAL && policy != SCHED_BATCH && policy != SCHED_EXT)
		ret->why[VALUE_fair_slice_ns] = CTPROF_ABSENT_INAPPLICABLE;
}

/* These are sums of clock differences: an unsynchronised clock can make one negative. */
static void finish_statistics(struct decoded *ret)
{
	static const enum record_value times[] = {
		VALUE_wait_sum,           VALUE_wait_max,  VALUE_voluntary_sleep_ns,
		VALUE_sleep_max,          VALUE_block_sum, VALUE_block_max,
		VALUE_iowait_sum,         VALUE_exec_max,  VALUE_slice_max,
		VALUE_core_forceidle_sum,
	};
	uint64_t *sleep = &ret->value[VALUE_voluntary_sleep_ns];
	uint64_t block = ret->value[VALUE_block_sum];

	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
		if (ret->why[times[i]] == CTPROF_PRESENT && (int64_t)ret->value[times[i]] < 0)
			ret->why[times[i]] = CTPROF_ABSENT_INVALID;
	/* sum_sleep_runtime includes block_sum. */
	if (ret->why[VALUE_voluntary_sleep_ns] != CTPROF_PRESENT)
		return;
	ret->why[VALUE_voluntary_sleep_ns] = ret->why[VALUE_block_sum];
	*sleep -= block < *sleep ? block : *sleep;
}

/* A delay that never occurred has no time.  If the kernel does not keep the times, they are left
 * out, not absent in each thread: taskstats does not request them either. */
static void finish_delays(const struct record *record, struct decoded *ret)
{
#define MAX_AT_(name)
#define MAX_AT_OF_(what) VALUE_##what##_delay_max_at,
	static const enum record_value times[] = {RECORD_VALUES(MAX_AT_, MAX_AT_OF_)};
#undef MAX_AT_
#undef MAX_AT_OF_

	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		uint8_t *why = &ret->why[times[i]];

		if (!has(record, VALUE_cpu_delay_max_at))
			*why = DECODE_LEFT;
		else if (*why == CTPROF_PRESENT && ret->value[times[i]] == 0)
			*why = CTPROF_ABSENT_INAPPLICABLE;
	}
}

static void finish_peak(const struct decode_rules *rules, uint64_t *value)
{
	if (__builtin_mul_overflow(*value, rules->page_bytes, value))
		*value = UINT64_MAX;
}

void decode_record(const struct decode_rules *rules, const struct record *record,
		   struct decoded *ret)
{
	uint64_t state = record->value[VALUE_state];

	take(record, ret);
	finish_times(rules, record, ret);
	ret->value[VALUE_state] = (uint64_t)decode_state((uint32_t)(state >> 32), (uint32_t)state);
	finish_slice(record, ret);
	finish_peak(rules, &ret->value[VALUE_hiwater_rss_bytes]);
	finish_peak(rules, &ret->value[VALUE_hiwater_vm_bytes]);
	if (rules->statistics)
		finish_statistics(ret);
	else
		deny(ret, FIRST_STATISTIC, FIRST_BLOCK_DELAY);
	if (!rules->delays || !(record->flags & RECORD_DELAYS_COUNTED))
		deny(ret, FIRST_BLOCK_DELAY, N_RECORD_VALUES);
	finish_delays(record, ret);
}

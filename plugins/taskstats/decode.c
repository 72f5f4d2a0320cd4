/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode.h"
#include "descriptor.h"

#include <errno.h>
#include <string.h>

#define OLDEST_VERSION 8
#define OLDEST_SIZE 328

#define DELAY_GATES "TASKSTATS TASK_DELAY_ACCT"
#define XACCT_GATES "TASKSTATS TASK_XACCT"
#define OTHER_DELAYS (TASKSTATS_CPU | TASKSTATS_BLOCK)

#define FIELD(rank_, name, kind, unit, gates_, help, origin, ...)                                  \
	{                                                                                          \
		.metric = METRIC_ROW(kind, unit, THREAD, name, "delay", help, origin,              \
				     .rank = (rank_), .gates = gates_),                            \
		__VA_ARGS__                                                                        \
	}

/*
 * The four metrics of one delay.  count and total have stood together since
 * the delay was introduced (since, at); max and min came for all of them in
 * version 15, after their total (at_v15 + 16), and moved to the end of the
 * struct in version 16 (ends_at), which gave the older fields their place back.
 */
#define DELAY(rank, what, needs_, since_, at, at_v15, ends_at, events, counted_by)                 \
	FIELD(rank, what "_delay_count", COUNTER, NONE, DELAY_GATES, "number of " events,          \
	      "taskstats." what "_count, " counted_by, .needs = (needs_), .since = (since_),       \
	      .offset = (at), .offset_v15 = (at_v15), .scale = 1),                                 \
		FIELD((rank) + 1, what "_delay_total_ns", COUNTER, NS, DELAY_GATES,                \
		      "time spent in " events, "taskstats." what "_delay_total, " counted_by,      \
		      .needs = (needs_), .since = (since_), .offset = (at) + 8,                    \
		      .offset_v15 = (at_v15) + 8, .scale = 1),                                     \
		FIELD((rank) + 2, what "_delay_max_ns", PEAK, NS, DELAY_GATES,                     \
		      "longest of the " events, "taskstats." what "_delay_max, " counted_by,       \
		      .needs = (needs_), .since = 15, .offset = (ends_at),                         \
		      .offset_v15 = (at_v15) + 16, .scale = 1),                                    \
		FIELD((rank) + 3, what "_delay_min_ns", LOW, NS, DELAY_GATES,                      \
		      "shortest of the " events ", 0 when there was none",                         \
		      "taskstats." what "_delay_min, " counted_by, .needs = (needs_), .since = 15, \
		      .offset = (ends_at) + 8, .offset_v15 = (at_v15) + 24, .scale = 1)

const struct taskstats_field taskstats_fields[] = {
	DELAY(54, "cpu", TASKSTATS_CPU, 8, 16, 16, 432, "waits on a run queue",
	      "sched_info_arrive()"),
	DELAY(58, "blkio", OTHER_DELAYS, 8, 32, 48, 448, "waits for synchronous block I/O",
	      "__delayacct_blkio_end()"),
	DELAY(62, "swapin", OTHER_DELAYS, 8, 48, 80, 464, "waits for a page to be swapped in",
	      "__delayacct_swapin_end()"),
	DELAY(66, "freepages", OTHER_DELAYS, 8, 312, 360, 480, "direct memory reclaims",
	      "__delayacct_freepages_end()"),
	DELAY(70, "thrashing", OTHER_DELAYS, 9, 328, 392, 496,
	      "waits for a page evicted a short while ago", "__delayacct_thrashing_end()"),
	DELAY(74, "compact", OTHER_DELAYS, 11, 352, 432, 512, "direct memory compactions",
	      "__delayacct_compact_end()"),
	DELAY(78, "wpcopy", OTHER_DELAYS, 13, 400, 496, 528, "copies of write-protected pages",
	      "__delayacct_wpcopy_end()"),
	DELAY(82, "irq", OTHER_DELAYS, 14, 416, 528, 544, "interruptions by hard and soft IRQs",
	      "__delayacct_irq()"),
	FIELD(86, "hiwater_rss_bytes", PEAK, BYTES, XACCT_GATES,
	      "peak resident memory of the thread's address space",
	      "taskstats.hiwater_rss, xacct_add_tsk() from get_mm_hiwater_rss()",
	      .needs = TASKSTATS_XACCT, .since = 8, .offset = 200, .offset_v15 = 248,
	      .scale = 1024),
	FIELD(87, "hiwater_vm_bytes", PEAK, BYTES, XACCT_GATES,
	      "peak size of the thread's address space",
	      "taskstats.hiwater_vm, xacct_add_tsk() from get_mm_hiwater_vm()",
	      .needs = TASKSTATS_XACCT, .since = 8, .offset = 208, .offset_v15 = 256,
	      .scale = 1024),
};

_Static_assert(TASKSTATS_N_FIELDS <= 64, "taskstats_values.present has 64 bits");

/* Replies are only 4-byte aligned. */
static uint64_t load_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof value);
	return value;
}

int taskstats_decode(const uint8_t *stats, size_t len, struct taskstats_values *ret)
{
	uint16_t version;

	if (len < OLDEST_SIZE)
		return -EBADMSG;
	memcpy(&version, stats, sizeof version);
	if (version < OLDEST_VERSION)
		return -EBADMSG;
	ret->version = version;
	ret->present = 0;
	for (size_t i = 0; i < TASKSTATS_N_FIELDS; i++) {
		const struct taskstats_field *field = &taskstats_fields[i];
		size_t offset = version == 15 ? field->offset_v15 : field->offset;

		if (version < field->since || offset + sizeof(uint64_t) > len)
			continue;
		if (__builtin_mul_overflow(load_u64(stats + offset), field->scale, &ret->value[i]))
			ret->value[i] = UINT64_MAX;
		ret->present |= UINT64_C(1) << i;
	}
	return 0;
}

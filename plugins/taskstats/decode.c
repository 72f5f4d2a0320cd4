/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode.h"
#include "shared-metrics.h"

#include <errno.h>
#include <string.h>

#define OLDEST_VERSION 8
#define OLDEST_SIZE 328

#define US_PER_TICK 10000
#define NS_PER_S INT64_C(1000000000)
#define MAX_SECONDS (INT64_MAX / NS_PER_S - 1)

#define DELAY_GATES "TASKSTATS TASK_DELAY_ACCT"
#define XACCT_GATES "TASKSTATS TASK_XACCT"
#define OTHER_DELAYS (TASKSTATS_CPU | TASKSTATS_BLOCK)

#define FIELD(definition, ...)                                                                     \
	{                                                                                          \
		.metric = definition, __VA_ARGS__                                                  \
	}

/*
 * The four metrics of one delay.  count and total have been adjacent since the delay was introduced
 * (since, at).  Version 15 added max and min after each total (at_v15 + 16).  Version 16 moved them
 * to the end of the struct (ends_at), which restored the offsets of the older fields.
 */
#define DELAY(scope, group, what, needs_, since_, at, at_v15, ends_at)                             \
	FIELD(SHARED_DELAY_COUNT(scope, group, SHARED_DELAY_##what), .needs = (needs_),            \
	      .since = (since_), .offset = (at), .offset_v15 = (at_v15), .scale = 1),              \
		FIELD(SHARED_DELAY_TOTAL(scope, group, SHARED_DELAY_##what), .needs = (needs_),    \
		      .since = (since_), .offset = (at) + 8, .offset_v15 = (at_v15) + 8,           \
		      .scale = 1),                                                                 \
		FIELD(SHARED_DELAY_MAX(scope, group, SHARED_DELAY_##what), .needs = (needs_),      \
		      .since = 15, .offset = (ends_at), .offset_v15 = (at_v15) + 16, .scale = 1),  \
		FIELD(SHARED_DELAY_MIN(scope, group, SHARED_DELAY_##what), .needs = (needs_),      \
		      .since = 15, .offset = (ends_at) + 8, .offset_v15 = (at_v15) + 24,           \
		      .scale = 1)

/* The fields of both live and ended threads. */
#define FIELDS(scope, group)                                                                       \
	DELAY(scope, group, cpu, TASKSTATS_CPU, 8, 16, 16, 432),                                   \
		DELAY(scope, group, blkio, OTHER_DELAYS, 8, 32, 48, 448),                          \
		DELAY(scope, group, swapin, OTHER_DELAYS, 8, 48, 80, 464),                         \
		DELAY(scope, group, freepages, OTHER_DELAYS, 8, 312, 360, 480),                    \
		DELAY(scope, group, thrashing, OTHER_DELAYS, 9, 328, 392, 496),                    \
		DELAY(scope, group, compact, OTHER_DELAYS, 11, 352, 432, 512),                     \
		DELAY(scope, group, wpcopy, OTHER_DELAYS, 13, 400, 496, 528),                      \
		DELAY(scope, group, irq, OTHER_DELAYS, 14, 416, 528, 544),                         \
		FIELD(SHARED_HIWATER_RSS(scope, group), .needs = TASKSTATS_XACCT, .since = 8,      \
		      .offset = 200, .offset_v15 = 248, .scale = 1024),                            \
		FIELD(SHARED_HIWATER_VM(scope, group), .needs = TASKSTATS_XACCT, .since = 8,       \
		      .offset = 208, .offset_v15 = 256, .scale = 1024)

/* Each is a struct __kernel_timespec, in the order of the delays. */
#define TIME_SIZE 16
#define MAX_AT(i, what, needs_)                                                                    \
	FIELD(SHARED_DELAY_MAX_AT(THREAD, "delay", SHARED_DELAY_##what),                           \
	      .needs = TASKSTATS_TIMES | (needs_), .since = TASKSTATS_VERSION_OF_TIMES,            \
	      .offset = 560 + (i)*TIME_SIZE, .scale = 1, .width = TIME_SIZE)

const struct taskstats_field taskstats_fields[] = {
	FIELDS(THREAD, "delay"),
	MAX_AT(0, cpu, TASKSTATS_CPU),
	MAX_AT(1, blkio, OTHER_DELAYS),
	MAX_AT(2, swapin, OTHER_DELAYS),
	MAX_AT(3, freepages, OTHER_DELAYS),
	MAX_AT(4, thrashing, OTHER_DELAYS),
	MAX_AT(5, compact, OTHER_DELAYS),
	MAX_AT(6, wpcopy, OTHER_DELAYS),
	MAX_AT(7, irq, OTHER_DELAYS),
};

#define EXIT_METRIC(name, kind, unit, gates_, help, origin)                                        \
	METRIC_ROW(kind, unit, EXIT, name, "exit", help, origin, .gates = gates_)
#define EXIT_ROW(name, kind, unit, gates, needs_, at, at_v15, help, origin, ...)                   \
	FIELD(EXIT_METRIC(name, kind, unit, gates, help, origin), .needs = (needs_),               \
	      .since = OLDEST_VERSION, .offset = (at), .offset_v15 = (at_v15), .scale = 1,         \
	      __VA_ARGS__)
/* A field that every kernel has. */
#define EXIT_BASIC(name, kind, unit, at, at_v15, help, origin, ...)                                \
	EXIT_ROW(name, kind, unit, "TASKSTATS", TASKSTATS_MEASURED, at, at_v15, help, origin,      \
		 __VA_ARGS__)
#define EXIT_CPU(name, unit, at, at_v15, help, origin)                                             \
	EXIT_ROW(name, COUNTER, unit, DELAY_GATES, TASKSTATS_CPU, at, at_v15, help, origin,        \
		 .width = 0)
/* xacct_add_tsk() clears the lower ten bits of each.  Nothing is left of the numbers of system
 * calls, so those are not read. */
#define EXIT_IO(name, at, at_v15, help, origin)                                                    \
	EXIT_ROW(name, COUNTER, BYTES, XACCT_GATES, TASKSTATS_XACCT, at, at_v15,                   \
		 help ", rounded down to a multiple of 1024", origin, .width = 0)
#define EXIT_DISK(name, at, at_v15, help, origin)                                                  \
	EXIT_ROW(name, COUNTER, BYTES, XACCT_GATES " TASK_IO_ACCOUNTING",                          \
		 TASKSTATS_XACCT | TASKSTATS_IO, at, at_v15, help, origin, .width = 0)

const struct taskstats_field exit_fields[] = {
	FIELDS(EXIT, "exit"),
	/* This is not in the kernel's struct: estimate_start() in exits.c computes it. */
	FIELD(EXIT_METRIC(
		      "start_time_clock_ticks", LABEL, TICKS, "TASKSTATS",
		      "start of the thread after boot, estimated: when its record was read, up to 50 ms "
		      "after its end, less elapsed_us",
		      "CLOCK_BOOTTIME less taskstats.ac_etime"),
	      .needs = TASKSTATS_MEASURED, .since = UINT16_MAX),
	EXIT_BASIC("exit_code", LABEL, NONE, 4, 4,
		   "how the process ended, as wait() reports it; leader only",
		   "taskstats.ac_exitcode, bacct_add_tsk()", .width = 4),
	EXIT_BASIC("elapsed_us", COUNTER, US, 144, 192, "time from start to end of the thread",
		   "taskstats.ac_etime, bacct_add_tsk()", .width = 0),
	EXIT_BASIC("ppid", LABEL, NONE, 132, 180, "parent process, 0 without one",
		   "taskstats.ac_ppid, bacct_add_tsk()", .width = 4),
	EXIT_BASIC("uid", LABEL, NONE, 120, 168, "real user id",
		   "taskstats.ac_uid, bacct_add_tsk()", .width = 4),
	EXIT_BASIC("nice", ORDINAL, NONE, 9, 9, "nice value", "taskstats.ac_nice, bacct_add_tsk()",
		   .width = 1),
	EXIT_CPU("run_time_ns", NS, 72, 120,
		 "time on a CPU up to the last tick or switch before the record: little of a short "
		 "thread's",
		 "taskstats.cpu_run_virtual_total, delayacct_add_tsk() from sum_exec_runtime"),
	EXIT_CPU("wait_time_ns", NS, 24, 24, "run-queue wait",
		 "taskstats.cpu_delay_total, delayacct_add_tsk() from run_delay"),
	EXIT_CPU("timeslices", NONE, 16, 16, "times scheduled in",
		 "taskstats.cpu_count, delayacct_add_tsk() from pcount"),
	EXIT_BASIC("utime_clock_ticks", COUNTER, TICKS, 152, 200,
		   "CPU time in user mode: utime_us in whole ticks",
		   "taskstats.ac_utime, bacct_add_tsk()", .divisor = US_PER_TICK),
	EXIT_BASIC("stime_clock_ticks", COUNTER, TICKS, 160, 208,
		   "CPU time in the kernel: stime_us in whole ticks",
		   "taskstats.ac_stime, bacct_add_tsk()", .divisor = US_PER_TICK),
	EXIT_BASIC("utime_us", COUNTER, US, 152, 200,
		   "CPU time in user mode, as sampled by ticks and not scaled by run_time_ns",
		   "taskstats.ac_utime, bacct_add_tsk()", .width = 0),
	EXIT_BASIC("stime_us", COUNTER, US, 160, 208,
		   "CPU time in the kernel, as sampled by ticks and not scaled by run_time_ns",
		   "taskstats.ac_stime, bacct_add_tsk()", .width = 0),
	EXIT_BASIC("minflt", COUNTER, NONE, 168, 216, "minor page faults",
		   "taskstats.ac_minflt, bacct_add_tsk()", .width = 0),
	EXIT_BASIC("majflt", COUNTER, NONE, 176, 224, "major page faults",
		   "taskstats.ac_majflt, bacct_add_tsk()", .width = 0),
	EXIT_IO("rchar", 216, 264, "bytes read by system calls",
		"taskstats.read_char, xacct_add_tsk()"),
	EXIT_IO("wchar", 224, 272, "bytes written by system calls",
		"taskstats.write_char, xacct_add_tsk()"),
	EXIT_DISK("read_bytes", 248, 296, "bytes fetched from storage",
		  "taskstats.read_bytes, xacct_add_tsk()"),
	EXIT_DISK("write_bytes", 256, 304, "bytes dirtied, to be written to storage",
		  "taskstats.write_bytes, xacct_add_tsk()"),
	EXIT_DISK("cancelled_write_bytes", 264, 312,
		  "dirtied bytes dropped before they were written",
		  "taskstats.cancelled_write_bytes, xacct_add_tsk()"),
	EXIT_BASIC("voluntary_csw", COUNTER, NONE, 272, 320, "voluntary context switches",
		   "taskstats.nvcsw, fill_stats()", .width = 0),
	EXIT_BASIC("nonvoluntary_csw", COUNTER, NONE, 280, 328, "involuntary context switches",
		   "taskstats.nivcsw, fill_stats()", .width = 0),
};

/* The kernel sums up nothing else: peaks, faults and I/O of a process are 0. */
#define TOTAL(name, unit, needs_, since_, at, at_v15, help, origin)                                \
	FIELD(METRIC_ROW(COUNTER, unit, PROCESS, "process_" name, "process",                       \
			 help " of the process, with its threads that ended", "taskstats." origin, \
			 .gates = DELAY_GATES, .flags = CTPROF_METRIC_ON_DEMAND),                  \
	      .needs = (needs_), .since = (since_), .offset = (at), .offset_v15 = (at_v15),        \
	      .scale = 1)
#define TOTAL_DELAY(what, needs, since, at, at_v15, events)                                        \
	TOTAL(what "_delay_count", NONE, needs, since, at, at_v15, "number of " events,            \
	      what "_count, delayacct_add_tsk()"),                                                 \
		TOTAL(what "_delay_total_ns", NS, needs, since, (at) + 8, (at_v15) + 8,            \
		      "time spent in " events, what "_delay_total, delayacct_add_tsk()")

const struct taskstats_field total_fields[] = {
	TOTAL("run_time_ns", NS, TASKSTATS_CPU, OLDEST_VERSION, 72, 120, "time on a CPU",
	      "cpu_run_virtual_total, delayacct_add_tsk() from sum_exec_runtime"),
	TOTAL("voluntary_csw", NONE, TASKSTATS_MEASURED, OLDEST_VERSION, 272, 320,
	      "voluntary context switches", "nvcsw, tgid_stats_add_task()"),
	TOTAL("nonvoluntary_csw", NONE, TASKSTATS_MEASURED, OLDEST_VERSION, 280, 328,
	      "involuntary context switches", "nivcsw, tgid_stats_add_task()"),
	TOTAL_DELAY("cpu", TASKSTATS_CPU, 8, 16, 16, "waits on a run queue"),
	TOTAL_DELAY("blkio", OTHER_DELAYS, 8, 32, 48, "waits for synchronous block I/O"),
	TOTAL_DELAY("swapin", OTHER_DELAYS, 8, 48, 80, "waits for a page to be swapped in"),
	TOTAL_DELAY("freepages", OTHER_DELAYS, 8, 312, 360, "direct memory reclaims"),
	TOTAL_DELAY("thrashing", OTHER_DELAYS, 9, 328, 392,
		    "waits for a page evicted shortly before"),
	TOTAL_DELAY("compact", OTHER_DELAYS, 11, 352, 432, "direct memory compactions"),
	TOTAL_DELAY("wpcopy", OTHER_DELAYS, 13, 400, 496, "copies of write-protected pages"),
	TOTAL_DELAY("irq", OTHER_DELAYS, 14, 416, 528, "interruptions by hard and soft IRQs"),
};

_Static_assert(EXIT_N_FIELDS <= 64, "taskstats_values.present has 64 bits");
_Static_assert((int)TASKSTATS_N_FIELDS <= (int)EXIT_N_FIELDS, "taskstats_values has room for both");

/* Loads a time in ns; 0: no event yet, or an invalid time. */
static uint64_t load_time(const uint8_t *at)
{
	int64_t time[2]; /* s, ns */

	memcpy(time, at, sizeof time);
	if (time[0] < 0 || time[0] > MAX_SECONDS || time[1] < 0 || time[1] >= NS_PER_S)
		return 0;
	return (uint64_t)(time[0] * NS_PER_S + time[1]);
}

/* Loads a number; replies are only 4-byte aligned. */
static uint64_t load(const uint8_t *at, uint8_t width)
{
	uint64_t value = 0;
	uint32_t narrow;

	if (width == TIME_SIZE)
		return load_time(at);
	if (width == 1)
		return (uint64_t)(int64_t)(int8_t)*at;
	if (width == sizeof narrow) {
		memcpy(&narrow, at, sizeof narrow);
		return narrow;
	}
	memcpy(&value, at, sizeof value);
	return value;
}

static size_t offset_of(const struct taskstats_field *field, uint16_t version)
{
	return version == 15 ? field->offset_v15 : field->offset;
}

/* Returns the number of bytes that must be there.  A narrower field is never at the end of the
 * struct, so 8 bytes can be required. */
static size_t size_of(const struct taskstats_field *field)
{
	return field->width == TIME_SIZE ? TIME_SIZE : sizeof(uint64_t);
}

static void decode_fields(const struct taskstats_field *fields, size_t n, const uint8_t *stats,
			  size_t len, struct taskstats_values *ret)
{
	ret->present = 0;
	for (size_t i = 0; i < n; i++) {
		const struct taskstats_field *field = &fields[i];
		size_t offset = offset_of(field, ret->version);

		if (ret->version < field->since || offset + size_of(field) > len)
			continue;
		uint64_t value = load(stats + offset, field->width);
		if (field->divisor)
			value /= field->divisor;
		if (__builtin_mul_overflow(value, field->scale, &ret->value[i]))
			ret->value[i] = UINT64_MAX;
		ret->present |= UINT64_C(1) << i;
	}
}

static int check_version(const uint8_t *stats, size_t len, uint16_t *ret)
{
	uint16_t version;

	if (len < OLDEST_SIZE)
		return -EBADMSG;
	memcpy(&version, stats, sizeof version);
	if (version < OLDEST_VERSION)
		return -EBADMSG;
	*ret = version;
	return 0;
}

int taskstats_decode(const uint8_t *stats, size_t len, struct taskstats_values *ret)
{
	int r = check_version(stats, len, &ret->version);

	if (r == 0)
		decode_fields(taskstats_fields, TASKSTATS_N_FIELDS, stats, len, ret);
	return r;
}

int taskstats_decode_totals(const uint8_t *stats, size_t len, struct taskstats_values *ret)
{
	int r = check_version(stats, len, &ret->version);

	if (r == 0)
		decode_fields(total_fields, TOTALS_N_FIELDS, stats, len, ret);
	return r;
}

/* The fields that identify a thread. */
static const struct taskstats_field field_tid = {.offset = 128, .offset_v15 = 176},
				    field_tgid = {.offset = 368, .offset_v15 = 464, .since = 12},
				    field_comm = {.offset = 80, .offset_v15 = 128};

static int32_t load_id(const uint8_t *stats, size_t len, uint16_t version,
		       const struct taskstats_field *field)
{
	size_t offset = offset_of(field, version);

	if (version < field->since || offset + sizeof(uint32_t) > len)
		return 0;
	return (int32_t)load(stats + offset, sizeof(uint32_t));
}

int taskstats_decode_exit(const uint8_t *stats, size_t len, struct taskstats_exit *ret)
{
	struct taskstats_values *values = &ret->values;
	int r = check_version(stats, len, &values->version);

	if (r < 0)
		return r;
	ret->tid = load_id(stats, len, values->version, &field_tid);
	ret->tgid = load_id(stats, len, values->version, &field_tgid);
	if (ret->tid < 1 || ret->tgid < 0)
		return -EBADMSG;
	memcpy(ret->comm, stats + offset_of(&field_comm, values->version), sizeof ret->comm);
	decode_fields(exit_fields, EXIT_N_FIELDS, stats, len, values);
	/* The exit code is 0 for all threads except the leader.  Before version 12 the leader is
	 * unknown. */
	if (ret->tid != ret->tgid)
		values->present &= ~(UINT64_C(1) << EXIT_FIELD_CODE);
	return 0;
}

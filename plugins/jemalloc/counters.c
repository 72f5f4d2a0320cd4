/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "counters.h"

#include <errno.h>
#include <string.h>

#include "tls.h"

/* A counter that changes by this much between two reads of one call was torn. */
#define MAX_STEP (UINT64_C(1) << 31)
#define MAX_ATTEMPTS 4
#define ROWS_AT_ONCE 128u

void reading_fail(struct reading *reading, enum tag tag)
{
	reading->tag = tag;
	reading->absence = tag_rows[tag].absence;
}

static void succeed(struct reading *reading, const uint64_t values[2])
{
	reading->tag = TAG_OK;
	reading->absence = CTPROF_PRESENT;
	reading->allocated = values[0];
	reading->deallocated = values[1];
}

static void fail_memory(struct reading *reading, int err)
{
	reading_fail(reading, err == -EPERM    ? TAG_MEMORY_DENIED
			      : err == -ESRCH  ? TAG_THREAD_EXITED
			      : err == -ERANGE ? TAG_TLS_ARITHMETIC
					       : TAG_PROCESS_VM_READV);
}

/* The reads of one thread, in this order in one system call: its TID, both counters twice, its TID
 * again. */
struct sample {
	struct reading *reading;
	uint64_t pthread;
	uint64_t block; /* 0: not allocated, as the thread never used it: both counters are 0 */
	int32_t wanted; /* the TID in the process's own namespace */
	int32_t before;
	int32_t after;
	uint64_t first[2];
	uint64_t second[2];
};

#define PIECES 6u

static void make_pieces(const struct target *target, struct sample *sample,
			struct remote_piece *pieces)
{
	const struct offsets *offsets = &target->holder->offsets;
	uint64_t tid = sample->pthread + target->db->pthread_tid;
	uint64_t allocated = sample->block ? sample->block + offsets->allocated : tid;
	uint64_t deallocated = sample->block ? sample->block + offsets->deallocated : tid;
	size_t len = sample->block ? sizeof(uint64_t) : 0;
	struct remote_piece made[PIECES] = {
		{tid, &sample->before, sizeof sample->before, 0},
		{allocated, &sample->first[0], len, 0},
		{deallocated, &sample->first[1], len, 0},
		{allocated, &sample->second[0], len, 0},
		{deallocated, &sample->second[1], len, 0},
		{tid, &sample->after, sizeof sample->after, 0},
	};

	memcpy(pieces, made, sizeof made);
}

/* Counters only grow: a step backwards, or one that is too large, mixes halves of an old and a new
 * value. */
static bool is_step(uint64_t first, uint64_t second)
{
	return second - first < MAX_STEP;
}

/* Returns true if the sample is settled, successfully or not. */
static bool judge(struct sample *sample, const struct remote_piece *pieces)
{
	struct reading *reading = sample->reading;

	/* The struct pthread no longer exists, or belongs to another thread. */
	bool gone = pieces[0].rc == -EFAULT || pieces[PIECES - 1].rc == -EFAULT ||
		    (pieces[0].rc == 0 && sample->before != sample->wanted);

	for (size_t i = 0; i < PIECES && !gone; i++) {
		if (pieces[i].rc == 0)
			continue;
		fail_memory(reading, pieces[i].rc);
		return true;
	}
	if (gone || sample->after != sample->wanted) {
		reading_fail(reading, TAG_THREAD_EXITED);
		return true;
	}
	if (!is_step(sample->first[0], sample->second[0]) ||
	    !is_step(sample->first[1], sample->second[1])) {
		reading_fail(reading, TAG_UNSTABLE_VALUE);
		return false;
	}
	succeed(reading, sample->second);
	return true;
}

/* Reads n samples; moves unsettled ones to the front and returns their number. */
static size_t read_samples(const struct target *target, struct sample *samples, size_t n)
{
	struct remote_piece pieces[ROWS_AT_ONCE * PIECES];
	size_t open = 0;

	for (size_t i = 0; i < n; i++)
		make_pieces(target, &samples[i], &pieces[i * PIECES]);
	remote_read_many(&target->remote, pieces, n * PIECES);
	for (size_t i = 0; i < n; i++)
		if (!judge(&samples[i], &pieces[i * PIECES]))
			samples[open++] = samples[i];
	return open;
}

/* Finds a thread's block.  False if the result of the reading is already known. */
static bool make_sample(const struct target *target, struct reading *reading, int32_t inner,
			struct sample *ret)
{
	const struct thread *thread = threads_find(&target->threads, inner);
	uint16_t machine = target->holder->facts->machine;
	struct sample out = {.reading = reading, .wanted = inner};

	if (!thread) { /* thread gone, being created, or not created by glibc */
		bool lives = process_thread_lives(&target->process, reading->tid);

		reading_fail(reading, !lives                    ? TAG_THREAD_EXITED
				      : target->threads.settled ? TAG_THREAD_NOT_LISTED
								: TAG_UNSTABLE_VALUE);
		return false;
	}
	out.pthread = thread->pthread;
	uint64_t tp = tls_thread_pointer(machine, out.pthread, target->db->sizeof_pthread);
	int rc = rtld_block_address(&target->remote, &target->place, machine, tp, &out.block);
	if (rc < 0) {
		fail_memory(reading, rc);
		return false;
	}
	*ret = out;
	return true;
}

/* Returns the thread's ID in its own namespace; 0 if it has ended. */
static int32_t inner_tid(const struct target *target, int32_t tid)
{
	if (!target->nested)
		return tid;
	int32_t inner = process_inner_tid(&target->process, tid);
	return inner > 0 ? inner : 0;
}

/* The process controls the length of the list.  Limit it to twice the number of threads that the
 * kernel counts, as threads may start and end meanwhile. */
static int walk(struct target *target)
{
	uint64_t n = process_count_threads(&target->process);

	return threads_walk(&target->remote, target->db, &target->lists, 2 * n + 64,
			    &target->threads);
}

/* Reads at most ROWS_AT_ONCE readings. */
static void read_some(struct target *target, struct reading *readings, size_t n)
{
	struct sample samples[ROWS_AT_ONCE];
	int32_t inner[ROWS_AT_ONCE];
	size_t open = 0;
	int walked = 0;
	bool missing = false;

	for (size_t i = 0; i < n; i++) {
		inner[i] = inner_tid(target, readings[i].tid);
		missing = missing || !threads_find(&target->threads, inner[i]);
	}
	if (missing)
		walked = walk(target);
	for (size_t i = 0; i < n; i++) {
		if (walked < 0)
			fail_memory(&readings[i], walked);
		else if (make_sample(target, &readings[i], inner[i], &samples[open]))
			open++;
	}
	for (int attempt = 0; attempt < MAX_ATTEMPTS && open > 0; attempt++)
		open = read_samples(target, samples, open);
}

void counters_read(struct target *target, struct reading *readings, size_t n)
{
	for (size_t done = 0; done < n; done += ROWS_AT_ONCE) {
		size_t left = n - done;

		read_some(target, readings + done, left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE);
	}
}

void counters_read_stopped(const struct target *target, uint64_t tp, struct reading *reading)
{
	const struct offsets *offsets = &target->holder->offsets;
	uint64_t block, values[2] = {0};
	int rc = rtld_block_address(&target->remote, &target->place, target->holder->facts->machine,
				    tp, &block);

	if (rc == 0 && block != 0)
		rc = remote_read_u64(&target->remote, block + offsets->allocated, &values[0]);
	if (rc == 0 && block != 0)
		rc = remote_read_u64(&target->remote, block + offsets->deallocated, &values[1]);
	if (rc < 0) {
		fail_memory(reading, rc);
		return;
	}
	succeed(reading, values);
}

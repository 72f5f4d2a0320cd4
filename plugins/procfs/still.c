/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "still.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hold.h"

#define FNV_PRIME UINT64_C(0x100000001b3)
#define FNV_START UINT64_C(0xcbf29ce484222325)
/* Columns of stat after the name, counted from 0: up to starttime, and from processor to policy.
 * The columns in between are signals, and sizes of the address space, which other threads
 * change. */
#define LAST_OF_FIRST 19u
#define FIRST_OF_LAST 36u
#define LAST 38u
/* Maximum number of ended threads to keep, in addition to the number of living ones. */
#define MOST_ENDED 4096u

void still_init(struct still *still)
{
	*still = (struct still){0};
	(void)pthread_mutex_init(&still->lock, NULL);
}

static void free_threads(struct still_thread **bucket)
{
	while (*bucket) {
		struct still_thread *thread = *bucket;

		*bucket = thread->next;
		free(thread);
	}
}

static void forget(struct still *still)
{
	for (size_t i = 0; still->buckets && i < STILL_BUCKETS; i++)
		free_threads(&still->buckets[i]);
	still->samples = 0;
	still->n = 0;
}

void still_clear(struct still *still)
{
	forget(still);
	free(still->buckets);
	(void)pthread_mutex_destroy(&still->lock);
}

void still_again(struct still *still, uint64_t setting)
{
	if (!still->buckets)
		still->buckets = calloc(STILL_BUCKETS, sizeof(struct still_thread *));
	still->is_on = still->buckets;
	if (++still->samples >= STILL_SAMPLES || still->setting != setting ||
	    still->n > 2 * still->n_asked + MOST_ENDED)
		forget(still);
	still->n_asked = 0;
	still->setting = setting;
}

struct still_thread *still_find(struct still *still, int32_t tid)
{
	struct still_thread **bucket = &still->buckets[(uint32_t)tid % STILL_BUCKETS];

	HOLD(&still->lock);
	struct still_thread *thread = *bucket;
	while (thread && thread->tid != tid)
		thread = thread->next;
	if (!thread && (thread = calloc(1, sizeof *thread))) {
		thread->tid = tid;
		thread->next = *bucket;
		*bucket = thread;
		still->n++;
	}
	still->n_asked++;
	return thread;
}

/* ---- marks ------------------------------------------------------------------- */

uint64_t still_mark(uint64_t mark, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;

	mark = mark ? mark : FNV_START;
	for (size_t i = 0; i < len; i++)
		mark = (mark ^ at[i]) * FNV_PRIME;
	return mark ? mark : 1;
}

uint64_t still_mark_stat(struct text stat)
{
	const char *end = stat.len > 0 ? memrchr(stat.p, ')', stat.len) : NULL;
	struct text token;

	if (!end)
		return 0;
	uint64_t mark = still_mark(0, stat.p, (size_t)(end - stat.p));
	stat.len -= (size_t)(end + 1 - stat.p);
	stat.p = end + 1;
	for (unsigned column = 0; column <= LAST; column++) {
		/* The thread may run before its other files are read. */
		if (!text_take_token(&stat, &token) || (column == 0 && token.p[0] == 'R'))
			return 0;
		if (column <= LAST_OF_FIRST || column >= FIRST_OF_LAST)
			mark = still_mark(still_mark(mark, token.p, token.len), " ", 1);
	}
	return mark;
}

uint64_t still_mark_schedstat(uint64_t mark, struct text schedstat, int32_t tid)
{
	/* Larger than struct sched_attr; the kernel sets only members that it knows. */
	char asked[128] = {0};
	struct text run, wait, slices, rest = schedstat;

	/* Zero timeslices: the kernel counts nothing (sched_info_on), or the thread has not run
	 * yet. */
	if (mark == 0 || !text_take_token(&rest, &run) || !text_take_token(&rest, &wait) ||
	    !text_take_token(&rest, &slices) || text_equal(text_trim(slices), "0"))
		return 0;
	if (syscall(SYS_sched_getattr, tid, asked, sizeof asked, 0) < 0)
		return 0;
	mark = still_mark(mark, schedstat.p, schedstat.len);
	return still_mark(mark, asked, sizeof asked);
}

/* ---- values ------------------------------------------------------------------- */

static unsigned first_row(const struct files_index *index)
{
	return index->first[STILL_FIRST_FILE];
}

void still_keep(struct still_thread *thread, uint64_t mark, const struct files_index *index,
		const struct value *values)
{
	unsigned first = first_row(index);
	unsigned end = index->first[STILL_LAST_FILE] + index->count[STILL_LAST_FILE];

	thread->mark = end - first <= STILL_ROWS ? mark : 0;
	for (unsigned row = first; row < end && row < first + STILL_ROWS; row++) {
		/* Negative values are counted in each sample, so they must be read again. */
		if (values[row].negative)
			thread->mark = 0;
		thread->bits[row - first] = values[row].bits;
		thread->why[row - first] = (uint8_t)values[row].why;
	}
}

void still_restore(const struct still_thread *thread, const struct files_index *index,
		   enum file_id file, struct value *values)
{
	unsigned row = index->first[file];

	for (unsigned end = row + index->count[file]; row < end; row++) {
		value_set_missing(&values[row]);
		values[row].bits = thread->bits[row - first_row(index)];
		values[row].why = thread->why[row - first_row(index)];
		values[row].text = (struct text){"", 0};
	}
}

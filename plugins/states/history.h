/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts at how many instants each thread was in each kind of wait.  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kinds.h"
#include "thread-record.h"

/* The history of one thread.  While a thread stays asleep, its entry does not change: the count of
 * its current kind is the number of instants since then. */
struct seen {
	uint32_t tid, tgid;
	uint64_t start;
	uint32_t kind;            /* enum kind */
	uint32_t since;           /* the instant from which on it was in this kind; the first is
				   * 1 */
	uint32_t before[N_KINDS]; /* instants in each kind before that */
};

struct history {
	struct seen *at; /* by tid */
	size_t n, room;
	struct seen *next; /* room for the entries of the next instant */
	size_t next_room;
	uint32_t instants;
	struct seen *ended; /* threads that are gone, since history_forget_ended() */
	size_t n_ended, ended_room;
};

/* If more threads end, only the first of them are kept. */
#define HISTORY_ENDED_MOST (1u << 20)

void history_clear(struct history *history);
/* Adds an instant: the records of all threads, by tid, and their kinds (enum kind).  0 or -ENOMEM:
 * the instant is then not counted. */
int history_add(struct history *history, const struct thread_record *records, const uint8_t *kinds,
		size_t n);
/* Notes which threads are gone, without adding an instant. */
void history_note_ended(struct history *history, const struct thread_record *records, size_t n);
void history_forget_ended(struct history *history);
/* NULL if it did not exist at the last instant. */
const struct seen *history_find(const struct history *history, int32_t tgid, int32_t tid);

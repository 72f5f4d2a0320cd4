/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "list.h"
#include "looks.h"

void history_clear(struct history *history)
{
	free(history->at);
	free(history->next);
	free(history->ended);
	*history = (struct history){.at = NULL};
}

static void go_on(struct seen *seen, uint32_t kind, uint32_t instant)
{
	if (seen->kind == kind)
		return;
	seen->before[seen->kind] += instant - seen->since;
	seen->kind = kind;
	seen->since = instant;
}

/* If there is no room, the thread is forgotten. */
static void end(struct history *history, const struct seen *seen)
{
	if (list_reserve(&history->ended, &history->ended_room, history->n_ended + 1,
			 HISTORY_ENDED_MOST, sizeof *seen) == 0)
		history->ended[history->n_ended++] = *seen;
}

/* Skips to the first entry that is not before the record; the skipped threads are gone.  A start
 * time that could not be read matches any. */
static size_t pass(struct history *history, size_t at, const struct thread_record *record)
{
	while (at < history->n && (!record || history->at[at].tid < record->tid ||
				   (history->at[at].tid == record->tid && record->start != 0 &&
				    history->at[at].start != record->start)))
		end(history, &history->at[at++]);
	return at;
}

static bool is_at(const struct history *history, size_t at, const struct thread_record *record)
{
	return at < history->n && history->at[at].tid == record->tid;
}

int history_add(struct history *history, const struct thread_record *records, const uint8_t *kinds,
		size_t n)
{
	uint32_t instant = history->instants + 1;
	size_t at = 0, room = history->room;
	int r = list_reserve(&history->next, &history->next_room, n, LOOKS_MOST,
			     sizeof *history->next);

	if (r < 0)
		return r;
	struct seen *made = history->next;
	for (size_t i = 0; i < n; i++) {
		at = pass(history, at, &records[i]);
		made[i] = is_at(history, at, &records[i]) ? history->at[at++]
							  : (struct seen){.tid = records[i].tid,
									  .start = records[i].start,
									  .kind = kinds[i],
									  .since = instant};
		made[i].tgid = records[i].tgid;
		go_on(&made[i], kinds[i], instant);
	}
	(void)pass(history, at, NULL);
	history->next = history->at;
	history->at = made;
	history->room = history->next_room;
	history->next_room = room;
	history->n = n;
	history->instants = instant;
	return 0;
}

void history_note_ended(struct history *history, const struct thread_record *records, size_t n)
{
	size_t at = 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		at = pass(history, at, &records[i]);
		if (is_at(history, at, &records[i]))
			history->at[kept++] = history->at[at++];
	}
	(void)pass(history, at, NULL);
	history->n = kept;
}

void history_forget_ended(struct history *history)
{
	history->n_ended = 0;
}

static int compare_tid(const void *key, const void *element)
{
	return order_u64(*(const uint32_t *)key, ((const struct seen *)element)->tid);
}

const struct seen *history_find(const struct history *history, int32_t tgid, int32_t tid)
{
	uint32_t key = (uint32_t)tid;
	const struct seen *seen =
		history->n ? bsearch(&key, history->at, history->n, sizeof *seen, compare_tid)
			   : NULL;

	return seen && seen->tgid == (uint32_t)tgid ? seen : NULL;
}

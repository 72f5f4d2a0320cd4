/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "threads.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "list.h"

#define MAX_ATTEMPTS 4

static int add(struct threads *threads, int32_t tid, uint64_t pthread)
{
	int rc = list_reserve(&threads->rows, &threads->room, threads->n + 1, SIZE_MAX,
			      sizeof *threads->rows);

	if (rc < 0)
		return rc;
	threads->rows[threads->n++] = (struct thread){tid, pthread};
	return 0;
}

/* One element of a list. */
struct node {
	uint64_t next;
	uint64_t prev;
	int32_t tid;
};

static int read_node(const struct remote *remote, const struct elf_thread_db *db, uint64_t address,
		     bool is_head, struct node *ret)
{
	struct node node = {0};
	uint64_t pthread = address - db->pthread_list;
	struct remote_piece pieces[] = {
		{.address = address + db->list_next, .buf = &node.next, .len = sizeof node.next},
		{.address = address + db->list_prev, .buf = &node.prev, .len = sizeof node.prev},
		{.address = pthread + db->pthread_tid, .buf = &node.tid, .len = sizeof node.tid},
	};
	int rc = remote_read_many(remote, pieces, is_head ? 2 : 3);

	for (size_t i = 0; rc == 0 && i < (is_head ? 2 : 3); i++)
		rc = pieces[i].rc;
	if (rc == 0)
		*ret = node;
	return rc;
}

/* -EAGAIN if the list changed during the walk: the forward link of each node must
 * lead to where the walk came from, so a walk is either right or ends here.  It
 * goes backwards: glibc puts new threads first, so if threads come and go, the
 * long-lived ones are read before the walk can break. */
static int walk_list(const struct remote *remote, const struct elf_thread_db *db, uint64_t head,
		     size_t most, struct threads *threads)
{
	struct node node = {0};
	int rc = read_node(remote, db, head, true, &node);
	uint64_t from = head;

	if (rc < 0)
		return rc;
	for (size_t n = 0; node.prev != head; n++) {
		uint64_t at = node.prev;

		if (n == most)
			return -E2BIG;
		rc = read_node(remote, db, at, false, &node);
		if (rc == -EFAULT || (rc == 0 && node.next != from))
			return -EAGAIN;
		if (rc < 0)
			return rc;
		/* 0 and less: being made, or gone (the kernel clears it) */
		threads->settled = threads->settled && node.tid > 0;
		rc = node.tid > 0 ? add(threads, node.tid, at - db->pthread_list) : 0;
		if (rc < 0)
			return rc;
		from = at;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct thread *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

int threads_walk(const struct remote *remote, const struct elf_thread_db *db,
		 const struct thread_lists *lists, size_t most, struct threads *threads)
{
	int rc = -EAGAIN;

	for (int attempt = 0; attempt < MAX_ATTEMPTS && rc == -EAGAIN; attempt++) {
		threads->n = 0;
		threads->settled = true;
		int used = walk_list(remote, db, lists->used, most, threads);

		if (used < 0 && used != -EAGAIN)
			return used;
		rc = walk_list(remote, db, lists->user, most, threads);
		if (rc == 0)
			rc = used;
	}
	if (rc < 0 && rc != -EAGAIN)
		return rc;
	threads->settled = threads->settled && rc == 0;
	if (threads->n > 0)
		qsort(threads->rows, threads->n, sizeof *threads->rows, compare);
	return 0;
}

const struct thread *threads_find(const struct threads *threads, int32_t tid)
{
	struct thread key = {.tid = tid};

	return threads->n == 0 ? NULL
			       : bsearch(&key, threads->rows, threads->n, sizeof key, compare);
}

void threads_clear(struct threads *threads)
{
	free(threads->rows);
	*threads = (struct threads){0};
}

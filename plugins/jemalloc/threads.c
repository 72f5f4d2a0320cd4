/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "threads.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "list.h"

#define MAX_ATTEMPTS 4
#define AHEAD 16u

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

/* Nodes read at once: the stacks of threads are often at equal distances. */
struct ahead {
	uint64_t step;
	size_t used, n;
	struct node nodes[AHEAD];
};

/* Fills ahead with nodes from at on, at least one and at most wanted, or returns -errno. */
static int read_nodes(const struct remote *remote, const struct elf_thread_db *db, uint64_t at,
		      size_t wanted, struct ahead *ahead)
{
	struct remote_piece pieces[3 * AHEAD], *piece = pieces;
	struct node *node = ahead->nodes;

	for (; node < ahead->nodes + wanted; node++, piece += 3, at += ahead->step) {
		uint64_t tid = at - db->pthread_list + db->pthread_tid;

		piece[0] = (struct remote_piece){at + db->list_next, &node->next, 8, 0};
		piece[1] = (struct remote_piece){at + db->list_prev, &node->prev, 8, 0};
		piece[2] = (struct remote_piece){tid, &node->tid, sizeof node->tid, 0};
	}
	ssize_t settled = remote_read_some(remote, pieces, 3 * wanted);
	if (settled < 0)
		return (int)settled;
	ahead->used = 0;
	ahead->n = (size_t)(settled - (pieces[settled - 1].rc < 0)) / 3;
	return ahead->n > 0 ? 0 : -EFAULT;
}

static int read_node(const struct remote *remote, const struct elf_thread_db *db, uint64_t from,
		     uint64_t at, struct ahead *ahead, struct node *ret)
{
	bool goes_on = at - from == ahead->step;
	int rc = 0;

	ahead->step = at - from;
	if (!goes_on || ahead->used == ahead->n)
		rc = read_nodes(remote, db, at, goes_on ? AHEAD : 1, ahead);
	if (rc == 0)
		*ret = ahead->nodes[ahead->used++];
	return rc;
}

/* Walks a list; -EAGAIN if it changed meanwhile: the forward link of each node must lead back to
 * the previous one, so that a walk is either right or ends here.  The walk goes backwards: glibc
 * puts new threads first, so if threads come and go, the long-lived ones are read before the walk
 * can break. */
static int walk_list(const struct remote *remote, const struct elf_thread_db *db, uint64_t head,
		     size_t most, struct threads *threads)
{
	struct ahead ahead = {.step = 0};
	uint64_t from = head, at;
	struct node node = {0};
	int rc = remote_read_u64(remote, head + db->list_prev, &at);

	for (size_t n = 0; rc == 0 && at != head; n++) {
		if (n == most)
			return -E2BIG;
		rc = read_node(remote, db, from, at, &ahead, &node);
		if (rc == -EFAULT || (rc == 0 && node.next != from))
			return -EAGAIN;
		if (rc < 0)
			return rc;
		/* 0 or less: the thread is being created, or gone (the kernel clears it) */
		threads->settled = threads->settled && node.tid > 0;
		rc = node.tid > 0 ? add(threads, node.tid, at - db->pthread_list) : 0;
		from = at;
		at = node.prev;
	}
	return rc;
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sweep.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* bpftool's hand, not ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "task.skel.h"
#pragma GCC diagnostic pop

#define HEAD_BYTES offsetof(struct record, value)
/* What the kernel hands out at a time (bpf_seq_read: 8 pages), and room for more. */
#define CHUNK_BYTES (256u * 1024)
/* 1.4 million threads, should one want to know. */
#define MOST_BYTES (1024u * 1024 * 1024)

struct sweep {
	struct task_bpf *skeleton;
	struct bpf_link *link;
	int fd;
	struct sweep_setting setting;
	size_t stride; /* bytes of a record as handed out */
	char *records;
	size_t used, size; /* bytes */
	uint64_t span_ns;
};

static void free_sweep(struct sweep **sweep)
{
	sweep_free(*sweep);
}

static int load(struct sweep *sweep)
{
	sweep->skeleton = task_bpf__open();
	if (!sweep->skeleton)
		return -errno;
	sweep->skeleton->rodata->n_values = sweep->setting.n_values;
	sweep->skeleton->rodata->cpus_bytes = sweep->setting.cpus_bytes;
	int r = task_bpf__load(sweep->skeleton);
	if (r < 0)
		return r;
	sweep->link = bpf_program__attach_iter(sweep->skeleton->progs.dump_task, NULL);
	if (!sweep->link)
		return -errno;
	sweep->fd = bpf_iter_create(bpf_link__fd(sweep->link));
	return sweep->fd < 0 ? -errno : 0;
}

int sweep_load(const struct sweep_setting *setting, struct sweep **ret)
{
	__attribute__((cleanup(free_sweep))) struct sweep *made = calloc(1, sizeof *made);

	if (!made)
		return -ENOMEM;
	made->fd = -1;
	made->setting = *setting;
	made->stride = HEAD_BYTES + setting->n_values * sizeof(uint64_t) + setting->cpus_bytes;
	/* What it has to say is for its developers; the errno is for us. */
	libbpf_set_print(NULL);
	int r = load(made);
	if (r < 0)
		return r;
	*ret = made;
	made = NULL;
	return 0;
}

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	if (sweep->fd >= 0)
		close(sweep->fd);
	bpf_link__destroy(sweep->link);
	task_bpf__destroy(sweep->skeleton);
	free(sweep->records);
	free(sweep);
}

/* ---- reading ---------------------------------------------------------- */

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int make_room(struct sweep *sweep)
{
	if (sweep->size - sweep->used >= CHUNK_BYTES)
		return 0;
	size_t size = sweep->size ? 2 * sweep->size : 4 * CHUNK_BYTES;
	char *bigger = size <= MOST_BYTES ? realloc(sweep->records, size) : NULL;

	if (!bigger)
		return -ENOMEM;
	sweep->records = bigger;
	sweep->size = size;
	return 0;
}

static int read_all(struct sweep *sweep)
{
	for (;;) {
		int r = make_room(sweep);

		if (r < 0)
			return r;
		ssize_t got = read(sweep->fd, sweep->records + sweep->used, CHUNK_BYTES);
		if (got > 0)
			sweep->used += (size_t)got;
		else if (got == 0 || (errno != EINTR && errno != EAGAIN))
			return got < 0 ? -errno : 0;
	}
}

static uint32_t tid_at(const struct sweep *sweep, size_t i)
{
	uint32_t tid;

	memcpy(&tid, sweep->records + i * sweep->stride + offsetof(struct record, tid), sizeof tid);
	return tid;
}

static int compare_tids(const void *a, const void *b)
{
	uint32_t x, y;

	memcpy(&x, (const char *)a + offsetof(struct record, tid), sizeof x);
	memcpy(&y, (const char *)b + offsetof(struct record, tid), sizeof y);
	return (x > y) - (x < y);
}

/* The kernel goes through its numbers upwards, so mostly there is nothing to do. */
static void sort(struct sweep *sweep)
{
	size_t n = sweep_count(sweep), i = 1;

	while (i < n && tid_at(sweep, i - 1) < tid_at(sweep, i))
		i++;
	if (i < n)
		qsort(sweep->records, n, sweep->stride, compare_tids);
}

int sweep_run(struct sweep *sweep)
{
	uint64_t begin = clock_ns();
	int r = read_all(sweep);

	sweep->span_ns = clock_ns() - begin;
	sort(sweep);
	return r;
}

/* ---- looking up ------------------------------------------------------- */

size_t sweep_count(const struct sweep *sweep)
{
	return sweep->used / sweep->stride;
}

uint64_t sweep_span(const struct sweep *sweep)
{
	return sweep->span_ns;
}

static void unpack(const struct sweep *sweep, const char *at, struct record *ret)
{
	size_t values = sweep->setting.n_values * sizeof ret->value[0];

	memcpy(ret, at, HEAD_BYTES + values);
	memset((char *)ret + HEAD_BYTES + values, 0, sizeof ret->value - values);
	memcpy(ret->cpus, at + HEAD_BYTES + values, sweep->setting.cpus_bytes);
	for (uint32_t i = sweep->setting.n_values; i < N_RECORD_VALUES; i++)
		ret->has[i / 64] &= ~(UINT64_C(1) << i % 64);
}

bool sweep_find(const struct sweep *sweep, int32_t tgid, int32_t tid, struct record *ret)
{
	size_t low = 0, high = sweep_count(sweep);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (tid_at(sweep, middle) < (uint32_t)tid)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == sweep_count(sweep) || tid_at(sweep, low) != (uint32_t)tid)
		return false;
	unpack(sweep, sweep->records + low * sweep->stride, ret);
	return ret->tgid == (uint32_t)tgid;
}

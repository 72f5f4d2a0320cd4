/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sweep.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cleanup.h"

/* The skeleton is bpftool's code, not ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "clock.h"
#include "iterator.h"
#include "kernel-types.h"
#include "task.skel.h"
#pragma GCC diagnostic pop

#define HEAD_BYTES offsetof(struct record, value)
/* Enough for 1.4 million threads. */
#define MOST_BYTES (1024u * 1024 * 1024)

enum { END_WRITTEN, END_NOTED, N_ENDS };

struct sweep {
	struct task_bpf *skeleton;
	struct bpf_link *link;
	int fd;
	struct sweep_setting setting;
	size_t stride; /* size in bytes of a record as written */
	char *records;
	size_t used, size; /* bytes */
	/* The records of the previous run; NULL in the first. */
	char *before;
	size_t before_used, before_size;
	uint64_t begin_ns, span_ns;
	bool *taken; /* by index */
	size_t n_taken;
	/* Used for threads that end. */
	struct bpf_link *links[N_ENDS];
	struct ring_buffer *ring;
	int ends_error;
	bool (*take)(void *data, const struct ended *end);
	void *take_data;
	uint64_t refused; /* by take() */
};

static void free_sweep(struct sweep **sweep)
{
	sweep_free(*sweep);
}

static int take_ended(void *data, void *ended, size_t size)
{
	struct sweep *sweep = data;

	if (size < sizeof(struct ended) || !sweep->take(sweep->take_data, ended))
		sweep->refused++;
	return 0;
}

static int attach_ends(struct sweep *sweep)
{
	const struct task_bpf *skeleton = sweep->skeleton;

	sweep->links[END_WRITTEN] = bpf_program__attach_trace(skeleton->progs.write_end);
	sweep->links[END_NOTED] = bpf_program__attach_trace(skeleton->progs.note_end);
	for (unsigned i = 0; i < N_ENDS; i++)
		if (!sweep->links[i])
			return -EOPNOTSUPP;
	sweep->ring = ring_buffer__new(bpf_map__fd(skeleton->maps.ended), take_ended, sweep, NULL);
	return sweep->ring ? 0 : -errno;
}

static void detach_ends(struct sweep *sweep)
{
	ring_buffer__free(sweep->ring);
	sweep->ring = NULL;
	for (unsigned i = 0; i < N_ENDS; i++) {
		bpf_link__destroy(sweep->links[i]);
		sweep->links[i] = NULL;
	}
}

/* ---- loading ------------------------------------------------------------ */

static void set_up(const struct sweep *sweep, bool ends)
{
	const struct task_bpf *skeleton = sweep->skeleton;

	skeleton->rodata->n_values = sweep->setting.n_values;
	skeleton->rodata->has_averages = sweep->setting.has_averages;
	skeleton->rodata->cpus_bytes = sweep->setting.cpus_bytes;
	bpf_program__set_autoload(skeleton->progs.note_end, ends);
	bpf_program__set_autoload(skeleton->progs.write_end, ends);
	bpf_map__set_autocreate(skeleton->maps.ending, ends);
	bpf_map__set_autocreate(skeleton->maps.ended, ends);
	if (ends)
		(void)bpf_map__set_max_entries(skeleton->maps.ended, sweep->setting.ends_bytes);
}

struct loading {
	struct sweep *sweep;
	bool ends;
};

static int open_programs(void *data, const struct bpf_object_open_opts *options,
			 struct bpf_object **ret)
{
	struct sweep *sweep = ((struct loading *)data)->sweep;

	task_bpf__destroy(sweep->skeleton);
	sweep->skeleton = task_bpf__open_opts(options);
	if (!sweep->skeleton)
		return -errno;
	*ret = sweep->skeleton->obj;
	return 0;
}

static int load_programs(void *data)
{
	const struct loading *loading = data;

	set_up(loading->sweep, loading->ends);
	return task_bpf__load(loading->sweep->skeleton);
}

static int load_either(struct sweep *sweep, bool ends, bool cut)
{
	struct loading loading = {sweep, ends};
	struct types_target targets[] = {
		{"iter/task", "bpf_iter_task", BPF_TRACE_ITER, BTF_KIND_FUNC, 0},
		{"tp_btf/sched_process_exit", "btf_trace_sched_process_exit", BPF_TRACE_RAW_TP,
		 BTF_KIND_TYPEDEF, 0},
		{"tp_btf/sched_switch", "btf_trace_sched_switch", BPF_TRACE_RAW_TP,
		 BTF_KIND_TYPEDEF, 0},
	};
	const struct types_user user = {open_programs, load_programs, &loading, targets,
					sizeof targets / sizeof targets[0]};

	return types_load(&user, cut ? sweep->setting.types : NULL, sweep->setting.types_len);
}

/* Loads with fallbacks: without the programs for exits, then without the cut types. */
static int load_some(struct sweep *sweep)
{
	bool ends = sweep->setting.ends_bytes > 0;
	int r = -EOPNOTSUPP;

	for (int cut = sweep->setting.types != NULL; cut >= 0 && r < 0; cut--) {
		r = sweep->ends_error = load_either(sweep, ends, cut);
		if (r < 0 && ends)
			r = load_either(sweep, false, cut);
	}
	if (!ends)
		sweep->ends_error = -EOPNOTSUPP;
	return r;
}

static int load(struct sweep *sweep)
{
	int r = load_some(sweep);

	if (r < 0)
		return r;
	if (sweep->ends_error == 0)
		sweep->ends_error = attach_ends(sweep);
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
	/* libbpf's messages are for its developers; we report the errno. */
	libbpf_set_print(NULL);
	int r = load(made);
	made->setting.types = NULL;
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
	detach_ends(sweep);
	task_bpf__destroy(sweep->skeleton);
	free(sweep->records);
	free(sweep->before);
	free(sweep->taken);
	free(sweep);
}

/* ---- reading ---------------------------------------------------------- */

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

/* Sorts the records.  The kernel iterates in the order of its thread IDs, so they are mostly sorted
 * already. */
static void sort(struct sweep *sweep)
{
	size_t n = sweep_count(sweep), i = 1;

	while (i < n && tid_at(sweep, i - 1) < tid_at(sweep, i))
		i++;
	if (i < n)
		qsort(sweep->records, n, sweep->stride, compare_tids);
}

static void forget_taken(struct sweep *sweep)
{
	size_t n = sweep_count(sweep);
	bool *taken = realloc(sweep->taken, n + 1);

	sweep->n_taken = taken ? n : 0;
	if (!taken)
		return;
	sweep->taken = taken;
	memset(taken, false, n);
}

int sweep_run(struct sweep *sweep)
{
	sweep->begin_ns = clock_now();
	int r = iterator_read(sweep->fd, &sweep->records, &sweep->size, MOST_BYTES, &sweep->used);

	sweep->span_ns = clock_now() - sweep->begin_ns;
	sort(sweep);
	forget_taken(sweep);
	return r;
}

int sweep_again(struct sweep *sweep)
{
	int fd = bpf_iter_create(bpf_link__fd(sweep->link));

	if (fd < 0)
		return -errno;
	close(sweep->fd);
	sweep->fd = fd;
	char *records = sweep->before;
	size_t size = sweep->before_size;
	sweep->before = sweep->records;
	sweep->before_used = sweep->used;
	sweep->before_size = sweep->size;
	sweep->records = records;
	sweep->size = size;
	sweep->used = 0;
	return 0;
}

void sweep_list(struct sweep *sweep, const struct ctprof_listing *listing)
{
	/* The first sample has no earlier run. */
	const char *before = sweep->before, *end = before ? before + sweep->before_used : NULL;

	for (size_t i = 0; i < sweep_count(sweep); i++) {
		const char *at = sweep->records + i * sweep->stride;
		uint32_t ids[2]; /* tid, tgid */

		memcpy(ids, at, sizeof ids);
		while (before < end && compare_tids(before, at) < 0)
			before += sweep->stride;
		bool is_same = before < end && memcmp(before, at, sweep->stride) == 0;
		if (i < sweep->n_taken)
			sweep->taken[i] = is_same;
		listing->thread(listing, (int32_t)ids[1], (int32_t)ids[0], is_same);
	}
}

/* ---- looking up ------------------------------------------------------- */

size_t sweep_count(const struct sweep *sweep)
{
	return sweep->used / sweep->stride;
}

uint64_t sweep_begin(const struct sweep *sweep)
{
	return sweep->begin_ns;
}

uint64_t sweep_span(const struct sweep *sweep)
{
	return sweep->span_ns;
}

static void unpack(const struct sweep *sweep, const char *at, struct live_record *ret)
{
	struct record *record = &ret->record;
	size_t values = sweep->setting.n_values * sizeof record->value[0];

	memcpy(record, at, HEAD_BYTES + values);
	memset((char *)record + HEAD_BYTES + values, 0, sizeof record->value - values);
	memcpy(ret->cpus, at + HEAD_BYTES + values, sweep->setting.cpus_bytes);
	for (uint32_t i = sweep->setting.n_values; i < N_RECORD_VALUES; i++)
		record->has[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Returns the record's index; sweep_count() if there is no such record. */
static size_t find(const struct sweep *sweep, int32_t tgid, int32_t tid, struct live_record *ret)
{
	const uint32_t key = (uint32_t)tid; /* the first member of a record */
	size_t n = sweep_count(sweep);
	const char *at =
		n > 0 ? bsearch(&key, sweep->records, n, sweep->stride, compare_tids) : NULL;

	if (!at)
		return n;
	unpack(sweep, at, ret);
	return ret->record.tgid == (uint32_t)tgid ? (size_t)(at - sweep->records) / sweep->stride
						  : n;
}

bool sweep_find(const struct sweep *sweep, int32_t tgid, int32_t tid, struct live_record *ret,
		bool *ret_taken)
{
	size_t i = find(sweep, tgid, tid, ret);

	if (i == sweep_count(sweep))
		return false;
	/* If the flags could not be allocated, assume that the record was taken. */
	*ret_taken = i >= sweep->n_taken || sweep->taken[i];
	return true;
}

bool sweep_take(const struct sweep *sweep, int32_t tgid, int32_t tid, struct live_record *ret)
{
	size_t i = find(sweep, tgid, tid, ret);

	if (i == sweep_count(sweep))
		return false;
	if (i < sweep->n_taken)
		sweep->taken[i] = true;
	return true;
}

/* ---- threads that end ------------------------------------------------- */

int sweep_ends_error(const struct sweep *sweep)
{
	return sweep->ends_error;
}

void sweep_listen(struct sweep *sweep)
{
	__atomic_store_n(&sweep->skeleton->bss->listening, 1, __ATOMIC_RELAXED);
}

int sweep_drain(struct sweep *sweep, bool (*take)(void *data, const struct ended *end), void *data)
{
	sweep->take = take;
	sweep->take_data = data;
	int r = ring_buffer__consume(sweep->ring);
	return r < 0 ? r : 0;
}

bool sweep_awaits(const struct sweep *sweep, uint64_t before_ns)
{
	int map = bpf_map__fd(sweep->skeleton->maps.ending);
	uint64_t key, *from = NULL;
	struct exit_data data;

	/* If the current key is deleted meanwhile, the iteration starts again from the first. */
	while (bpf_map_get_next_key(map, from, &key) == 0) {
		if (bpf_map_lookup_elem(map, &key, &data) == 0 && data.end_ns < before_ns)
			return true;
		from = &key;
	}
	return false;
}

uint64_t sweep_ended(const struct sweep *sweep)
{
	return __atomic_load_n(&sweep->skeleton->bss->n_ended, __ATOMIC_ACQUIRE);
}

uint64_t sweep_written(const struct sweep *sweep)
{
	return __atomic_load_n(&sweep->skeleton->bss->n_written, __ATOMIC_ACQUIRE);
}

uint64_t sweep_lost(const struct sweep *sweep)
{
	return sweep->refused + __atomic_load_n(&sweep->skeleton->bss->n_lost, __ATOMIC_RELAXED);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "batch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "buckets.h"

#define MAX_TEXT_BYTES 65535u
#define MAX_MAP_ENTRIES 65536u
#define MAX_CPUS 65536u
#define MAX_KEY_BYTES 255u
#define MAX_NAME_BYTES 4096u

/* The facts about a slot that a put needs; eight rules fit in a cache line. */
struct slot_rule {
	guint8 type;
	guint8 wanted, leader_only;
	guint8 of_text, of_buckets; /* a map whose entries are texts; a histogram */
	guint16 group;              /* object rows: index in batch->groups */
};

/* A slot group of object rows. */
struct object_group {
	const char *name;
	gboolean wanted; /* one of its slots is wanted */
	gboolean owned;  /* by the source that owns the batch */
};

struct batch {
	struct ctprof_batch open; /* a plugin can read it, and could write to it by mistake */
	gsize n;                  /* of rows */
	enum row_class row;
	guint32 n_slots;
	struct slot_rule *rules;
	guint8 *blank;    /* the states of an empty row */
	guint8 *follower; /* the states of a row of a thread that is not a leader */
	struct ctprof_target *targets;
	guint64 *values;
	guint8 *states;
	guint8 *settled, *vanished; /* 1: a source has put UNSUPPORTED; 1: the row is gone */
	GArray *groups;             /* struct object_group; empty in other classes */
	guint16 *row_groups;        /* of object rows; groups->len: not set yet */
	Arena *arena;
	guint64 *bad_puts;
	Stuck *stuck; /* borrowed; NULL: no capture uses the batch */
};

/* Returns the index of a group of object rows, or the number of groups if it is not there. */
static guint find_group(const Batch *batch, const char *name)
{
	for (guint i = 0; i < batch->groups->len; i++)
		if (strcmp(g_array_index(batch->groups, struct object_group, i).name, name) == 0)
			return i;
	return batch->groups->len;
}

static guint16 join_group(Batch *batch, const Metric *metric)
{
	guint at = find_group(batch, metric->def.group);

	if (at == batch->groups->len) {
		struct object_group group = {.name = metric->def.group};

		g_array_append_val(batch->groups, group);
	}
	g_array_index(batch->groups, struct object_group, at).wanted |= metric_is_due(metric);
	return (guint16)at;
}

Batch *batch_new(const Registry *registry, enum row_class row)
{
	const GPtrArray *metrics = registry_row(registry, row);
	Batch *batch = g_new0(Batch, 1);

	batch->row = row;
	batch->n_slots = metrics->len;
	batch->rules = g_new0(struct slot_rule, metrics->len);
	batch->blank = g_new0(guint8, metrics->len + 1);
	batch->follower = g_new0(guint8, metrics->len + 1);
	batch->groups = g_array_new(FALSE, FALSE, sizeof(struct object_group));
	for (guint i = 0; i < metrics->len; i++) {
		const Metric *m = g_ptr_array_index(metrics, i);

		batch->rules[i] = (struct slot_rule){
			.type = (guint8)m->type,
			.wanted = metric_is_due(m) ? 1 : 0,
			.leader_only = row == ROW_THREAD && m->def.scope != CTPROF_SCOPE_THREAD,
			.of_text = m->def.unit == CTPROF_UNIT_TEXT,
			.of_buckets = m->def.kind == CTPROF_HISTOGRAM,
			.group = row == ROW_OBJECT ? join_group(batch, m) : 0,
		};
		batch->blank[i] =
			(guint8)(m->wanted && m->skipped ? CTPROF_ABSENT_SKIPPED : m->unfilled);
		batch->follower[i] =
			batch->rules[i].leader_only ? CTPROF_ABSENT_INAPPLICABLE : batch->blank[i];
	}
	batch->targets = g_new0(struct ctprof_target, BATCH_ROWS);
	/* One more, so that rows without slots are not NULL, which means no rows. */
	batch->values = g_new(guint64, (gsize)BATCH_ROWS * batch->n_slots + 1);
	batch->states = g_new(guint8, (gsize)BATCH_ROWS * batch->n_slots + 1);
	batch->settled = g_new0(guint8, (gsize)BATCH_ROWS * batch->n_slots + 1);
	batch->vanished = g_new0(guint8, BATCH_ROWS);
	batch->row_groups = g_new0(guint16, BATCH_ROWS);
	batch->arena = arena_new();
	return batch;
}

void batch_free(Batch *batch)
{
	arena_free(batch->arena);
	g_free(batch->rules);
	g_free(batch->blank);
	g_free(batch->follower);
	g_free(batch->targets);
	g_free(batch->values);
	g_free(batch->states);
	g_free(batch->settled);
	g_free(batch->vanished);
	g_free(batch->row_groups);
	g_array_unref(batch->groups);
	g_free(batch);
}

struct ctprof_target *batch_targets(Batch *batch)
{
	return batch->targets;
}

struct ctprof_target batch_thread(gint32 tgid, gint32 tid, int task_fd)
{
	return (struct ctprof_target){
		.struct_size = sizeof(struct ctprof_target),
		.flags = tgid == tid ? CTPROF_TARGET_LEADER : 0,
		.tgid = tgid,
		.tid = tid,
		.task_fd = task_fd,
	};
}

void batch_begin(Batch *batch, gsize n)
{
	g_assert(n <= BATCH_ROWS);
	arena_reset(batch->arena);
	memset(batch->vanished, 0, BATCH_ROWS);
	memset(batch->settled, 0, (gsize)BATCH_ROWS * batch->n_slots);
	for (gsize i = 0; i < n; i++) {
		gboolean leads = (batch->targets[i].flags & CTPROF_TARGET_LEADER) != 0;

		memcpy(batch->states + i * batch->n_slots, leads ? batch->blank : batch->follower,
		       batch->n_slots);
		batch->row_groups[i] = (guint16)batch->groups->len;
	}
	batch->n = n;
}

void batch_share_stuck(Batch *batch, Stuck *stuck)
{
	batch->stuck = stuck;
}

void batch_time_out(Batch *batch)
{
	for (gsize i = 0; i < batch->n * batch->n_slots; i++)
		if (batch->states[i] == CTPROF_ABSENT_UNSUPPORTED)
			batch->states[i] = CTPROF_ABSENT_TIMEOUT;
}

struct ctprof_batch *batch_open(Batch *batch, guint64 *bad_puts)
{
	batch->bad_puts = bad_puts;
	batch->open = (struct ctprof_batch){
		.struct_size = sizeof batch->open,
		.scope = registry_scope_of_row(batch->row),
		.n = batch->n,
		.targets = batch->targets,
		.handle = batch,
	};
	return &batch->open;
}

static void bad_put(Batch *batch)
{
	__atomic_add_fetch(batch->bad_puts, 1, __ATOMIC_RELAXED);
}

/* Whether row and slot belong to this batch. */
static gboolean has_place(const Batch *batch, guint64 row, guint32 slot)
{
	guint32 index = slot & 0xffff;

	return slot >> 16 == (guint32)batch->row + 1 && index < batch->n_slots && row < batch->n &&
	       (batch->row != ROW_OBJECT || batch->rules[index].group == batch->row_groups[row]);
}

/* Finds the place of a value in the arrays; NULL: the put must be ignored. */
static Batch *find_place(struct ctprof_batch *open, guint64 row, guint32 slot, guint32 type,
			 gsize *ret_at)
{
	Batch *batch = open->handle;
	guint32 index = slot & 0xffff;

	if (!has_place(batch, row, slot) || (type && batch->rules[index].type != type)) {
		bad_put(batch);
		return NULL;
	}
	const struct slot_rule *rule = &batch->rules[index];
	*ret_at = row * batch->n_slots + index;
	if (!rule->wanted || batch->states[*ret_at] == CTPROF_PRESENT)
		return NULL;
	return rule->leader_only && !(batch->targets[row].flags & CTPROF_TARGET_LEADER) ? NULL
											: batch;
}

static void set_bits(Batch *batch, gsize at, guint64 bits)
{
	batch->values[at] = bits;
	batch->states[at] = CTPROF_PRESENT;
}

/* Sets a value that is in the batch's memory; NULL: the value put breaks the rules. */
static void set_data(Batch *batch, gsize at, const void *data)
{
	if (data)
		set_bits(batch, at, (guint64)(uintptr_t)data);
	else
		bad_put(batch);
}

static void put_u64(struct ctprof_batch *open, guint64 row, guint32 slot, guint64 value)
{
	gsize at;
	Batch *batch = find_place(open, row, slot, CTPROF_TYPE_U64, &at);

	if (batch)
		set_bits(batch, at, value);
}

static void put_i64(struct ctprof_batch *open, guint64 row, guint32 slot, gint64 value)
{
	gsize at;
	Batch *batch = find_place(open, row, slot, CTPROF_TYPE_I64, &at);

	if (batch)
		set_bits(batch, at, (guint64)value);
}

static void put_text(struct ctprof_batch *open, guint64 row, guint32 slot, const char *text,
		     size_t length)
{
	gsize at;
	Batch *batch = find_place(open, row, slot, CTPROF_TYPE_TEXT, &at);

	if (batch)
		set_data(batch, at,
			 arena_copy_text(batch->arena, text,
					 strnlen(text, MIN(length, MAX_TEXT_BYTES))));
}

/* Returns the batch's own copy; NULL: the CPUs are not unique and ascending. */
static struct ctprof_cpus *copy_cpus(Arena *arena, const guint32 *cpus, gsize n)
{
	gboolean is_sound = n >= 1 && n <= MAX_CPUS;

	for (gsize i = 1; is_sound && i < n; i++)
		is_sound = cpus[i] > cpus[i - 1];
	if (!is_sound)
		return NULL;
	struct ctprof_cpus *copy = arena_take(arena, sizeof *copy + n * sizeof *cpus);
	copy->n = (guint32)n;
	memcpy((char *)copy + offsetof(struct ctprof_cpus, cpus), cpus, n * sizeof *cpus);
	return copy;
}

static void put_cpuset(struct ctprof_batch *open, guint64 row, guint32 slot, const guint32 *cpus,
		       size_t n)
{
	gsize at;
	Batch *batch = find_place(open, row, slot, CTPROF_TYPE_CPUS, &at);

	if (batch)
		set_data(batch, at, copy_cpus(batch->arena, cpus, n));
}

static gboolean is_sound_entry(const struct ctprof_map_entry *entry, gboolean of_text)
{
	return entry->key && entry->key_len >= 1 && entry->key_len <= MAX_KEY_BYTES &&
	       !memchr(entry->key, '\0', entry->key_len) &&
	       (!of_text || (entry->text && entry->text_len <= MAX_TEXT_BYTES));
}

/* Returns the batch's own copy, ordered by key; NULL if an entry is invalid. */
static struct ctprof_map *copy_map(Arena *arena, const struct ctprof_map_entry *entries, gsize n,
				   gboolean of_text)
{
	for (gsize i = 0; i < n; i++)
		if (!is_sound_entry(&entries[i], of_text))
			return NULL;
	struct ctprof_map *map = arena_copy_map(arena, entries, n, of_text);
	struct ctprof_map_entry *copies = map->entries;
	if (n > 1)
		qsort(copies, n, sizeof *copies, arena_compare_entries);
	for (gsize i = 1; i < n; i++)
		if (arena_compare_entries(&copies[i - 1], &copies[i]) == 0)
			return NULL;
	return map;
}

static void put_map(struct ctprof_batch *open, guint64 row, guint32 slot,
		    const struct ctprof_map_entry *entries, size_t n)
{
	gsize at;
	Batch *batch = find_place(open, row, slot, CTPROF_TYPE_MAP, &at);

	if (batch)
		set_data(batch, at,
			 n <= MAX_MAP_ENTRIES ? copy_map(batch->arena, entries, n,
							 batch->rules[slot & 0xffff].of_text)
					      : NULL);
}

static void put_histogram(struct ctprof_batch *open, guint64 row, guint32 slot,
			  const guint64 *counts, size_t n)
{
	Histogram histogram = {{0}};
	gsize at;
	Batch *batch = find_place(open, row, slot, CTPROF_TYPE_MAP, &at);

	if (!batch)
		return;
	gboolean is_sound = batch->rules[slot & 0xffff].of_buckets && n <= CTPROF_BUCKETS;
	memcpy(histogram.counts, counts, is_sound ? n * sizeof *counts : 0);
	set_data(batch, at, is_sound ? buckets_store(batch->arena, &histogram) : NULL);
}
static void put_absent(struct ctprof_batch *open, guint64 row, guint32 slot, guint32 why)
{
	gsize at;
	Batch *batch = find_place(open, row, slot, 0, &at);

	if (!batch)
		return;
	if (why == CTPROF_PRESENT || why > CTPROF_ABSENT_INAPPLICABLE || why % 10 != 0) {
		bad_put(batch);
		return;
	}
	batch->states[at] = (guint8)why;
	batch->settled[at] = why == CTPROF_ABSENT_UNSUPPORTED;
}

static void mark_stuck(struct ctprof_batch *open, guint64 row)
{
	Batch *batch = open->handle;

	if (row >= batch->n || batch->row != ROW_THREAD)
		bad_put(batch);
	else if (batch->stuck)
		stuck_add(batch->stuck, batch->targets[row].tgid);
}

static int is_stuck(const struct ctprof_batch *open, guint64 row)
{
	const Batch *batch = open->handle;

	return row < batch->n && batch->stuck && stuck_has(batch->stuck, batch->targets[row].tgid);
}

static void vanished(struct ctprof_batch *open, guint64 row)
{
	Batch *batch = open->handle;

	if (row >= batch->n || batch->row != ROW_THREAD)
		bad_put(batch);
	else
		batch->vanished[row] = 1;
}

gsize batch_recall(Batch *batch)
{
	gsize n = 0;

	for (gsize i = 0; i < batch->n; i++) {
		g_autofree char *tid = batch->vanished[i] && batch->targets[i].task_fd >= 0
					       ? g_strdup_printf("%d", batch->targets[i].tid)
					       : NULL;

		if (!tid || faccessat(batch->targets[i].task_fd, tid, F_OK, 0) < 0)
			continue;
		batch->vanished[i] = 0;
		n++;
	}
	return n;
}

static int filled(const struct ctprof_batch *open, guint64 row, guint32 slot)
{
	Batch *batch = open->handle;

	if (!has_place(batch, row, slot)) {
		bad_put(batch);
		return 0;
	}
	gsize at = row * batch->n_slots + (slot & 0xffff);
	return batch->states[at] == CTPROF_PRESENT ||
	       batch->states[at] == CTPROF_ABSENT_INAPPLICABLE || batch->settled[at];
}

void batch_own(Batch *batch, const Registry *registry, const char *plugin)
{
	const GPtrArray *metrics = registry_row(registry, batch->row);

	for (guint i = 0; i < batch->groups->len; i++)
		g_array_index(batch->groups, struct object_group, i).owned = FALSE;
	for (guint i = 0; i < metrics->len; i++)
		if (metric_is_of(g_ptr_array_index(metrics, i), plugin))
			g_array_index(batch->groups, struct object_group, batch->rules[i].group)
				.owned = TRUE;
}

gsize batch_rows(const Batch *batch)
{
	return batch->n;
}

gboolean batch_set_group(Batch *batch, gsize row, const char *name)
{
	guint at = name ? find_group(batch, name) : batch->groups->len;
	guint8 *states = batch->states + row * batch->n_slots;

	if (at == batch->groups->len)
		return FALSE;
	const struct object_group *group = &g_array_index(batch->groups, struct object_group, at);
	for (guint32 s = 0; s < batch->n_slots; s++)
		states[s] = batch->rules[s].group == at ? batch->blank[s] : CTPROF_ABSENT_SKIPPED;
	batch->row_groups[row] = (guint16)at;
	batch->targets[row].group = group->name;
	batch->vanished[row] = !group->wanted;
	return TRUE;
}

/* Whether the batch's source may add an object of that group and name. */
static gboolean is_sound_object(const Batch *batch, const char *group, const char *name,
				size_t length)
{
	guint at =
		batch->row == ROW_OBJECT && group ? find_group(batch, group) : batch->groups->len;

	return at < batch->groups->len &&
	       g_array_index(batch->groups, struct object_group, at).owned && name && length >= 1 &&
	       length <= MAX_NAME_BYTES && !memchr(name, '\0', length);
}

static int object(struct ctprof_batch *open, const char *group, const char *name, size_t length,
		  guint64 *ret_row)
{
	Batch *batch = open->handle;
	gsize row = batch->n;

	if (!is_sound_object(batch, group, name, length)) {
		bad_put(batch);
		return -EINVAL;
	}
	if (row == BATCH_ROWS)
		return -ENOSPC;
	batch->targets[row] = (struct ctprof_target){
		.struct_size = sizeof batch->targets[row],
		.task_fd = -1,
		.path_len = (guint32)length,
		.path = arena_copy(batch->arena, name, length),
	};
	(void)batch_set_group(batch, row, group);
	batch->open.n = ++batch->n;
	*ret_row = row;
	return 0;
}

static int exited(struct ctprof_batch *open, gint32 tgid, gint32 tid, guint64 *ret_row)
{
	Batch *batch = open->handle;
	gsize row = batch->n;

	if (batch->row != ROW_EXIT || tgid < 0 || tid < 1) {
		bad_put(batch);
		return -EINVAL;
	}
	if (row == BATCH_ROWS)
		return -ENOSPC;
	batch->targets[row] = batch_thread(tgid, tid, -1);
	memcpy(batch->states + row * batch->n_slots, batch->blank, batch->n_slots);
	batch->open.n = ++batch->n;
	*ret_row = row;
	return 0;
}

void batch_lend(struct ctprof_host *table)
{
	table->filled = filled;
	table->object = object;
	table->exited = exited;
	table->put_u64 = put_u64;
	table->put_i64 = put_i64;
	table->put_text = put_text;
	table->put_cpuset = put_cpuset;
	table->put_map = put_map;
	table->put_histogram = put_histogram;
	table->put_absent = put_absent;
	table->vanished = vanished;
	table->mark_stuck = mark_stuck;
	table->is_stuck = is_stuck;
}

void batch_close_targets(Batch *batch)
{
	/* Threads of one process share a descriptor. */
	for (gsize i = 0; i < batch->n; i++) {
		int fd = batch->targets[i].task_fd;

		if (fd >= 0 && (i + 1 == batch->n || batch->targets[i + 1].task_fd != fd))
			close(fd);
	}
	for (gsize i = 0; i < batch->n; i++)
		batch->targets[i].task_fd = -1;
}

void batch_invalidate(Batch *batch, guint32 index)
{
	for (gsize i = 0; i < batch->n; i++) {
		gsize at = i * batch->n_slots + index;

		if (batch->states[at] == CTPROF_ABSENT_UNSUPPORTED && !batch->settled[at])
			batch->states[at] = CTPROF_ABSENT_INVALID;
	}
}

gboolean batch_has_values(const Batch *batch, guint32 index)
{
	for (gsize i = 0; i < batch->n; i++)
		if (batch->states[i * batch->n_slots + index] == CTPROF_PRESENT)
			return TRUE;
	return FALSE;
}

gsize batch_drop_vanished(Batch *batch)
{
	gsize n = batch->n, kept = 0;

	for (gsize i = 0; i < n; i++) {
		if (batch->vanished[i])
			continue;
		if (kept != i) {
			batch->targets[kept] = batch->targets[i];
			memcpy(batch->values + kept * batch->n_slots,
			       batch->values + i * batch->n_slots,
			       batch->n_slots * sizeof *batch->values);
			memcpy(batch->states + kept * batch->n_slots,
			       batch->states + i * batch->n_slots, batch->n_slots);
		}
		kept++;
	}
	batch->n = kept;
	return n - kept;
}

void batch_view(const Batch *batch, struct ctprof_rows *ret_rows)
{
	*ret_rows = (struct ctprof_rows){
		.struct_size = sizeof *ret_rows,
		.scope = registry_scope_of_row(batch->row),
		.n = batch->n,
		.n_slots = batch->n_slots,
		.targets = batch->targets,
		.values = batch->values,
		.states = batch->states,
	};
}

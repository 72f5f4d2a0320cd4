/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define FIRST_BUCKETS 64

const uint32_t kept_scopes[KEPT_N_CLASSES] = {
	[KEPT_HOST] = CTPROF_SCOPE_HOST,     [KEPT_THREAD] = CTPROF_SCOPE_THREAD,
	[KEPT_EXIT] = CTPROF_SCOPE_EXIT,     [KEPT_CGROUP] = CTPROF_SCOPE_CGROUP,
	[KEPT_OBJECT] = CTPROF_SCOPE_OBJECT, [KEPT_CAPTURE] = CTPROF_SCOPE_CAPTURE,
};

enum kept_class kept_class_of(uint32_t scope)
{
	enum kept_class class = 0;

	if (scope == CTPROF_SCOPE_PROCESS || scope == CTPROF_SCOPE_MM)
		scope = CTPROF_SCOPE_THREAD;
	while (class < KEPT_N_CLASSES && kept_scopes[class] != scope)
		class ++;
	return class;
}

/* ---- values that are pointed to ---------------------------------------- */

static bool is_pointer(uint8_t type)
{
	return type == CTPROF_TYPE_TEXT || type == CTPROF_TYPE_CPUS || type == CTPROF_TYPE_MAP;
}

static const void *pointer(uint64_t bits)
{
	return (const void *)(uintptr_t)bits;
}

/* Returns the size of a text or of a set of CPUs. */
static size_t flat_size(uint8_t type, const void *value)
{
	const struct ctprof_text *text = value;
	const struct ctprof_cpus *cpus = value;

	if (type == CTPROF_TYPE_TEXT)
		return offsetof(struct ctprof_text, bytes) + text->length + 1;
	return offsetof(struct ctprof_cpus, cpus) + cpus->n * sizeof cpus->cpus[0];
}

static bool entries_equal(const struct ctprof_map_entry *a, const struct ctprof_map_entry *b)
{
	return a->key_len == b->key_len && a->text_len == b->text_len && a->number == b->number &&
	       !a->text == !b->text && memcmp(a->key, b->key, a->key_len) == 0 &&
	       (!a->text || memcmp(a->text, b->text, a->text_len) == 0);
}

static bool maps_equal(const struct ctprof_map *a, const struct ctprof_map *b)
{
	uint64_t i = 0;

	while (a->n == b->n && i < a->n && entries_equal(&a->entries[i], &b->entries[i]))
		i++;
	return a->n == b->n && i == a->n;
}

static bool values_equal(uint8_t type, const void *a, const void *b)
{
	if (type == CTPROF_TYPE_MAP)
		return maps_equal(a, b);
	size_t size = flat_size(type, a);
	return size == flat_size(type, b) && memcmp(a, b, size) == 0;
}

static char *copy_bytes(char **at, const char *bytes, size_t len)
{
	char *copy = *at;

	memcpy(copy, bytes, len);
	copy[len] = '\0';
	*at += len + 1;
	return copy;
}

/* Copies a map into a single block of memory: the map, then the texts of its entries. */
static struct ctprof_map *copy_map(const struct ctprof_map *map)
{
	size_t head = offsetof(struct ctprof_map, entries) + map->n * sizeof map->entries[0];
	size_t size = head;

	for (uint64_t i = 0; i < map->n; i++)
		size += (size_t)map->entries[i].key_len + map->entries[i].text_len + 2;
	struct ctprof_map *copy = malloc(size);
	if (!copy)
		return NULL;
	memcpy(copy, map, head);
	char *at = (char *)copy + head;
	for (uint64_t i = 0; i < map->n; i++) {
		struct ctprof_map_entry *entry = &copy->entries[i];

		entry->key = copy_bytes(&at, entry->key, entry->key_len);
		if (entry->text)
			entry->text = copy_bytes(&at, entry->text, entry->text_len);
	}
	return copy;
}

static void *copy_value(uint8_t type, const void *value)
{
	if (type == CTPROF_TYPE_MAP)
		return copy_map(value);
	size_t size = flat_size(type, value);
	void *copy = malloc(size);
	return copy ? memcpy(copy, value, size) : NULL;
}

static void drop_value(const struct kept_rows *rows, struct kept_row *row, uint32_t slot)
{
	if (row->states[slot] == CTPROF_PRESENT && is_pointer(rows->types[slot]))
		free((void *)(uintptr_t)row->values[slot]);
}

int kept_set(const struct kept_rows *rows, struct kept_row *row, uint32_t slot, uint8_t state,
	     uint64_t bits)
{
	if (state == CTPROF_PRESENT && is_pointer(rows->types[slot])) {
		void *copy = copy_value(rows->types[slot], pointer(bits));

		if (!copy)
			return -ENOMEM;
		bits = (uintptr_t)copy;
	}
	drop_value(rows, row, slot);
	row->states[slot] = state;
	row->values[slot] = bits;
	return 0;
}

int kept_compare(const struct kept_rows *rows, const struct kept_row *row, const uint64_t *values,
		 const uint8_t *states, uint8_t *ret_changed)
{
	int n = 0;

	for (uint32_t i = 0; i < rows->n_slots; i++) {
		ret_changed[i] = states[i] != row->states[i] ||
				 (states[i] == CTPROF_PRESENT && values[i] != row->values[i] &&
				  (!is_pointer(rows->types[i]) ||
				   !values_equal(rows->types[i], pointer(values[i]),
						 pointer(row->values[i]))));
		n += ret_changed[i];
	}
	return n;
}

int kept_update(const struct kept_rows *rows, struct kept_row *row, const uint64_t *values,
		const uint8_t *states, const uint8_t *changed)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < rows->n_slots; i++)
		if (changed[i])
			r = kept_set(rows, row, i, states[i], values[i]);
	return r;
}

static int compare_entries(const void *a, const void *b)
{
	const struct ctprof_map_entry *x = a;
	const struct ctprof_map_entry *y = b;
	uint32_t least = x->key_len < y->key_len ? x->key_len : y->key_len;
	int order = memcmp(x->key, y->key, least);

	return order ? order : (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

/* Equal keys stay in the order they were read: their addresses ascend. */
static int compare_in_order(const void *a, const void *b)
{
	const struct ctprof_map_entry *x = a;
	const struct ctprof_map_entry *y = b;
	int order = compare_entries(a, b);

	return order ? order : (x->key > y->key) - (x->key < y->key);
}

static bool is_ascending(const struct ctprof_map_entry *entries, size_t n)
{
	size_t i = 1;

	while (i < n && compare_entries(&entries[i - 1], &entries[i]) < 0)
		i++;
	return i >= n;
}

/* Repeated keys can arise from bytes that are not UTF-8. */
size_t kept_order_entries(struct ctprof_map_entry *entries, size_t n)
{
	size_t kept = 0;

	if (is_ascending(entries, n))
		return n;
	qsort(entries, n, sizeof *entries, compare_in_order);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || compare_entries(&entries[i], &entries[i + 1]) != 0)
			entries[kept++] = entries[i];
	return kept;
}

/* ---- rows ----------------------------------------------------------------- */

int kept_set_type(struct kept_rows *rows, uint32_t slot, uint32_t type)
{
	if (slot >= rows->n_slots) {
		uint8_t *types = realloc(rows->types, (size_t)slot + 1);

		if (!types)
			return -ENOMEM;
		memset(types + rows->n_slots, 0, slot + 1 - rows->n_slots);
		rows->types = types;
		rows->n_slots = slot + 1;
	}
	rows->types[slot] = (uint8_t)type;
	return 0;
}

static uint32_t hash_bytes(uint32_t hash, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 0x01000193u;
	return hash;
}

static uint32_t hash_of(const struct ctprof_target *target, uint32_t nth)
{
	uint32_t hash = 0x811c9dc5u ^ (uint32_t)target->tid * 0x9e3779b1u ^
			(uint32_t)target->tgid * 0x85ebca6bu ^ nth * 0xc2b2ae35u;

	if (target->path)
		hash = hash_bytes(hash, target->path, target->path_len);
	if (target->group)
		hash = hash_bytes(hash, target->group, strlen(target->group));
	return hash ^ hash >> 16;
}

static bool row_is_of_target(const struct kept_row *row, const struct ctprof_target *target,
			     uint32_t nth)
{
	const struct ctprof_target *own = &row->target;

	return row->nth == nth && own->tid == target->tid && own->tgid == target->tgid &&
	       own->path_len == target->path_len &&
	       (target->path_len == 0 || memcmp(own->path, target->path, own->path_len) == 0) &&
	       !own->group == !target->group &&
	       (!own->group || strcmp(own->group, target->group) == 0);
}

struct kept_row *kept_find(const struct kept_rows *rows, const struct ctprof_target *target,
			   uint32_t nth)
{
	struct kept_row *row = NULL;

	if (rows->n_buckets > 0)
		row = rows->buckets[hash_of(target, nth) & (rows->n_buckets - 1)];
	while (row && !row_is_of_target(row, target, nth))
		row = row->next;
	return row;
}

static void link_row(struct kept_rows *rows, struct kept_row *row)
{
	struct kept_row **bucket = &rows->buckets[row->hash & (rows->n_buckets - 1)];

	row->next = *bucket;
	*bucket = row;
}

static bool grow_buckets(struct kept_rows *rows)
{
	uint32_t n = rows->n_buckets > 0 ? rows->n_buckets * 2 : FIRST_BUCKETS;
	struct kept_row **buckets = reallocarray(rows->buckets, n, sizeof(struct kept_row *));

	if (!buckets)
		return false;
	rows->buckets = buckets;
	rows->n_buckets = n;
	memset((void *)buckets, 0, n * sizeof(struct kept_row *));
	for (size_t i = 0; i < rows->n; i++)
		link_row(rows, rows->rows[i]);
	return true;
}

static void free_row(const struct kept_rows *rows, struct kept_row *row)
{
	for (uint32_t i = 0; i < rows->n_slots; i++)
		drop_value(rows, row, i);
	free(row);
}

static struct kept_row *make_row(const struct kept_rows *rows, const struct ctprof_target *target,
				 uint32_t nth)
{
	size_t size = sizeof(struct kept_row) + rows->n_slots * (sizeof(uint64_t) + 1);
	struct kept_row *row = calloc(1, size + target->path_len + 1);

	if (!row)
		return NULL;
	row->states = (uint8_t *)(row->values + rows->n_slots);
	char *path = (char *)row->states + rows->n_slots;
	memset(row->states, CTPROF_ABSENT_UNSUPPORTED, rows->n_slots);
	row->target = (struct ctprof_target){
		.struct_size = sizeof row->target,
		.flags = target->flags,
		.tgid = target->tgid,
		.tid = target->tid,
		.task_fd = -1,
		.path_len = target->path_len,
		.path = target->path ? copy_bytes(&path, target->path, target->path_len) : NULL,
		.group = target->group,
	};
	row->nth = nth;
	row->hash = hash_of(target, nth);
	return row;
}

struct kept_row *kept_append(struct kept_rows *rows, const struct ctprof_target *target,
			     uint32_t nth)
{
	struct kept_row **more = array_room(rows->rows, rows->n, sizeof(struct kept_row *));

	if (more)
		rows->rows = more;
	if (!more || (rows->n >= rows->n_buckets && !grow_buckets(rows)))
		return NULL;
	struct kept_row *row = make_row(rows, target, nth);
	if (!row)
		return NULL;
	rows->rows[rows->n++] = row;
	rows->is_sorted = false;
	link_row(rows, row);
	row->sample = rows->sample;
	return row;
}

void kept_reset(const struct kept_rows *rows, struct kept_row *row)
{
	for (uint32_t i = 0; i < rows->n_slots; i++) {
		drop_value(rows, row, i);
		row->states[i] = CTPROF_ABSENT_UNSUPPORTED;
	}
}

int kept_take_nth(struct kept_rows *rows, const struct ctprof_target *target, uint32_t nth,
		  struct kept_row **ret_row, bool *ret_is_new)
{
	struct kept_row *row = kept_find(rows, target, nth);

	*ret_is_new = !row || row->sample == 0;
	if (!row)
		row = kept_append(rows, target, nth);
	else if (*ret_is_new)
		kept_reset(rows, row);
	if (!row)
		return -ENOMEM;
	row->sample = rows->sample;
	*ret_row = row;
	return 0;
}

int kept_take(struct kept_rows *rows, const struct ctprof_target *target, struct kept_row **ret_row,
	      bool *ret_is_new)
{
	const struct kept_row *row;
	uint32_t nth = 0;

	while (target->group && (row = kept_find(rows, target, nth)) && row->sample == rows->sample)
		if (++nth == KEPT_MAX_NTH)
			return -EINVAL;
	return kept_take_nth(rows, target, nth, ret_row, ret_is_new);
}

static void unlink_row(struct kept_rows *rows, const struct kept_row *row)
{
	struct kept_row **at = &rows->buckets[row->hash & (rows->n_buckets - 1)];

	while (*at != row)
		at = &(*at)->next;
	*at = row->next;
}

/* The array keeps its capacity, which may then exceed what array.h derives from n. */
void kept_sweep(struct kept_rows *rows, uint64_t since,
		void (*each)(void *context, const struct kept_row *row), void *context)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n; i++) {
		struct kept_row *row = rows->rows[i];

		if (row->sample >= since) {
			rows->rows[n++] = row;
			continue;
		}
		if (each)
			each(context, row);
		unlink_row(rows, row);
		free_row(rows, row);
	}
	rows->n = n;
}

void kept_clear(struct kept_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free_row(rows, rows->rows[i]);
	free(rows->rows);
	free(rows->buckets);
	rows->rows = NULL;
	rows->buckets = NULL;
	rows->n = 0;
	rows->n_buckets = 0;
}

void kept_rows_free(struct kept_rows *rows)
{
	kept_clear(rows);
	free(rows->types);
	*rows = (struct kept_rows){0};
}

void kept_free(struct kept *kept)
{
	for (size_t i = 0; i < KEPT_N_CLASSES; i++)
		kept_rows_free(&kept->of[i]);
}

void kept_begin(struct kept *kept)
{
	for (size_t i = 0; i < KEPT_N_CLASSES; i++)
		kept->of[i].sample++;
}

static int compare_rows(const void *a, const void *b)
{
	const struct ctprof_target *x = &(*(struct kept_row *const *)a)->target;
	const struct ctprof_target *y = &(*(struct kept_row *const *)b)->target;
	size_t least = x->path_len < y->path_len ? x->path_len : y->path_len;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	int order = least > 0 ? memcmp(x->path, y->path, least) : 0;

	return order ? order : (x->path_len > y->path_len) - (x->path_len < y->path_len);
}

void kept_sort(struct kept_rows *rows)
{
	size_t i = rows->is_sorted ? rows->n : 1;

	rows->is_sorted = true;
	while (i < rows->n && compare_rows(&rows->rows[i - 1], &rows->rows[i]) <= 0)
		i++;
	if (i < rows->n)
		qsort(rows->rows, rows->n, sizeof rows->rows[0], compare_rows);
}

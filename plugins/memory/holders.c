/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "holders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "hold.h"

/* ---- orders ------------------------------------------------------------ */

static struct text backing_text(const struct backing *backing)
{
	return (struct text){backing->label, backing->label_len};
}

static int by_pid(const void *a, const void *b)
{
	const struct holders_process *x = a, *y = b;

	return order_u64((uint64_t)x->pid, (uint64_t)y->pid);
}

static int by_identity(const void *a, const void *b)
{
	const struct holders_object *x = a, *y = b;

	return identity_order(&x->backing.identity, &y->backing.identity);
}

static int by_label(const void *a, const void *b)
{
	const struct holders_name *x = a, *y = b;

	return text_order(x->label, y->label);
}

static int by_process(const void *a, const void *b)
{
	const struct holders_mapping *x = a, *y = b;
	int order = by_pid(x->process, y->process);

	if (order == 0)
		order = identity_order(&x->backing.identity, &y->backing.identity);
	return order ? order : text_order(backing_text(&x->backing), backing_text(&y->backing));
}

/* Orders by size, the largest first, then by PID, so that the order of reading does not matter. */
static int by_pss(const void *a, const void *b)
{
	const struct consumer *x = a, *y = b;
	int order = order_u64(y->pss, x->pss);

	return order ? order : by_pid(x->process, y->process);
}

/* ---- freeing ----------------------------------------------------------- */

static void free_object(void *item)
{
	struct holders_object *object = item;

	free(object->backing.label);
	free(object->consumers);
	free(object);
}

static void free_mapping(void *item)
{
	struct holders_mapping *mapping = item;

	free(mapping->backing.label);
	free(mapping);
}

void holders_init(struct holders *ret, const struct ctprof_host *host, const struct mounts *mounts,
		  unsigned wanted)
{
	*ret = (struct holders){
		.mounts = mounts,
		.wanted = wanted,
		.processes.max = HOLDERS_RECORDS_MAX,
		.objects.max = HOLDERS_OBJECTS_MAX,
		.names.max = HOLDERS_OBJECTS_MAX,
		.mappings.max = HOLDERS_OBJECTS_MAX,
	};
	elsewhere_init(&ret->elsewhere, host);
	(void)pthread_mutex_init(&ret->lock, NULL);
}

void holders_clear(struct holders *holders)
{
	pool_clear(&holders->processes, free);
	pool_clear(&holders->objects, free_object);
	pool_clear(&holders->names, free);
	pool_clear(&holders->mappings, free_mapping);
	free(holders->by_object.at);
	free(holders->by_name.at);
	elsewhere_clear(&holders->elsewhere);
	(void)pthread_mutex_destroy(&holders->lock);
}

/* ---- limits ------------------------------------------------------------ */

static void note_failure(struct holders *holders, int error)
{
	if (error == -ENOMEM)
		holders->out_of_memory = true;
	holders->dropped++;
}

/* Adds the item to the pool, or frees it. */
static void *keep(struct holders *holders, struct pool *pool, void *item, list_order *order,
		  void (*free_item)(void *item))
{
	int result = item ? pool_add(pool, item, order) : -ENOMEM;

	if (result == 0)
		return item;
	note_failure(holders, result);
	if (item)
		free_item(item);
	return NULL;
}

static void record_swap(struct holders *holders, struct swap_records *records,
			struct swap_record record)
{
	if (record.bytes == 0)
		return;
	int result = list_reserve(&records->at, &records->room, records->n + 1, HOLDERS_RECORDS_MAX,
				  sizeof *records->at);
	if (result < 0)
		note_failure(holders, result);
	else
		records->at[records->n++] = record;
}

/* ---- adding ------------------------------------------------------------ */

static bool set_label(struct backing *backing, struct text label, enum object_kind kind)
{
	char *copy = malloc(label.len + 1);

	if (!copy)
		return false;
	if (label.len > 0)
		memcpy(copy, label.p, label.len);
	copy[label.len] = '\0';
	free(backing->label); /* lint: allow bare-free: the copy takes its place */
	backing->label = copy;
	backing->label_len = (uint32_t)label.len;
	backing->kind = kind;
	return true;
}

static void add_holding(struct backing *backing, const struct holding *holding)
{
	backing->present |= holding->present;
	backing->vmas = amount_sum(backing->vmas, holding->vmas);
	for (size_t i = 0; i < VMA_N_FIELDS; i++)
		backing->bytes[i] = amount_sum(backing->bytes[i], holding->bytes[i]);
}

/* Whether label is a better name for the object.  An object may be mapped under several names, and
 * a process with mounts of its own can choose one.  Therefore a name that ctprof sees takes
 * precedence; otherwise the smallest, so that the order of reading does not matter. */
static bool is_better_name(const struct holders *holders, const struct holders_object *object,
			   struct text label, int32_t pid)
{
	int order = object->backing.label ? text_order(label, backing_text(&object->backing)) : -1;

	if (!object->backing.label || order == 0)
		return order < 0;
	bool old = elsewhere_is_own_ns(&holders->elsewhere, object->labelled_by);
	bool new = elsewhere_is_own_ns(&holders->elsewhere, pid);
	return old == new ? order < 0 : new;
}

static struct holders_object *find_object(struct holders *holders, int32_t pid,
					  const struct fold *fold, const struct holding *holding)
{
	const struct holders_object key = {.backing.identity = holding->identity};
	struct holders_object *object = pool_find(&holders->objects, &key, by_identity);

	if (!object) {
		object = calloc(1, sizeof *object);
		if (object)
			object->backing.identity = holding->identity;
		object = keep(holders, &holders->objects, object, by_identity, free_object);
	}
	if (object && is_better_name(holders, object, fold_label(fold, holding), pid)) {
		object->labelled_by = pid;
		if (!set_label(&object->backing, fold_label(fold, holding), holding->kind))
			note_failure(holders, -ENOMEM);
	}
	return object;
}

static void add_consumer(struct holders *holders, struct holders_object *object,
			 struct consumer consumer)
{
	size_t max = holders->n_consumers < HOLDERS_RECORDS_MAX ? HOLDERS_CONSUMERS_MAX
								: HOLDERS_CONSUMERS_LEAST;
	uint32_t last = 0;
	int result = list_reserve(&object->consumers, &object->room_consumers,
				  object->n_consumers + 1, max, sizeof *object->consumers);

	if (result == 0) {
		object->consumers[object->n_consumers++] = consumer;
		holders->n_consumers++;
	} else if (result == -ENOMEM)
		note_failure(holders, result);
	if (result != -ENOSPC)
		return;
	for (uint32_t i = 1; i < object->n_consumers; i++)
		if (by_pss(&object->consumers[i], &object->consumers[last]) > 0)
			last = i;
	if (by_pss(&consumer, &object->consumers[last]) < 0)
		object->consumers[last] = consumer;
}

static void add_object(struct holders *holders, struct holders_process *process,
		       const struct fold *fold, const struct holding *holding)
{
	struct holders_object *object = find_object(holders, process->pid, fold, holding);

	if (!object)
		return;
	add_holding(&object->backing, holding);
	object->processes++;
	add_consumer(holders, object, (struct consumer){process, holding->bytes[VMA_PSS]});
	if (!(holders->wanted & FOLD_BY_NAME))
		return;
	object->swap_sum = amount_sum(object->swap_sum, holding->shared_swap);
	if (holding->shared_swap > object->swap_max)
		object->swap_max = holding->shared_swap;
	record_swap(holders, &holders->by_object,
		    (struct swap_record){process, object, holding->shared_swap});
}

static void add_mapping(struct holders *holders, const struct holders_process *process,
			const struct fold *fold, const struct holding *holding)
{
	struct holders_mapping *mapping = calloc(1, sizeof *mapping);

	if (mapping) {
		mapping->process = process;
		mapping->backing.identity = holding->identity;
		add_holding(&mapping->backing, holding);
	}
	if (mapping && !set_label(&mapping->backing, fold_label(fold, holding), holding->kind)) {
		free_mapping(mapping);
		mapping = NULL;
	}
	(void)keep(holders, &holders->mappings, mapping, by_process, free_mapping);
}

static struct holders_name *find_name(struct holders *holders, struct text label)
{
	const struct holders_name key = {.label = label};
	struct holders_name *name = pool_find(&holders->names, &key, by_label);

	if (name)
		return name;
	name = calloc(1, sizeof *name + label.len);
	if (name) {
		char *bytes = (char *)(name + 1);

		memcpy(bytes, label.p, label.len);
		name->label = (struct text){bytes, label.len};
	}
	return keep(holders, &holders->names, name, by_label, free);
}

static void add_names(struct holders *holders, struct holders_process *process,
		      const struct fold *fold)
{
	for (uint32_t i = 0; i < fold->n_named; i++) {
		const struct named_swap *named = &fold->named[i];
		const struct text label = {fold->labels + named->label, named->label_len};
		struct holders_name *name = find_name(holders, label);

		if (!name)
			continue;
		name->vmas++;
		record_swap(holders, &holders->by_name,
			    (struct swap_record){process, name, named->bytes});
	}
}

/* Returns the kind of an object's file system, from the mounts that ctprof sees or else from those
 * of the process that maps it, which are read at most once per process. */
static enum mount_kind find_mount(struct holders *holders, const struct identity *identity,
				  int32_t pid, bool *has_learned)
{
	struct elsewhere *elsewhere = &holders->elsewhere;
	uint32_t major = identity->major, minor = identity->minor;
	enum mount_kind kind = mounts_kind_of_device(holders->mounts, major, minor);

	if (kind != MOUNT_UNKNOWN || !identity_is_object(identity))
		return kind;
	kind = elsewhere_kind_of_device(elsewhere, major, minor);
	if (kind != MOUNT_UNKNOWN || *has_learned)
		return kind;
	*has_learned = true;
	elsewhere_learn(elsewhere, pid);
	return elsewhere_kind_of_device(elsewhere, major, minor);
}

static void classify_all(struct holders *holders, int32_t pid, struct fold *fold)
{
	bool has_learned = false;

	for (uint32_t i = 0; i < fold->n; i++) {
		struct holding *holding = &fold->holdings[i];
		enum mount_kind mount = find_mount(holders, &holding->identity, pid, &has_learned);

		holding->kind = classify_mapping(holders->mounts, mount, fold_label(fold, holding));
	}
}

static struct holders_process *copy_process(struct holders *holders,
					    const struct holders_process *process)
{
	int result = pool_add_copy(&holders->processes, process, sizeof *process, by_pid);

	if (result == 0)
		return pool_find(&holders->processes, process, by_pid);
	/* Two equal PIDs would mean that a process was read twice, but the walk returns each
	 * once. */
	if (result != -EEXIST)
		note_failure(holders, result);
	return NULL;
}

static bool is_kept(const struct holding *holding, enum holders_choice choice)
{
	if (choice != HOLDERS_AREAS)
		return choice == HOLDERS_MAPPINGS;
	return !identity_is_object(&holding->identity) &&
	       (holding->bytes[VMA_RSS] > 0 || holding->bytes[VMA_SWAP] > 0);
}

void holders_add(struct holders *holders, const struct holders_process *process, struct fold *fold,
		 enum holders_choice choice)
{
	classify_all(holders, process->pid, fold);
	HOLD(&holders->lock);
	struct holders_process *kept = copy_process(holders, process);
	if (!kept)
		return;
	for (uint32_t i = 0; i < fold->n; i++) {
		const struct holding *holding = &fold->holdings[i];

		if (identity_is_object(&holding->identity))
			add_object(holders, kept, fold, holding);
		if (is_kept(holding, choice))
			add_mapping(holders, kept, fold, holding);
	}
	if (holders->wanted & FOLD_BY_NAME)
		add_names(holders, kept, fold);
}

void holders_miss(struct holders *holders)
{
	HOLD(&holders->lock);
	holders->unreadable++;
}

/* ---- settling ---------------------------------------------------------- */

static void share_swap(struct holders *holders)
{
	for (size_t i = 0; i < holders->by_object.n; i++) {
		const struct swap_record *record = &holders->by_object.at[i];
		const struct holders_object *object = record->of;
		/* At most swap_max, since bytes is part of swap_sum. */
		uint64_t share = (uint64_t)((unsigned __int128)record->bytes * object->swap_max /
					    object->swap_sum);

		record->process->swap_by_object =
			amount_sum(record->process->swap_by_object, share);
	}
	for (size_t i = 0; i < holders->by_name.n; i++) {
		const struct swap_record *record = &holders->by_name.at[i];
		const struct holders_name *name = record->of;

		record->process->swap_by_name =
			amount_sum(record->process->swap_by_name, record->bytes / name->vmas);
	}
}

void holders_settle(struct holders *holders)
{
	HOLD(&holders->lock);
	pool_sort(&holders->processes, by_pid);
	pool_sort(&holders->objects, by_identity);
	pool_sort(&holders->mappings, by_process);
	for (size_t i = 0; i < holders->objects.n; i++) {
		struct holders_object *object = holders->objects.items[i];

		if (object->n_consumers > 1)
			qsort(object->consumers, object->n_consumers, sizeof *object->consumers,
			      by_pss);
	}
	share_swap(holders);
}

uint64_t holders_sum_pss(const struct holders *holders, enum object_kind kind)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < holders->objects.n; i++) {
		const struct holders_object *object = holders->objects.items[i];

		if (object->backing.kind == kind)
			sum = amount_sum(sum, object->backing.bytes[VMA_PSS]);
	}
	return sum;
}

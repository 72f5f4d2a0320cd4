/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record.h"

#include <string.h>

#define BITS_PER_WORD 64
#define KIB 1024

guint record_key_hash(gconstpointer key)
{
	const RecordKey *k = key;
	guint64 hash = k->start ^ (guint64)(guint32)k->tid << 32;

	for (guint i = 0; i < KEY_NAMES; i++)
		hash = (hash ^ (guint64)(uintptr_t)k->names[i]) * 0x9e3779b97f4a7c15u;
	return (guint)(hash >> 32);
}

gboolean record_key_equal(gconstpointer a, gconstpointer b)
{
	const RecordKey *x = a, *y = b;

	return x->tid == y->tid && x->start == y->start &&
	       memcmp(x->names, y->names, sizeof x->names) == 0;
}

gint record_key_compare(const RecordKey *a, const RecordKey *b)
{
	for (guint i = 0; i < KEY_NAMES; i++) {
		int order = g_strcmp0(a->names[i], b->names[i]);

		if (order != 0)
			return order;
	}
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (a->start > b->start) - (a->start < b->start);
}

static gboolean has_bit(const Record *record, guint bit)
{
	return (record->words[bit / BITS_PER_WORD] >> bit % BITS_PER_WORD) & 1;
}

static void set_bit(Record *record, guint bit)
{
	record->words[bit / BITS_PER_WORD] |= (guint64)1 << bit % BITS_PER_WORD;
}

static void clear_bit(Record *record, guint bit)
{
	record->words[bit / BITS_PER_WORD] &= ~((guint64)1 << bit % BITS_PER_WORD);
}

static const Binding *binding_at(const Layout *layout, guint i)
{
	return &g_array_index(layout->bindings, Binding, i);
}

static guint64 *cells_of(Record *record, const Layout *layout, const Binding *binding)
{
	return record->words + layout->n_words + binding->cell;
}

/* Whether a record's value owns memory: only then it has to be given back. */
static void record_clear(Record *record, const Layout *layout)
{
	for (guint i = 0; i < layout->bindings->len; i++) {
		const Binding *binding = binding_at(layout, i);

		if (binding->measure->fold->clear && has_bit(record, i))
			binding->measure->fold->clear(cells_of(record, layout, binding));
	}
}

void record_set_init(RecordSet *set, const Layout *layout)
{
	set->layout = layout;
	set->by_key = g_hash_table_new(record_key_hash, record_key_equal);
}

void record_set_clear(RecordSet *set)
{
	GHashTableIter iter;
	gpointer record;

	if (!set->by_key)
		return;
	g_hash_table_iter_init(&iter, set->by_key);
	while (g_hash_table_iter_next(&iter, NULL, &record)) {
		record_clear(record, set->layout);
		g_free(record);
	}
	g_clear_pointer(&set->by_key, g_hash_table_unref);
}

Record *record_set_find(const RecordSet *set, const RecordKey *key)
{
	return set->by_key ? g_hash_table_lookup(set->by_key, key) : NULL;
}

Record *record_set_take(RecordSet *set, const RecordKey *key)
{
	Record *record = g_hash_table_lookup(set->by_key, key);

	if (record)
		return record;
	record = g_malloc0(sizeof *record +
			   (set->layout->n_words + set->layout->n_cells) * sizeof record->words[0]);
	record->key = *key;
	record->place = g_hash_table_size(set->by_key);
	g_hash_table_insert(set->by_key, &record->key, record);
	return record;
}

static gint compare_records(gconstpointer a, gconstpointer b)
{
	const Record *x = *(const Record *const *)a, *y = *(const Record *const *)b;

	return record_key_compare(&x->key, &y->key);
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
	const Record *x = *(const Record *const *)a, *y = *(const Record *const *)b;

	return (x->place > y->place) - (x->place < y->place);
}

static GPtrArray *list_records(const RecordSet *set, GCompareFunc compare)
{
	GPtrArray *records = g_ptr_array_new();
	GHashTableIter iter;
	gpointer record;

	if (!set->by_key)
		return records;
	g_hash_table_iter_init(&iter, set->by_key);
	while (g_hash_table_iter_next(&iter, NULL, &record))
		g_ptr_array_add(records, record);
	g_ptr_array_sort(records, compare);
	return records;
}

GPtrArray *record_set_sorted(const RecordSet *set)
{
	return list_records(set, compare_records);
}

GPtrArray *record_set_arrived(const RecordSet *set)
{
	return list_records(set, compare_places);
}

void record_add(Record *record, const Layout *layout, Store *store, const struct ctprof_rows *rows,
		guint64 i, guint64 start)
{
	const guint64 *values = rows->values + i * rows->n_slots;
	const guint8 *states = rows->states + i * rows->n_slots;

	record->n++;
	if (start > 0) {
		record->n_starts++;
		record->starts = fold_add_saturated(record->starts, start);
	}
	for (guint b = 0; b < layout->bindings->len; b++) {
		const Binding *binding = binding_at(layout, b);

		if (states[binding->slot] != CTPROF_PRESENT)
			continue;
		binding->measure->fold->add(store, cells_of(record, layout, binding),
					    !has_bit(record, b), values[binding->slot]);
		set_bit(record, b);
	}
}

/* One value of record_merge(). */
static void merge_value(Record *record, const Layout *layout, Record *from, guint bit)
{
	const Binding *binding = binding_at(layout, bit);
	const Fold *fold = binding->measure->fold;
	guint64 *cells = cells_of(record, layout, binding);

	if (has_bit(from, bit) && (has_bit(record, bit) || !binding->measure->strict)) {
		fold->merge(cells, !has_bit(record, bit), cells_of(from, layout, binding));
		set_bit(record, bit);
		clear_bit(from, bit);
	} else if (!has_bit(from, bit) && has_bit(record, bit) && binding->measure->strict) {
		if (fold->clear)
			fold->clear(cells);
		clear_bit(record, bit);
	}
}

void record_merge(Record *record, const Layout *layout, Record *from)
{
	record->n += from->n;
	record->n_starts += from->n_starts;
	record->starts = fold_add_saturated(record->starts, from->starts);
	for (guint b = 0; b < layout->bindings->len; b++)
		merge_value(record, layout, from, b);
}

static void finish_number(const Measure *measure, struct ctprof_value *value)
{
	if (value->type != CTPROF_VALUE_NUMBER)
		return;
	if ((measure->flags & CTPROF_METRIC_UNLIMITED) && value->number == G_MAXUINT64)
		value->type = CTPROF_VALUE_UNLIMITED;
	else if (measure->unit == CTPROF_UNIT_KIB)
		value->number = fold_multiply_saturated(value->number, KIB);
}

void record_value(const Record *record, const Layout *layout, const Measure *measure,
		  struct ctprof_value *ret_value)
{
	*ret_value = (struct ctprof_value){.struct_size = sizeof *ret_value};
	if (!record)
		return;
	if (!measure->fold) {
		ret_value->type = CTPROF_VALUE_NUMBER;
		ret_value->number = record->n;
		return;
	}
	gint bit = layout_find(layout, measure);
	if (bit < 0 || !has_bit(record, (guint)bit) || !measure->fold->value)
		return;
	const Binding *binding = binding_at(layout, (guint)bit);
	measure->fold->value(record->words + layout->n_words + binding->cell, ret_value);
	finish_number(measure, ret_value);
}

const GArray *record_map(const Record *record, const Layout *layout, const Measure *measure)
{
	gint bit = record && measure ? layout_find(layout, measure) : -1;

	if (bit < 0 || !has_bit(record, (guint)bit))
		return NULL;
	return fold_map_items(record->words + layout->n_words +
			      binding_at(layout, (guint)bit)->cell);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record.h"

#include <string.h>

#include "frame/units.h"

/* One byte per value: why no row has it, or that all rows have it. */
static guint8 *states_of(Record *record)
{
	return (guint8 *)record->words;
}

static Coverage coverage_at(const Record *record, guint i)
{
	guint8 state = ((const guint8 *)record->words)[i];
	Coverage coverage = {.n = 0};

	if (record->coverages)
		return record->coverages[i];
	coverage_add(&coverage, state, record->n);
	return coverage;
}

static gboolean has_value(const Record *record, guint i)
{
	if (record->coverages)
		return record->coverages[i].n > 0;
	return record->n > 0 && ((const guint8 *)record->words)[i] == CTPROF_PRESENT;
}

static const Binding *binding_at(const Layout *layout, guint i)
{
	return &g_array_index(layout->bindings, Binding, i);
}

static guint64 *cells_of(Record *record, const Binding *binding)
{
	return record->words + record->layout->n_words + binding->cell;
}

/* Frees the memory owned by a record's values. */
static void record_clear(Record *record)
{
	for (guint i = 0; i < record->layout->bindings->len; i++) {
		const Binding *binding = binding_at(record->layout, i);

		if (binding->measure->fold->clear && has_value(record, i))
			binding->measure->fold->clear(cells_of(record, binding));
	}
	g_clear_pointer(&record->coverages, g_free);
}

void record_set_init(RecordSet *set, const Layout *layout)
{
	set->layout = layout;
	set->by_key = g_hash_table_new(record_key_hash, record_key_equal);
	set->arena = arena_new();
}

void record_set_clear(RecordSet *set)
{
	GHashTableIter iter;
	gpointer record;

	if (!set->by_key)
		return;
	g_hash_table_iter_init(&iter, set->by_key);
	while (g_hash_table_iter_next(&iter, NULL, &record))
		record_clear(record);
	g_clear_pointer(&set->by_key, g_hash_table_unref);
	g_clear_pointer(&set->arena, arena_free);
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
	gsize size = sizeof *record +
		     (set->layout->n_words + set->layout->n_cells) * sizeof record->words[0];
	record = arena_take(set->arena, size);
	memset(record, 0, size);
	record->key = *key;
	record->layout = set->layout;
	record->place = g_hash_table_size(set->by_key);
	g_hash_table_insert(set->by_key, &record->key, record);
	return record;
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
	return list_records(set, record_key_compare_owners);
}

GPtrArray *record_set_arrived(const RecordSet *set)
{
	return list_records(set, compare_places);
}

/* From here on, rows may lack different values.  The first n_noted values of a
 * row that is not yet counted have already been noted. */
static void spread(Record *record, guint n_noted)
{
	guint n = record->layout->bindings->len;

	if (record->coverages)
		return;
	Coverage *coverages = g_new(Coverage, n);
	for (guint b = 0; b < n; b++) {
		coverages[b] = coverage_at(record, b);
		if (b < n_noted)
			coverage_add(&coverages[b], states_of(record)[b], 1);
	}
	record->coverages = coverages;
}

/* Notes that one more row has, or lacks, a value, before the row is counted. */
static void note(Record *record, guint b, guint8 state)
{
	guint8 *states = states_of(record);

	if (record->n == 0)
		states[b] = state;
	else if (!record->coverages && states[b] != state)
		spread(record, b);
	if (record->coverages)
		coverage_add(&record->coverages[b], state, 1);
}

void record_add(Record *record, Store *store, const struct ctprof_rows *rows, guint64 i,
		guint64 start)
{
	const Layout *layout = record->layout;
	const guint64 *values = rows->values + i * rows->n_slots;
	const guint8 *states = rows->states + i * rows->n_slots;
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	gboolean is_leader = target->tid == target->tgid;

	for (guint b = 0; b < layout->bindings->len; b++) {
		const Binding *binding = binding_at(layout, b);
		guint8 state = states[binding->slot];

		if (state == CTPROF_PRESENT)
			binding->measure->fold->add(store, cells_of(record, binding),
						    !has_value(record, b), values[binding->slot]);
		else if (!is_leader && binding->measure->of_process)
			state = CTPROF_ABSENT_INAPPLICABLE;
		if (record->n == 0 || record->coverages || states_of(record)[b] != state)
			note(record, b, state);
	}
	record->n++;
	if (start > 0) {
		record->n_starts++;
		record->starts = fold_add_saturated(record->starts, start);
	}
}

void record_miss(Record *record, const Measure *measure, guint32 why)
{
	gint place = layout_find(record->layout, measure);

	if (place < 0)
		return;
	spread(record, 0);
	coverage_add(&record->coverages[place], why, 1);
}

guint64 record_count(const Record *record)
{
	return record ? record->n - record->n_ghosts : 0;
}

static gboolean is_alike(Record *record, Record *from)
{
	return !record->coverages && !from->coverages &&
	       memcmp(states_of(record), states_of(from), record->layout->bindings->len) == 0;
}

static void merge_cells(const Fold *fold, guint64 *cells, gboolean first, guint64 *from)
{
	if (fold->merge)
		fold->merge(cells, first, from);
	else
		fold->add(NULL, cells, first, from[0]);
}

static void merge_coverage(Coverage *coverage, Record *from, guint b)
{
	if (from->coverages)
		coverage_merge(coverage, &from->coverages[b]);
	else
		coverage_add(coverage, states_of(from)[b], from->n);
}

void record_merge(Record *record, Record *from)
{
	if (!is_alike(record, from))
		spread(record, 0);
	for (guint b = 0; b < record->layout->bindings->len; b++) {
		const Binding *binding = binding_at(record->layout, b);

		if (has_value(from, b))
			merge_cells(binding->measure->fold, cells_of(record, binding),
				    !has_value(record, b), cells_of(from, binding));
		if (record->coverages)
			merge_coverage(&record->coverages[b], from, b);
	}
	record->n += from->n;
	record->n_ghosts += from->n_ghosts;
	record->n_short += from->n_short;
	record->short_ns = fold_add_saturated(record->short_ns, from->short_ns);
	record->n_starts += from->n_starts;
	record->starts = fold_add_saturated(record->starts, from->starts);
	/* The memory of its cells belongs to the other record now. */
	from->n = 0;
	g_clear_pointer(&from->coverages, g_free);
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

/* Returns the index of a measure's value; -1: that side does not have it. */
static gint find_place(const Record *record, const Measure *measure)
{
	return record && measure ? layout_find(record->layout, measure) : -1;
}

static const guint64 *cells_at(const Record *record, guint place)
{
	return record->words + record->layout->n_words + binding_at(record->layout, place)->cell;
}

/* Returns the cells of a measure of that kind; NULL: no row has a value. */
static const guint64 *find_cells(const Record *record, const Measure *measure, guint32 kind)
{
	gint place = find_place(record, measure);

	return place >= 0 && measure->kind == kind && has_value(record, (guint)place)
		       ? cells_at(record, (guint)place)
		       : NULL;
}

void record_value(const Record *record, const Measure *measure, struct ctprof_value *ret_value)
{
	*ret_value = (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
	if (record && !measure->fold) {
		*ret_value = value_of_number(record_count(record));
		return;
	}
	gint found = find_place(record, measure);
	if (found < 0 || !measure->fold->value)
		return;
	guint place = (guint)found;
	gboolean is_there = has_value(record, place);
	if (is_there) {
		measure->fold->value(cells_at(record, place), ret_value);
		finish_number(measure, ret_value);
	}
	/* A shortcut for the usual case, a complete value: this is called once per line. */
	if (is_there && !record->coverages) {
		ret_value->n = record->n;
		return;
	}
	const Coverage coverage = coverage_at(record, place);
	coverage_apply(&coverage, ret_value);
}

const GArray *record_map(const Record *record, const Measure *measure, Coverage *ret_coverage)
{
	gint place = find_place(record, measure);

	if (ret_coverage)
		*ret_coverage = place < 0 ? (Coverage){.n = 0} : coverage_at(record, (guint)place);
	return place >= 0 && has_value(record, (guint)place)
		       ? fold_map_items(cells_at(record, (guint)place))
		       : NULL;
}

const Histogram *record_histogram(const Record *record, const Measure *measure)
{
	const guint64 *cells = find_cells(record, measure, CTPROF_HISTOGRAM);

	return cells ? fold_histogram(cells) : NULL;
}

GArray *record_modes(const Record *record, const Measure *measure)
{
	const guint64 *cells = find_cells(record, measure, CTPROF_CATEGORY);

	return cells ? fold_list_modes(cells) : NULL;
}

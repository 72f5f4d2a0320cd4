/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A section for each slot group of objects. */
#include <string.h>

#include "choices.h"

/* A metric of an object, which may become a line. */
typedef struct entry {
	const Pair *pair;
	const Figure *figure;
	Standing at; /* place: its position in the order of the source */
} Entry;

/* Lists both sides' objects by key: those that match --filter, in the order of the sources; those
 * that only the candidate has come last. */
static GPtrArray *list_pairs(const Draft *draft, Pairs *pairs)
{
	GPtrArray *list = draft_pairs(draft, TABLE_OBJECTS, pairs);
	guint n = 0;

	for (guint i = 0; i < list->len; i++) {
		const Pair *pair = g_ptr_array_index(list, i);

		if (view_matches(draft->view, &pair->key.names[OBJECT_NAME], 1))
			list->pdata[n++] = list->pdata[i];
	}
	g_ptr_array_set_size(list, (gint)n);
	return list;
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
	return standing_compare(&((const Entry *)a)->at, &((const Entry *)b)->at);
}

/* An object that only one side has was added or removed: its values on the other
 * side count as 0, and values that are 0 get no row.  FALSE: the value is 0. */
static gboolean fill_lacking(const Pair *pair, struct ctprof_value values[SIDES])
{
	for (guint side = 0; side < SIDES; side++) {
		struct ctprof_value *other = &values[!side];

		if (pair->sides[side] || other->type != CTPROF_VALUE_NUMBER)
			continue;
		values[side] = *other;
		values[side].number = 0;
		return other->number > 0;
	}
	return TRUE;
}

/* Determines a line's position in compare: the largest change first.  FALSE: no side has a value,
 * or the filters hide it. */
static gboolean place_change(const Draft *draft, Entry *entry)
{
	const struct ctprof_report_field *field = &entry->figure->field;
	struct ctprof_value values[SIDES];
	struct ctprof_cell change;

	pair_values(entry->pair->sides, entry->figure->measure, values);
	if (values[0].type == CTPROF_VALUE_ABSENT && values[1].type == CTPROF_VALUE_ABSENT)
		return FALSE;
	if (!fill_lacking(entry->pair, values))
		return FALSE;
	view_change(draft->view, values, field, &change);
	change_classify(&change, field->ladder, draft->view->window, &entry->at);
	return change_passes(&change, field->ladder, &draft->view->filter);
}

/* Returns the size of an object: its first figure. */
static gdouble size_of(const Pair *pair, const Figure *first)
{
	struct ctprof_value values[SIDES];
	gdouble size = -1;

	pair_values(pair->sides, first->measure, values);
	(void)value_to_number(&values[0], &size);
	return size;
}

/* Whether any of the objects has a value of the figure. */
static gboolean is_known(const GPtrArray *pairs, const ObjectGroup *group, const Figure *figure)
{
	struct ctprof_value values[SIDES];

	for (guint i = 0; i < pairs->len; i++) {
		const Pair *pair = g_ptr_array_index(pairs, i);

		if (pair->key.names[OBJECT_GROUP] != group->name)
			continue;
		pair_values(pair->sides, figure->measure, values);
		for (guint side = 0; side < SIDES; side++)
			if (values[side].type != CTPROF_VALUE_ABSENT)
				return TRUE;
	}
	return FALSE;
}

static GPtrArray *list_figures(const Draft *draft, const GPtrArray *pairs, const ObjectGroup *group)
{
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < draft->object_figures->len; i++) {
		Figure *figure = &g_array_index(draft->object_figures, Figure, i);

		if (strcmp(figure->measure->group, group->name) == 0 &&
		    plan_names(draft->plan, figure->field.name) && is_known(pairs, group, figure))
			g_ptr_array_add(list, figure);
	}
	return list;
}

/* Adds an object's entries: in compare, one for each visible change; in show, a single one, the
 * largest object first if the group has kinds. */
static void add_object(const Draft *draft, const ObjectGroup *group, const GPtrArray *figures,
		       const Pair *pair, guint place, GArray *entries)
{
	gboolean compare = draft->view->compare;

	for (guint i = 0; i < (compare ? figures->len : 1); i++) {
		Entry entry = {
			.pair = pair,
			.figure = g_ptr_array_index(figures, i),
			.at = {.place = place, .figure = i},
		};

		if (!compare && group->sorted)
			entry.at.points = size_of(pair, entry.figure);
		if (!compare || place_change(draft, &entry))
			g_array_append_val(entries, entry);
	}
}

static void put_entry(const Draft *draft, Table *table, const GPtrArray *figures,
		      const Entry *entry)
{
	const char *const *name = &entry->pair->key.names[OBJECT_NAME];
	struct ctprof_value values[SIDES];

	if (draft->view->compare) {
		pair_values(entry->pair->sides, entry->figure->measure, values);
		draft_metric(draft, table, name, 1, &entry->figure->field, values);
		return;
	}
	struct ctprof_cell *cells = table_named_line(table, name, 1);
	for (guint i = 0; i < figures->len; i++) {
		const Figure *figure = g_ptr_array_index(figures, i);

		pair_values(entry->pair->sides, figure->measure, values);
		view_cell(draft->view, values, &figure->field, &cells[i]);
	}
}

static void draft_group(const Draft *draft, const GPtrArray *pairs, const ObjectGroup *group)
{
	g_autoptr(GPtrArray) figures = list_figures(draft, pairs, group);
	g_autoptr(GArray) entries = g_array_new(FALSE, FALSE, sizeof(Entry));

	if (figures->len == 0)
		return;
	for (guint i = 0; i < pairs->len; i++) {
		const Pair *pair = g_ptr_array_index(pairs, i);

		if (pair->key.names[OBJECT_GROUP] == group->name)
			add_object(draft, group, figures, pair, i, entries);
	}
	g_array_sort(entries, compare_entries);
	Table *table = draft->view->compare ? draft_long(draft, group->name, group->name, "object")
					    : draft_wide(draft, group->name, group->name, "object");
	for (guint i = 0; !draft->view->compare && i < figures->len; i++)
		table_take_field(table, &((Figure *)g_ptr_array_index(figures, i))->field);
	for (guint i = 0; i < entries->len; i++)
		put_entry(draft, table, figures, &g_array_index(entries, Entry, i));
	draft_close(draft, table);
}

void objects_draft(const Draft *draft)
{
	const GArray *groups = draft->intake->objects;
	g_autoptr(GHashTable) by_key = pairs_new();
	g_autoptr(GPtrArray) pairs = list_pairs(draft, by_key);

	for (guint i = 0; i < groups->len; i++) {
		const ObjectGroup *group = &g_array_index(groups, ObjectGroup, i);

		if (group->shown)
			draft_group(draft, pairs, group);
	}
}

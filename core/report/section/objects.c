/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "objects.h"

#include <string.h>

#include "report/name/pattern.h"

enum { GROUP, NAME };

/* ---- rows as they come ---- */

static ObjectGroup *group_at(const GArray *groups, guint i)
{
	return &g_array_index(groups, ObjectGroup, i);
}

/* The number of the group, or how many there are. */
static guint find_group(const GArray *groups, const char *name)
{
	guint i = 0;

	while (i < groups->len && strcmp(group_at(groups, i)->name, name) != 0)
		i++;
	return i;
}

static gboolean is_sort(const struct ctprof_metric *def)
{
	return def->kind == CTPROF_CATEGORY && def->unit == CTPROF_UNIT_TEXT;
}

void objects_bind(GArray *groups, ObjectCategories *categories, const Plan *plan, Store *store,
		  const Registry *registry)
{
	g_autoptr(GPtrArray) metrics = registry_list(registry);
	const gint none = -1;

	for (guint i = 0; i < metrics->len; i++) {
		const Metric *metric = g_ptr_array_index(metrics, i);

		if (metric->row != ROW_OBJECT)
			continue;
		guint at = find_group(groups, metric->def.group);
		if (at == groups->len) {
			ObjectGroup group = {.name = store_text(store, metric->def.group)};

			group.shown = plan_has_objects(plan, &metric->def);
			g_array_append_val(groups, group);
		}
		while (categories->len < groups->len)
			g_array_append_val(categories, none);
		if (is_sort(&metric->def))
			group_at(groups, at)->sorted = TRUE;
		if (is_sort(&metric->def) && g_array_index(categories, gint, at) < 0)
			g_array_index(categories, gint, at) = (gint)metric->index;
		if (plan_folds_object(plan, metric))
			group_at(groups, at)->folded = TRUE;
	}
}

gboolean objects_check(const GArray *groups, const Plan *plan, GError **error)
{
	for (guint i = 0; plan->objects && i < plan->objects->len; i++) {
		const char *name = g_ptr_array_index(plan->objects, i);

		if (find_group(groups, name) == groups->len)
			return specs_fail_section(plan->options->sections, name, error);
	}
	return TRUE;
}

/* "memfd /memfd:cache", or the name alone. */
static char *make_name(gint category, gboolean literal, const struct ctprof_rows *rows, guint64 i)
{
	const char *name = ctprof_rows_target(rows, i)->path;
	gsize at = i * rows->n_slots + (gsize)category;

	if (category < 0)
		return g_strdup(name);
	g_autofree char *pattern = literal ? g_strdup(name) : pattern_key(name);
	if (rows->states[at] != CTPROF_PRESENT)
		return g_strconcat("- ", pattern, NULL);
	const struct ctprof_text *text = (const void *)(uintptr_t)rows->values[at];
	return g_strconcat(text->bytes, " ", pattern, NULL);
}

gboolean objects_make_key(const GArray *groups, const ObjectCategories *categories,
			  gboolean literal, Store *store, const struct ctprof_rows *rows, guint64 i,
			  RecordKey *ret_key)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, i);
	guint at = target->group && target->path ? find_group(groups, target->group) : groups->len;

	if (at >= categories->len || !group_at(groups, at)->folded)
		return FALSE;
	char *name = make_name(g_array_index(categories, gint, at), literal, rows, i);
	*ret_key = (RecordKey){
		.names = {[GROUP] = group_at(groups, at)->name, [NAME] = store_take(store, name)}};
	return TRUE;
}

/* ---- sections ---- */

/* What is told of an object: a row to be. */
typedef struct entry {
	const Pool *pool;
	const Figure *figure;
	guint class;
	gdouble points;
	guint64 place; /* in the order of the source */
	guint figure_at;
} Entry;

static void values_of(const Objects *objects, const Pool *pool, const Figure *figure,
		      struct ctprof_value ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		record_value(pool->sides[side], objects->sides[side]->layout, figure->measure,
			     &ret_values[side]);
}

static Told told_of(const Figure *figure)
{
	return (Told){figure->name, figure->unit, figure->tags, figure->ladder, figure->kind};
}

static gboolean is_of(const ObjectGroup *group, const Figure *figure)
{
	return strcmp(figure->measure->group, group->name) == 0;
}

/* Both sides' objects by key; those that --filter leaves, as the sources named
 * them, the candidate's own behind. */
static GPtrArray *list_pools(const Objects *objects, Pools *pools)
{
	const View *view = &objects->plan->view;
	GPtrArray *list = g_ptr_array_new();

	for (guint side = 0; side < (view->compare ? SIDES : 1); side++) {
		g_autoptr(GPtrArray) records = record_set_arrived(objects->sides[side]);

		for (guint i = 0; i < records->len; i++) {
			Record *record = g_ptr_array_index(records, i);
			Pool *pool = pools_take(pools, &record->key);

			if (!pool->sides[0] && view_matches(view, &record->key.names[NAME], 1))
				g_ptr_array_add(list, pool);
			pool_add(pool, side, objects->sides[side]->layout, record);
		}
	}
	return list;
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
	const Entry *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->points < y->points || x->points > y->points)
		return x->points > y->points ? -1 : 1;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->figure_at > y->figure_at) - (x->figure_at < y->figure_at);
}

/* An object that one side lacks came, or went: it is placed as if it had been
 * nothing there, and of nothing it has there is no row.  FALSE: it has nothing. */
static gboolean fill_lacking(const Pool *pool, struct ctprof_value values[SIDES])
{
	for (guint side = 0; side < SIDES; side++) {
		struct ctprof_value *other = &values[!side];

		if (pool->sides[side] || other->type != CTPROF_VALUE_NUMBER)
			continue;
		values[side] = *other;
		values[side].number = 0;
		return other->number > 0;
	}
	return TRUE;
}

/* Places the row among those of compare: the biggest change first.  FALSE: no
 * side has a value, or the filters stop it. */
static gboolean place_change(const Objects *objects, Entry *entry)
{
	const View *view = &objects->plan->view;
	Told told = told_of(entry->figure);
	struct ctprof_value values[SIDES];
	Change change;

	values_of(objects, entry->pool, entry->figure, values);
	if (values[0].type == CTPROF_VALUE_ABSENT && values[1].type == CTPROF_VALUE_ABSENT)
		return FALSE;
	if (!fill_lacking(entry->pool, values))
		return FALSE;
	view_change(view, values, &told, &change);
	change_weigh(&change, told.ladder, &entry->class, &entry->points);
	return change_passes(&change, told.ladder, &view->filter);
}

/* How big an object is: its first figure. */
static gdouble size_of(const Objects *objects, const Pool *pool, const Figure *first)
{
	struct ctprof_value values[SIDES];
	gdouble size = -1;

	values_of(objects, pool, first, values);
	(void)change_number_of(&values[0], &size);
	return size;
}

/* An object's rows: show has one for every figure, that lines be whole. */
static void add_object(const Objects *objects, const ObjectGroup *group, const GPtrArray *figures,
		       const Pool *pool, guint64 place, GArray *entries)
{
	gboolean compare = objects->plan->view.compare;

	for (guint i = 0; i < figures->len; i++) {
		Entry entry = {
			.pool = pool,
			.figure = g_ptr_array_index(figures, i),
			.place = place,
			.figure_at = i,
		};

		if (!compare && group->sorted)
			entry.points = size_of(objects, pool, g_ptr_array_index(figures, 0));
		if (!compare || place_change(objects, &entry))
			g_array_append_val(entries, entry);
	}
}

/* Whether any of the objects has a value of it. */
static gboolean is_known(const Objects *objects, const GPtrArray *pools, const ObjectGroup *group,
			 const Figure *figure)
{
	struct ctprof_value values[SIDES];

	for (guint i = 0; i < pools->len; i++) {
		const Pool *pool = g_ptr_array_index(pools, i);

		if (pool->key.names[GROUP] != group->name)
			continue;
		values_of(objects, pool, figure, values);
		for (guint side = 0; side < SIDES; side++)
			if (values[side].type != CTPROF_VALUE_ABSENT)
				return TRUE;
	}
	return FALSE;
}

static GPtrArray *list_figures(const Objects *objects, const GPtrArray *pools,
			       const ObjectGroup *group)
{
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; i < objects->figures->len; i++) {
		Figure *figure = &g_array_index(objects->figures, Figure, i);

		if (is_of(group, figure) && plan_names(objects->plan, figure->name) &&
		    is_known(objects, pools, group, figure))
			g_ptr_array_add(list, figure);
	}
	return list;
}

static GArray *list_entries(const Objects *objects, const GPtrArray *pools,
			    const ObjectGroup *group)
{
	g_autoptr(GPtrArray) figures = list_figures(objects, pools, group);
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));

	for (guint i = 0; i < pools->len; i++) {
		const Pool *pool = g_ptr_array_index(pools, i);

		if (pool->key.names[GROUP] == group->name)
			add_object(objects, group, figures, pool, i, entries);
	}
	g_array_sort(entries, compare_entries);
	return entries;
}

static void draft_group(const Objects *objects, const GPtrArray *pools, const ObjectGroup *group,
			Draft *draft)
{
	const View *view = &objects->plan->view;
	guint32 layout = view->compare ? CTPROF_LAYOUT_LONG : CTPROF_LAYOUT_WIDE;
	g_autoptr(GArray) entries = list_entries(objects, pools, group);
	g_autoptr(GArray) rows = draft_rows_new();

	for (guint i = 0; i < entries->len; i++) {
		const Entry *entry = &g_array_index(entries, Entry, i);
		struct ctprof_value values[SIDES];
		struct ctprof_report_row row;
		Told told = told_of(entry->figure);

		values_of(objects, entry->pool, entry->figure, values);
		view_fill_row(view, &entry->pool->key.names[NAME], 1, &told, values, &row);
		g_array_append_val(rows, row);
	}
	guint64 n_cut = draft_cut(rows, layout, view->limit);
	if (rows->len > 0)
		draft_add_named(draft, group->name, group->name, layout, "object",
				g_steal_pointer(&rows), n_cut);
}

void objects_draft(const Objects *objects, Draft *draft)
{
	g_autoptr(GHashTable) by_key = pools_new();
	g_autoptr(GPtrArray) pools = list_pools(objects, by_key);

	for (guint i = 0; i < objects->groups->len; i++)
		if (group_at(objects->groups, i)->shown)
			draft_group(objects, pools, group_at(objects->groups, i), draft);
}

static gboolean holds_of(const Objects *objects, const Condition *condition, const Figure *figure,
			 const Pool *pool)
{
	struct ctprof_value values[SIDES];
	Told told = told_of(figure);
	Change change;

	values_of(objects, pool, figure, values);
	view_change(&objects->plan->view, values, &told, &change);
	return condition_holds(condition, figure->ladder, &change);
}

gboolean objects_hold(const Objects *objects)
{
	const GArray *conditions = objects->plan->conditions;
	g_autoptr(GHashTable) by_key = pools_new();
	g_autoptr(GPtrArray) pools = list_pools(objects, by_key);

	for (guint c = 0; c < conditions->len; c++) {
		const Condition *condition = &g_array_index(conditions, Condition, c);
		const Figure *figure = figures_find(objects->figures, condition->metric);

		for (guint i = 0; figure && i < pools->len; i++)
			if (holds_of(objects, condition, figure, g_ptr_array_index(pools, i)))
				return TRUE;
	}
	return FALSE;
}

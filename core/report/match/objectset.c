/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "objectset.h"

#include <string.h>

#include "report/name/pattern.h"

static ObjectGroup *group_at(const GArray *groups, guint i)
{
	return &g_array_index(groups, ObjectGroup, i);
}

/* Returns the index of the group, or the number of groups if it is not there. */
static guint find_group(const GArray *groups, const char *name)
{
	guint i = 0;

	while (i < groups->len && strcmp(group_at(groups, i)->name, name) != 0)
		i++;
	return i;
}

static gboolean is_kind(const struct ctprof_metric *def)
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
		if (is_kind(&metric->def))
			group_at(groups, at)->sorted = TRUE;
		if (is_kind(&metric->def) && g_array_index(categories, gint, at) < 0)
			g_array_index(categories, gint, at) = (gint)metric->index;
		if (plan_folds_object(plan, metric))
			group_at(groups, at)->folded = TRUE;
	}
}

gboolean objects_check(const GArray *groups, const Plan *plan, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < groups->len; i++)
		g_ptr_array_add(names, (gpointer)(uintptr_t)group_at(groups, i)->name);
	for (guint i = 0; plan->objects && i < plan->objects->len; i++) {
		const char *name = g_ptr_array_index(plan->objects, i);

		if (find_group(groups, name) == groups->len)
			return specs_fail_section(plan->options->sections, name, names, error);
	}
	return TRUE;
}

/* Makes "memfd /memfd:cache", or just the name. */
static char *make_name(gint category, gboolean literal, const struct ctprof_rows *rows, guint64 i)
{
	const char *name = ctprof_rows_target(rows, i)->path;

	if (category < 0)
		return g_strdup(name);
	g_autofree char *pattern = literal ? g_strdup(name) : pattern_key(name);
	const char *text = rows_text(rows, i, category);
	return g_strconcat(text ? text : "-", " ", pattern, NULL);
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
	*ret_key = (RecordKey){.names = {[OBJECT_GROUP] = group_at(groups, at)->name,
					 [OBJECT_NAME] = store_take(store, name)}};
	return TRUE;
}

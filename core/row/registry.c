/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "registry.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/option.h"
#include "ctprof/words.h"

#define MAX_METRICS_PER_ROW 4096
#define SLOT_SHIFT 16

struct registry {
	GPtrArray *rows[N_ROW_CLASSES]; /* Metric *, borrowed from all */
	GPtrArray *all;                 /* Metric *, as registered */
	GHashTable *by_name[N_ROW_CLASSES];
	gboolean refused[N_ROW_CLASSES];
	gboolean sealed;
};

static const guint32 batch_scopes[N_ROW_CLASSES] = {
	[ROW_THREAD] = CTPROF_SCOPE_THREAD, [ROW_EXIT] = CTPROF_SCOPE_EXIT,
	[ROW_CGROUP] = CTPROF_SCOPE_CGROUP, [ROW_OBJECT] = CTPROF_SCOPE_OBJECT,
	[ROW_HOST] = CTPROF_SCOPE_HOST,     [ROW_CAPTURE] = CTPROF_SCOPE_CAPTURE,
};

/* The size of a group, for reports: it is in every list, but not in any row. */
static const struct ctprof_metric thread_count = {
	.struct_size = sizeof thread_count,
	.kind = CTPROF_COUNTER,
	.unit = CTPROF_UNIT_NONE,
	.scope = CTPROF_SCOPE_THREAD,
	.rank = 1,
	.name = "thread_count",
	.group = "identity",
	.help = "threads in the group",
	.origin = "number of rows",
};

#define CASE(number, word)                                                                         \
	case number:                                                                               \
		return word;
#define DEFINE_WORD(function, words)                                                               \
	const char *function(guint32 number)                                                       \
	{                                                                                          \
		switch (number) {                                                                  \
			words(CASE) default : return "?";                                          \
		}                                                                                  \
	}

DEFINE_WORD(registry_kind_word, CTPROF_KIND_WORDS)
DEFINE_WORD(registry_unit_word, CTPROF_UNIT_WORDS)
DEFINE_WORD(registry_scope_word, CTPROF_SCOPE_WORDS)

char *registry_tags(const struct ctprof_metric *def)
{
	GString *tags = g_string_new(NULL);
	g_auto(GStrv) gates = g_strsplit(def->gates ? def->gates : "", " ", -1);

	if (def->tag)
		g_string_append_printf(tags, "[%s]", def->tag);
	for (guint i = 0; gates[i]; i++)
		g_string_append_printf(tags, "%s[%s]", tags->len ? " " : "", gates[i]);
	return g_string_free(tags, FALSE);
}

enum row_class registry_row_of_scope(guint32 scope)
{
	enum row_class row = ROW_THREAD;

	if (scope == CTPROF_SCOPE_PROCESS || scope == CTPROF_SCOPE_MM)
		return ROW_THREAD;
	while (row < N_ROW_CLASSES && batch_scopes[row] != scope)
		row++;
	return row;
}

guint32 registry_scope_of_row(enum row_class row)
{
	return batch_scopes[row];
}

static void metric_free(gpointer data)
{
	Metric *metric = data;

	g_ptr_array_unref(metric->providers);
	g_free(metric);
}

static Metric *metric_new(const char *plugin, const struct ctprof_metric *def)
{
	Metric *metric = g_new0(Metric, 1);

	metric->def = *def;
	metric->providers = g_ptr_array_new();
	metric->unfilled = CTPROF_ABSENT_UNSUPPORTED;
	metric->filler = NO_FILLER;
	g_ptr_array_add(metric->providers, (gpointer)(uintptr_t)plugin);
	return metric;
}

Registry *registry_new(void)
{
	Registry *registry = g_new0(Registry, 1);

	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		registry->rows[i] = g_ptr_array_new();
		registry->by_name[i] = g_hash_table_new(g_str_hash, g_str_equal);
	}
	registry->all = g_ptr_array_new_with_free_func(metric_free);
	Metric *count = metric_new("ctprof", &thread_count);
	count->type = CTPROF_TYPE_U64;
	g_ptr_array_add(registry->all, count);
	g_hash_table_insert(registry->by_name[ROW_THREAD], (gpointer)(uintptr_t)count->def.name,
			    count);
	return registry;
}

void registry_free(Registry *registry)
{
	for (guint i = 0; i < N_ROW_CLASSES; i++) {
		g_ptr_array_unref(registry->rows[i]);
		g_hash_table_unref(registry->by_name[i]);
	}
	g_ptr_array_unref(registry->all);
	g_free(registry);
}

/* Returns the stored type for kind and unit; 0: they do not go together. */
static guint32 type_of(guint32 kind, guint32 unit)
{
	gboolean text = unit == CTPROF_UNIT_TEXT;
	gboolean symbol = text || unit == CTPROF_UNIT_CHAR || unit == CTPROF_UNIT_BOOL;

	switch (kind) {
	case CTPROF_HISTOGRAM:
		return symbol || unit == CTPROF_UNIT_CPUS || unit == CTPROF_UNIT_KIB
			       ? 0
			       : CTPROF_TYPE_MAP;
	case CTPROF_MAP:
		return unit == CTPROF_UNIT_CHAR || unit == CTPROF_UNIT_CPUS ? 0 : CTPROF_TYPE_MAP;
	case CTPROF_CPUSET:
		return unit == CTPROF_UNIT_CPUS ? CTPROF_TYPE_CPUS : 0;
	case CTPROF_ORDINAL:
		return symbol || unit == CTPROF_UNIT_CPUS ? 0 : CTPROF_TYPE_I64;
	case CTPROF_CATEGORY:
		return text ? CTPROF_TYPE_TEXT : symbol ? CTPROF_TYPE_U64 : 0;
	case CTPROF_LABEL:
		return text ? CTPROF_TYPE_TEXT : CTPROF_TYPE_U64;
	default:
		return symbol || unit == CTPROF_UNIT_CPUS ? 0 : CTPROF_TYPE_U64;
	}
}

static gboolean is_metric_name(const char *name)
{
	return name && g_ascii_islower(name[0]) && strlen(name) <= 64 &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")];
}

/* Returns NULL if the definition is valid, otherwise what is wrong with it. */
static const char *find_fault(const struct ctprof_metric *def)
{
	if (!is_metric_name(def->name))
		return "its name is not [a-z][a-z0-9_.]{0,63}";
	if (!option_is_name(def->group))
		return "its group is not [a-z][a-z0-9-]{0,31}";
	if (registry_kind_word(def->kind)[0] == '?')
		return "its kind is unknown";
	if (registry_unit_word(def->unit)[0] == '?')
		return "its unit is unknown";
	if (registry_row_of_scope(def->scope) == N_ROW_CLASSES)
		return "its scope is unknown";
	if (type_of(def->kind, def->unit) == 0)
		return "its kind and unit do not go together";
	if (def->kind == CTPROF_HISTOGRAM && def->buckets != CTPROF_BUCKETS_QUARTERS)
		return "its bucket rule is unknown";
	if (!def->help || !def->origin)
		return "it has no help or no origin";
	return NULL;
}

static gboolean is_alike(const struct ctprof_metric *a, const struct ctprof_metric *b)
{
	return a->kind == b->kind && a->unit == b->unit && a->scope == b->scope &&
	       a->buckets == b->buckets && strcmp(a->group, b->group) == 0;
}

int registry_add(Registry *registry, const char *plugin, const struct ctprof_metric *def,
		 guint32 *ret_slot, const char **ret_why)
{
	*ret_why = registry->sealed ? "metrics are declared in open() only" : find_fault(def);
	if (*ret_why)
		return registry->sealed ? -EBUSY : -EINVAL;
	enum row_class row = registry_row_of_scope(def->scope);
	Metric *old = registry_named(registry, row, def->name);
	if (old && (old->slot == 0 || !is_alike(&old->def, def))) {
		*ret_why = "the name is taken by a different metric";
		return -EEXIST;
	}
	if (old) {
		g_ptr_array_add(old->providers, (gpointer)(uintptr_t)plugin);
		*ret_slot = old->slot;
		return 0;
	}
	if (registry->rows[row]->len >= MAX_METRICS_PER_ROW) {
		*ret_why = "there are too many metrics";
		return -EINVAL;
	}
	Metric *metric = metric_new(plugin, def);
	metric->row = row;
	metric->index = registry->rows[row]->len;
	metric->slot = ((guint32)row + 1) << SLOT_SHIFT | metric->index;
	metric->type = type_of(def->kind, def->unit);
	g_ptr_array_add(registry->rows[row], metric);
	g_ptr_array_add(registry->all, metric);
	g_hash_table_insert(registry->by_name[row], (gpointer)(uintptr_t)metric->def.name, metric);
	*ret_slot = metric->slot;
	return 0;
}

static gboolean has(const Registry *registry, const char *name, gboolean groups)
{
	for (guint i = 0; i < registry->all->len; i++) {
		const Metric *metric = g_ptr_array_index(registry->all, i);

		if (strcmp(groups ? metric->def.group : metric->def.name, name) == 0)
			return TRUE;
	}
	return FALSE;
}

static char *nearest_name(const Registry *registry, const char *name, gboolean groups)
{
	Nearest nearest = {.typed = name};

	for (guint i = 0; i < registry->all->len; i++) {
		const struct ctprof_metric *def =
			&((const Metric *)g_ptr_array_index(registry->all, i))->def;

		nearest_try(&nearest, groups ? def->group : def->name);
	}
	return nearest_hint(&nearest, "");
}

/* Parses a list of metric or group names, all of which must be known. */
static Select *parse_list(const Registry *registry, const char *text, gboolean groups,
			  GError **error)
{
	const char *what = groups ? "group" : "metric";
	g_autoptr(Select) select = select_parse(text, error);

	if (!select) {
		g_prefix_error(error, "--%ss '%s': ", what, text);
		return NULL;
	}
	const GPtrArray *names = select_mentioned(select);
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		if (has(registry, name, groups))
			continue;
		g_autofree char *hint = nearest_name(registry, name, groups);
		error_set_usage(error, "--%ss '%s': unknown %s '%s'%s (see 'ctprof metric-list')",
				what, text, what, name,
				hint[0] ? hint : ": none of the loaded plugins has it");
		return NULL;
	}
	return g_steal_pointer(&select);
}

static gboolean is_wanted(const Metric *metric, const Select *metrics, const Select *groups)
{
	const struct ctprof_metric *def = &metric->def;
	gboolean named = (metrics && select_names(metrics, def->name)) ||
			 (groups && select_names(groups, def->group));

	if (named || metric->row == ROW_CAPTURE || strcmp(def->group, "identity") == 0)
		return TRUE;
	if (def->flags & CTPROF_METRIC_ON_DEMAND)
		return FALSE;
	/* With both lists, a metric is wanted if either selects it. */
	if (metrics || groups)
		return (metrics && select_has(metrics, def->name)) ||
		       (groups && select_has(groups, def->group));
	return TRUE;
}

void registry_refuse(Registry *registry, enum row_class row)
{
	registry->refused[row] = TRUE;
}

gboolean registry_seal(Registry *registry, const char *metrics, const char *groups, GError **error)
{
	g_autoptr(Select) by_name = NULL;
	g_autoptr(Select) by_group = NULL;

	if (metrics && !(by_name = parse_list(registry, metrics, FALSE, error)))
		return FALSE;
	if (groups && !(by_group = parse_list(registry, groups, TRUE, error)))
		return FALSE;
	for (guint i = 0; i < registry->all->len; i++) {
		Metric *metric = g_ptr_array_index(registry->all, i);

		metric->wanted =
			!registry->refused[metric->row] && is_wanted(metric, by_name, by_group);
		if (!metric->wanted)
			metric->unfilled = CTPROF_ABSENT_SKIPPED;
	}
	registry->sealed = TRUE;
	return TRUE;
}

static void set_skipped(Metric *metric, gboolean skipped)
{
	metric->skip_changed = metric->skipped != skipped;
	metric->skipped = skipped;
}

void registry_skip_metric(Registry *registry, const char *name, gboolean skipped)
{
	for (guint row = 0; row < N_ROW_CLASSES; row++) {
		Metric *metric = registry_named(registry, row, name);

		if (metric && metric->wanted)
			set_skipped(metric, skipped);
	}
}

guint registry_skip_group(Registry *registry, const char *group, gboolean skipped)
{
	guint n = 0;

	for (guint row = 0; row < N_ROW_CLASSES; row++) {
		const GPtrArray *metrics = registry_row(registry, row);

		for (guint i = 0; i < metrics->len; i++) {
			Metric *metric = g_ptr_array_index(metrics, i);

			if (!metric->wanted || strcmp(metric->def.group, group) != 0)
				continue;
			set_skipped(metric, skipped);
			n++;
		}
	}
	return n;
}

Metric *registry_slot(const Registry *registry, guint32 slot)
{
	guint32 row = (slot >> SLOT_SHIFT) - 1;
	guint32 index = slot & ((1u << SLOT_SHIFT) - 1);

	if (row >= N_ROW_CLASSES || index >= registry->rows[row]->len)
		return NULL;
	return g_ptr_array_index(registry->rows[row], index);
}

Metric *registry_named(const Registry *registry, enum row_class row, const char *name)
{
	return g_hash_table_lookup(registry->by_name[row], name);
}

gint registry_index(const Registry *registry, enum row_class row, const char *name, guint32 type)
{
	const Metric *metric = registry_named(registry, row, name);

	return metric && metric->slot && metric->type == type ? (gint)metric->index : -1;
}

gboolean rows_read(const struct ctprof_rows *rows, guint64 i, gint index, guint64 *ret_value)
{
	gsize at = i * rows->n_slots + (gsize)index;

	if (index < 0 || rows->states[at] != CTPROF_PRESENT)
		return FALSE;
	*ret_value = rows->values[at];
	return TRUE;
}

const char *rows_text(const struct ctprof_rows *rows, guint64 i, gint index)
{
	guint64 text;

	return rows_read(rows, i, index, &text)
		       ? ((const struct ctprof_text *)(uintptr_t)text)->bytes
		       : NULL;
}

guint64 registry_number(const Registry *registry, const struct ctprof_rows *rows, guint64 i,
			const char *name)
{
	enum row_class row = registry_row_of_scope(rows->scope);
	guint64 value = 0;

	(void)rows_read(rows, i, registry_index(registry, row, name, CTPROF_TYPE_U64), &value);
	return value;
}

gboolean metric_is_of(const Metric *metric, const char *plugin)
{
	return g_ptr_array_find_with_equal_func(metric->providers, plugin, g_str_equal, NULL);
}

const char *metric_source(const Metric *metric)
{
	guint filler = __atomic_load_n(&metric->filler, __ATOMIC_RELAXED);

	return g_ptr_array_index(metric->providers, filler == NO_FILLER ? 0 : filler);
}

gboolean metric_has_filler(const Metric *metric)
{
	return metric->providers->len == 1 ||
	       __atomic_load_n(&metric->filler, __ATOMIC_RELAXED) != NO_FILLER;
}

void metric_note_filler(Metric *metric, const char *plugin)
{
	guint old = __atomic_load_n(&metric->filler, __ATOMIC_RELAXED);
	guint at;

	if (!g_ptr_array_find_with_equal_func(metric->providers, plugin, g_str_equal, &at))
		return;
	while (at < old && !__atomic_compare_exchange_n(&metric->filler, &old, at, TRUE,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

gboolean registry_provides(const Registry *registry, const char *plugin, enum row_class row)
{
	for (guint i = 0; i < registry->rows[row]->len; i++) {
		const Metric *metric = g_ptr_array_index(registry->rows[row], i);

		if (metric->wanted && metric_is_of(metric, plugin))
			return TRUE;
	}
	return FALSE;
}

gboolean registry_asks(const Registry *registry, const char *plugin)
{
	for (guint row = 0; row < N_ROW_CLASSES; row++)
		if (row != ROW_CAPTURE && registry_provides(registry, plugin, row))
			return TRUE;
	return FALSE;
}

gboolean registry_offers(const Registry *registry, const char *plugin, const char *group)
{
	for (guint i = 0; i < registry->all->len; i++) {
		const Metric *metric = g_ptr_array_index(registry->all, i);

		if (metric->slot != 0 && strcmp(metric->def.group, group) == 0 &&
		    metric_is_of(metric, plugin))
			return TRUE;
	}
	return FALSE;
}

static gint compare_rank(gconstpointer a, gconstpointer b)
{
	guint32 x = (*(const Metric *const *)a)->def.rank - 1; /* 0 sorts last */
	guint32 y = (*(const Metric *const *)b)->def.rank - 1;

	return (x > y) - (x < y);
}

GPtrArray *registry_list(const Registry *registry)
{
	GPtrArray *list = g_ptr_array_copy(registry->all, NULL, NULL);

	g_ptr_array_set_free_func(list, NULL);
	g_ptr_array_sort(list, compare_rank); /* stable */
	return list;
}

const GPtrArray *registry_row(const Registry *registry, enum row_class row)
{
	return registry->rows[row];
}

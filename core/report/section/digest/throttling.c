/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "throttling.h"

#include <math.h>
#include <string.h>

#include "report/name/unit.h"

#define PERIODS "cpu.nr_periods"
#define THROTTLED "cpu.nr_throttled"
#define THROTTLED_US "cpu.throttled_usec"
#define QUOTA "cpu.max_quota_us"
#define PERIOD "cpu.max_period_us"
#define EVENTS "memory.events"
#define MEMORY_MAX "memory.max"
#define MEMORY_USED "memory.current"
#define EVENT_MAX "max"

static gdouble number_of(const struct ctprof_value *value)
{
	return value->type == CTPROF_VALUE_NUMBER ? (gdouble)value->number : 0;
}

static guint newest(const Draft *draft)
{
	return draft->view->compare ? 1 : 0;
}

/* By how much a counter of a cgroup grew in the window, or of totals, since the cgroup began;
 * 0: it did not, or is not known. */
static gdouble growth_of(const Draft *draft, const Pool *pool,
			 const struct ctprof_value values[SIDES])
{
	if (!draft->window)
		return number_of(&values[newest(draft)]);
	const struct ctprof_value grown =
		value_growth(CTPROF_COUNTER, &values[0], &values[1], !pool->sides[0]);

	return number_of(&grown);
}

static struct ctprof_value value_of(const Draft *draft, const Pool *pool, guint side,
				    const char *name)
{
	return draft_value(draft, TABLE_CGROUPS, pool->sides, side, name);
}

static gdouble grown(const Draft *draft, const Pool *pool, const char *name)
{
	const struct ctprof_value values[SIDES] = {value_of(draft, pool, 0, name),
						   value_of(draft, pool, 1, name)};

	return growth_of(draft, pool, values);
}

static gdouble now(const Draft *draft, const Pool *pool, const char *name)
{
	const struct ctprof_value value = value_of(draft, pool, newest(draft), name);

	return number_of(&value);
}

static gdouble events(const Draft *draft, const Pool *pool, const char *event)
{
	const Measure *measure = draft_measure(draft, TABLE_CGROUPS, EVENTS);

	if (!measure || measure->kind != CTPROF_MAP)
		return NAN;
	MapWalk walk = draft_walk(draft, TABLE_CGROUPS, pool->sides, measure);
	while (map_walk_next(&walk))
		if (strcmp(walk.key, event) == 0)
			return growth_of(draft, pool, walk.values);
	return NAN;
}

/* The kernel counts an event in the cgroups above, too, which come before it in the list. */
static void take_below(const GArray *list)
{
	for (guint i = list->len; i-- > 0;) {
		Limits *limits = &g_array_index(list, Limits, i);

		for (guint k = i + 1; k < list->len; k++) {
			const Limits *other = &g_array_index(list, Limits, k);

			if (limits_hold(limits, other->path) && other->n_max > 0)
				limits->n_max -= other->n_max;
		}
	}
}

GArray *limits_list(const Draft *draft)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(Limits));
	g_autoptr(GHashTable) pools = pools_new();

	g_autoptr(GPtrArray) cgroups = draft_pools(draft, TABLE_CGROUPS, pools);
	for (guint i = 0; i < cgroups->len; i++) {
		const Pool *pool = g_ptr_array_index(cgroups, i);
		gdouble quota = now(draft, pool, QUOTA), period = now(draft, pool, PERIOD);
		const char *path = pool->key.names[0];
		Limits limits = {
			.path = path,
			.n_periods = grown(draft, pool, PERIODS),
			.n_throttled = grown(draft, pool, THROTTLED),
			.throttled_s = grown(draft, pool, THROTTLED_US) / 1e6,
			.seconds = draft->window ? draft->window->counts.seconds : 0,
			.quota = period > 0 ? quota / period : 0,
			.period = period / 1e6,
			.n_max = events(draft, pool, EVENT_MAX),
			.memory_max = now(draft, pool, MEMORY_MAX),
			.memory_used = now(draft, pool, MEMORY_USED),
		};

		/* Of totals what else is known began with the cgroup. */
		if (!draft->intake->one_by_one && limits.n_throttled <= 0)
			continue;
		if (!pool->sides[newest(draft)] || !(limits.throttled_s > 0 || limits.n_max > 0 ||
						     limits_filled(&limits) >= LEAST_FULL))
			continue;
		limits.unit = store_take(draft->store, unit_of(path));
		g_array_append_val(list, limits);
	}
	take_below(list);
	return list;
}

gdouble limits_throttled(const Limits *limits)
{
	if (limits->n_periods > 0)
		return limits->n_throttled / limits->n_periods;
	return limits->seconds > 0 ? limits->throttled_s / limits->seconds : NAN;
}

gdouble limits_most_throttled(const Limits *limits)
{
	gdouble most = MAX(limits->throttled_s, limits->n_throttled * limits->period);

	if (limits->seconds > 0)
		return MIN(most / limits->seconds, 1);
	return limits->n_periods > 0 ? limits_throttled(limits) : 1;
}

gboolean limits_hold(const Limits *limits, const char *cgroup)
{
	gsize length = strlen(limits->path);

	return cgroup && strncmp(cgroup, limits->path, length) == 0 &&
	       (cgroup[length] == '/' || cgroup[length] == '\0');
}

gdouble limits_filled(const Limits *limits)
{
	return limits->memory_max > 0 && limits->memory_used > 0
		       ? limits->memory_used / limits->memory_max * 100
		       : NAN;
}

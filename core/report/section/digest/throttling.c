/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "throttling.h"

#include <math.h>
#include <string.h>

#include "report/name/unit.h"

#define BPF_STATE "sched_ext.state"
/* A cgroup whose use differs from its quota by less than this share has used all of it. */
#define ABOUT 0.1

static const struct input {
	const char *metric;
	gsize at; /* in CgroupLimits */
	gdouble scale;
	gboolean grows;  /* in a window, its growth is taken */
	const char *key; /* of a map */
} inputs[] = {
	{"cpu.nr_periods", G_STRUCT_OFFSET(CgroupLimits, n_periods), 1, TRUE, NULL},
	{"cpu.nr_throttled", G_STRUCT_OFFSET(CgroupLimits, n_throttled), 1, TRUE, NULL},
	{"cpu.throttled_usec", G_STRUCT_OFFSET(CgroupLimits, throttled_s), 1e-6, TRUE, NULL},
	{"cpu.usage_usec", G_STRUCT_OFFSET(CgroupLimits, used_s), 1e-6, TRUE, NULL},
	{"cpu.max_quota_us", G_STRUCT_OFFSET(CgroupLimits, quota), 1e-6, FALSE, NULL},
	{"cpu.max_period_us", G_STRUCT_OFFSET(CgroupLimits, period), 1e-6, FALSE, NULL},
	{"memory.max", G_STRUCT_OFFSET(CgroupLimits, memory_max), 1, FALSE, NULL},
	{"memory.current", G_STRUCT_OFFSET(CgroupLimits, memory_used), 1, FALSE, NULL},
	{"cpu.weight", G_STRUCT_OFFSET(CgroupLimits, weight), 1, FALSE, NULL},
	{"memory.events", G_STRUCT_OFFSET(CgroupLimits, n_max), 1, TRUE, "max"},
	{"memory.events", G_STRUCT_OFFSET(CgroupLimits, n_oom), 1, TRUE, "oom"},
	{"memory.events", G_STRUCT_OFFSET(CgroupLimits, n_killed), 1, TRUE, "oom_kill"},
	{"memory.failcnt", G_STRUCT_OFFSET(CgroupLimits, n_failed), 1, TRUE, NULL},
};

/* Returns the input's number, scaled; 0: not known. */
static gdouble number_of(const Draft *draft, const Pair *pair, const struct input *input,
			 const struct ctprof_value values[SIDES])
{
	struct ctprof_value value = values[draft->view->compare ? 1 : 0];

	if (input->grows && draft->window)
		value = value_growth(CTPROF_COUNTER, &values[0], &values[1], !pair->sides[0]);
	return value.type == CTPROF_VALUE_NUMBER ? (gdouble)value.number * input->scale : 0;
}

static void take(const Draft *draft, const Pair *pair, const struct input *input,
		 CgroupLimits *limits)
{
	const Measure *measure = draft_measure(draft, TABLE_CGROUPS, input->metric);
	gdouble *number = &G_STRUCT_MEMBER(gdouble, limits, input->at);
	struct ctprof_value values[SIDES];

	if (measure && measure->kind == CTPROF_MAP) {
		MapWalk walk = map_walk_of(pair->sides, measure);

		while (map_walk_next(&walk))
			if (strcmp(walk.key, input->key) == 0)
				*number = number_of(draft, pair, input, walk.values);
	} else if (measure) {
		pair_values(pair->sides, measure, values);
		*number = number_of(draft, pair, input, values);
	}
}

/* Except in v1, the kernel also counts an event in the cgroups above.  Those come earlier in the
 * list, so the counts of the cgroups below are subtracted from theirs. */
static void take_below(const GArray *list)
{
	for (guint i = list->len; i-- > 0;) {
		CgroupLimits *limits = &g_array_index(list, CgroupLimits, i);

		for (guint k = i + 1; k < list->len; k++) {
			const CgroupLimits *other = &g_array_index(list, CgroupLimits, k);

			if (isnan(other->n_max) || !throttling_applies(limits, other->path))
				continue;
			limits->n_max -= other->n_max;
			limits->n_oom -= other->n_oom;
			limits->n_killed -= other->n_killed;
		}
	}
}

/* Whether a BPF scheduler runs: it may enforce quotas without any count in cpu.stat. */
static gboolean has_bpf_scheduler(const Draft *draft)
{
	guint newest = draft_n_sides(draft) - 1;
	const char *state = draft_value(draft, TABLE_HOST, draft->host, newest, BPF_STATE).text;

	return g_strcmp0(state, "enabled") == 0;
}

GArray *throttling_list(const Draft *draft)
{
	gboolean has_bpf = has_bpf_scheduler(draft);
	GArray *list = g_array_new(FALSE, FALSE, sizeof(CgroupLimits));
	g_autoptr(GHashTable) pairs = pairs_new();

	g_autoptr(GPtrArray) cgroups = draft_pairs(draft, TABLE_CGROUPS, pairs);
	for (guint i = 0; i < cgroups->len; i++) {
		const Pair *pair = g_ptr_array_index(cgroups, i);
		CgroupLimits limits = {
			.path = pair->key.names[0],
			.seconds = draft->window ? draft->window->counts.seconds : 0,
			.n_max = NAN,
		};

		for (guint k = 0; k < G_N_ELEMENTS(inputs); k++)
			take(draft, pair, &inputs[k], &limits);
		limits.quota = limits.period > 0 ? limits.quota / limits.period : 0;
		gdouble most = limits.quota * limits.seconds;
		limits.is_uncounted = has_bpf && limits.n_periods <= 0 &&
				      fabs(limits.used_s - most) < most * ABOUT;
		if (limits.is_uncounted)
			limits.throttled_s = limits.seconds;
		/* In totals, all other numbers have counted since the cgroup was created. */
		if (!draft->intake->one_by_one && limits.n_throttled <= 0)
			continue;
		/* A row may be new only because its limit is; its counters are then older than the
		 * window. */
		if (draft->window && !pair->sides[0] &&
		    limits.n_periods * limits.period > limits.seconds + limits.period)
			continue;
		gboolean is_light = limits.weight > 0 && limits.weight < DEFAULT_WEIGHT;
		if (!pair->sides[draft->view->compare ? 1 : 0] ||
		    !(limits.throttled_s > 0 || limits.n_max > 0 || limits.n_failed > 0 ||
		      limits.n_killed > 0 || is_light || throttling_filled(&limits) >= LEAST_FULL))
			continue;
		limits.unit = store_take(draft->store, unit_of_cgroup(limits.path));
		g_array_append_val(list, limits);
	}
	take_below(list);
	return list;
}

gdouble throttling_share(const CgroupLimits *limits)
{
	if (limits->n_periods > 0)
		return limits->n_throttled / limits->n_periods;
	return limits->seconds > 0 ? limits->throttled_s / limits->seconds : NAN;
}

gdouble throttling_largest_share(const CgroupLimits *limits)
{
	gdouble most = MAX(limits->throttled_s, limits->n_throttled * limits->period);

	if (limits->seconds > 0)
		return MIN(most / limits->seconds, 1);
	return limits->n_periods > 0 ? throttling_share(limits) : 1;
}

gboolean throttling_applies(const CgroupLimits *limits, const char *cgroup)
{
	gsize length = strlen(limits->path);

	return cgroup && strncmp(cgroup, limits->path, length) == 0 &&
	       (cgroup[length] == '/' || cgroup[length] == '\0');
}

gdouble throttling_filled(const CgroupLimits *limits)
{
	if (!(limits->memory_max > 0 && limits->memory_used > 0))
		return NAN;
	/* Its use is read at one moment, maybe just after reclaim. */
	return limits->n_failed > 0 ? 100 : limits->memory_used / limits->memory_max * 100;
}

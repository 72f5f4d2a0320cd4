/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "collect.h"

#include <math.h>
#include <string.h>

#include "report/section/chapters.h"

#define HOST_NAME "host"

enum { BEFORE, AFTER };

/* Returns the seconds by which a count is divided; 0: it is not divided. */
static gdouble seconds_of(const Draft *draft, const RunsKey *group)
{
	return group->of_strangers ? draft->window->counts.seconds : draft->view->seconds;
}

/* Returns a run's value of a metric; grows: as counted during the run. */
static gdouble collect_value(const Draft *draft, const RunsKey *group, guint32 kind,
			     const struct ctprof_value values[SIDES], gboolean grows)
{
	const struct ctprof_value *last = &values[draft->view->compare ? AFTER : BEFORE];
	gdouble value;

	if (!value_is_amount(last))
		return NAN;
	(void)value_to_number(last, &value);
	if (!grows || !draft->view->compare)
		return value;
	const struct ctprof_value grown = value_growth(kind, &values[BEFORE], last, FALSE);
	if (!value_to_number(&grown, &value))
		return NAN;
	gdouble seconds = seconds_of(draft, group);
	return seconds > 0 ? value / seconds : value;
}

static void put(const Draft *draft, const RunPlace *place, const RunsKey *group,
		const struct ctprof_report_field *field, const struct ctprof_value values[SIDES],
		gboolean grows, gboolean hidden)
{
	gdouble value = collect_value(draft, group, field->kind, values, grows);
	guint32 flags = values[BEFORE].flags | (draft->view->compare ? values[AFTER].flags : 0);

	if (isnan(value))
		return;
	RunsRow *row = runs_put(place, group, field, value, (flags & CTPROF_VALUE_PARTIAL) != 0);
	row->hidden = hidden;
	row->is_rate = grows && seconds_of(draft, group) > 0;
}

/* Returns the value of a setting as text in the store; NULL: none. */
static const char *text_of(const Draft *draft, const struct ctprof_value *value)
{
	switch (value->type) {
	case CTPROF_VALUE_TEXT:
	case CTPROF_VALUE_MODE:
		return value->text;
	case CTPROF_VALUE_CPUS:
		return value->text
			       ? store_take(draft->store, g_strdup_printf("CPUs %s", value->text))
			       : NULL;
	case CTPROF_VALUE_RANGE:
		return store_take(draft->store,
				  value->min == value->max
					  ? g_strdup_printf("%" G_GINT64_FORMAT, value->min)
					  : g_strdup_printf("%" G_GINT64_FORMAT
							    "..%" G_GINT64_FORMAT,
							    value->min, value->max));
	case CTPROF_VALUE_NUMBER:
		return store_take(draft->store,
				  g_strdup_printf("%" G_GUINT64_FORMAT, value->number));
	default:
		return NULL;
	}
}

static void set(const Draft *draft, const RunPlace *place, const RunsKey *group, const char *metric,
		const struct ctprof_value values[SIDES])
{
	const char *text = text_of(draft, &values[draft->view->compare ? AFTER : BEFORE]);

	if (text)
		runs_set(place, group, metric, text);
}

static gboolean is_setting(guint32 kind)
{
	return kind == CTPROF_CATEGORY || kind == CTPROF_ORDINAL || kind == CTPROF_CPUSET ||
	       kind == CTPROF_LABEL;
}

/* Makes a key.  Pools that run beside the command are compared as rates, and listed below it. */
static RunsKey key_of(const Draft *draft, enum runs_family family, const char *const *names,
		      guint n_names, gboolean of_command)
{
	RunsKey key = {
		.n_names = n_names,
		.family = family,
		.of_strangers = draft->window && draft->plan->options->command && !of_command,
	};

	memcpy(key.names, names, n_names * sizeof *names);
	return key;
}

/* ---- groups of threads ---- */

static void collect_figure(const Draft *draft, const RunPlace *place, const Figure *figure)
{
	for (guint i = 0; i < draft->groups->len; i++) {
		const Group *group = g_ptr_array_index(draft->groups, i);
		struct ctprof_value values[SIDES];
		const RunsKey key = key_of(draft, figure->derived ? FAMILY_DERIVED : FAMILY_PRIMARY,
					   group->names, group->n_names, group->of_command);

		draft_figure(draft, figure, group, values);
		if (figure->measure && is_setting(figure->measure->kind))
			set(draft, place, &key, figure->field.name, values);
		else
			put(draft, place, &key, &figure->field, values, figure_grows(figure),
			    !plan_has_section(draft->plan, figure->section));
	}
}

/* All derived metrics are collected except the number of threads in a state at the very end. */
static guint32 flags_of(const Figure *figure)
{
	return figure->derived && figure->derived->kind != CTPROF_LEVEL ? 0 : figure_flags(figure);
}

static void collect_threads(const Draft *draft, const RunPlace *place)
{
	for (guint i = 0; i < draft->figures->len; i++) {
		const Figure *figure = &g_array_index(draft->figures, Figure, i);

		if (plan_shows(draft->plan, figure->field.name, flags_of(figure)))
			collect_figure(draft, place, figure);
	}
}

/* ---- the host, and cgroups ---- */

/* Sets sysctls and similar settings: a text for each key of the map. */
static void set_map(const Draft *draft, const RunPlace *place, const RunsKey *key,
		    Record *const sides[SIDES], const Measure *measure)
{
	MapWalk walk = map_walk_of(sides, measure);

	while (map_walk_next(&walk))
		set(draft, place, key,
		    store_take(draft->store,
			       g_strdup_printf("%s.%s", measure->field.name, walk.key)),
		    walk.values);
}

/* Puts the counters of a map: a row for each key. */
static void put_map(const Draft *draft, const RunPlace *place, const RunsKey *key,
		    const Measure *measure)
{
	MapWalk walk = map_walk_of(draft->host, measure);

	while (map_walk_next(&walk)) {
		struct ctprof_report_field field = measure->field;

		field.name = field.header = store_take(
			draft->store, g_strdup_printf("%s.%s", measure->field.name, walk.key));
		field.kind = CTPROF_COUNTER;
		put(draft, place, key, &field, walk.values, TRUE, FALSE);
	}
}

/* Collects metrics of the host that only a comparison of schedulers uses. */
static void collect_scheduler(const Draft *draft, const RunPlace *place, const RunsKey *host)
{
	const GPtrArray *list = draft->intake->measures[TABLE_HOST].list;
	RunsKey key = *host;

	key.family = FAMILY_SCHEDULER;
	for (guint i = 0; i < list->len; i++) {
		const Measure *measure = g_ptr_array_index(list, i);
		const struct ctprof_report_field *field = &measure->field;
		struct ctprof_value values[SIDES] = {{.type = CTPROF_VALUE_ABSENT}};
		gboolean is_map = measure->kind == CTPROF_MAP;

		if (!chapters_take(field->name) || !plan_names(draft->plan, field->name) ||
		    measure->unit == CTPROF_UNIT_TEXT ||
		    (!is_map && plan_shows_host(draft->plan, measure)))
			continue;
		if (is_map) {
			put_map(draft, place, &key, measure);
			continue;
		}
		pair_values(draft->host, measure, values);
		put(draft, place, &key, field, values, field->kind == CTPROF_COUNTER, FALSE);
	}
}

static void collect_record(const Draft *draft, const RunPlace *place, enum intake_table table,
			   const RunsKey *key, Record *const sides[SIDES], gboolean hidden)
{
	const GPtrArray *list = draft->intake->measures[table].list;

	for (guint i = 0; i < list->len; i++) {
		const Measure *measure = g_ptr_array_index(list, i);
		const struct ctprof_report_field *field = &measure->field;
		struct ctprof_value values[SIDES] = {{.type = CTPROF_VALUE_ABSENT}};

		if (!plan_names(draft->plan, field->name) || !plan_shows_host(draft->plan, measure))
			continue;
		if (measure->kind == CTPROF_MAP && measure->unit == CTPROF_UNIT_TEXT)
			set_map(draft, place, key, sides, measure);
		if (measure->kind == CTPROF_MAP)
			continue;
		pair_values(sides, measure, values);
		if (is_setting(measure->kind))
			set(draft, place, key, field->name, values);
		else
			put(draft, place, key, field, values, field->kind == CTPROF_COUNTER,
			    hidden);
	}
}

static void collect_host(const Draft *draft, const RunPlace *place)
{
	const char *name = store_text(draft->store, HOST_NAME);
	const RunsKey key = key_of(draft, FAMILY_HOST, &name, 1, FALSE);

	/* show includes the host only on request, but runs of totals always do. */
	collect_record(draft, place, TABLE_HOST, &key, draft->host,
		       draft->plan->options->sections &&
			       !plan_has_section(draft->plan, SECTION_HOST_METRICS));
	collect_scheduler(draft, place, &key);
}

static void collect_cgroups(const Draft *draft, const RunPlace *place)
{
	for (guint i = 0; i < draft->cgroups->len; i++) {
		const Pair *pair = g_ptr_array_index(draft->cgroups, i);
		const RunsKey key = key_of(draft, FAMILY_CGROUPS, pair->key.names, 1, FALSE);

		collect_record(draft, place, TABLE_CGROUPS, &key, pair->sides,
			       !plan_has_section(draft->plan, "cgroup-stats"));
	}
}

void collect_run(const Draft *draft, const RunPlace *place)
{
	collect_threads(draft, place);
	collect_host(draft, place);
	if (draft->plan->options->group_by == GROUP_BY_CGROUP)
		collect_cgroups(draft, place);
}

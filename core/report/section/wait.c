/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Section wait: the most common places where the threads of each group wait. */
#include <string.h>

#include "report/draft/draft.h"

/* The number of places shown per group. */
#define MAX_PLACES 3

/* Metrics of a place, the more detailed first; one without values is skipped. */
static const char *const place_metrics[] = {"wait_stack", "wait_channel", NULL};

static const struct ctprof_report_field fields[] = {
	{.struct_size = sizeof fields[0],
	 .ladder = CTPROF_LADDER_UNITLESS,
	 .kind = CTPROF_LEVEL,
	 .name = "waiting_threads",
	 .header = "waiting_threads",
	 .unit = "none",
	 .tags = ""},
};

/* A place and how many threads of each side wait there. */
typedef struct place {
	const char *name;
	guint64 threads[SIDES];
} Place;

static guint64 most(const Place *place)
{
	return MAX(place->threads[0], place->threads[1]);
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
	const Place *x = a, *y = b;

	if (most(x) != most(y))
		return most(x) > most(y) ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Lists the places of both sides, the most common first. */
static GArray *list_places(const Group *group, const Measure *measure)
{
	GArray *places = g_array_new(FALSE, FALSE, sizeof(Place));
	g_autoptr(GArray) before = record_modes(group->sides[0], measure);
	g_autoptr(GArray) after = record_modes(group->sides[1], measure);
	MapWalk walk = {.maps = {before, after}, .unit = 1};

	while (map_walk_next(&walk)) {
		const Place place = {walk.key, {walk.values[0].number, walk.values[1].number}};

		g_array_append_val(places, place);
	}
	g_array_sort(places, compare_places);
	return places;
}

/* Returns the number of waiting threads on the side that has more; below 0: none. */
static gdouble weigh(const Draft *draft, const Group *group, gconstpointer measure)
{
	g_autoptr(GArray) places = list_places(group, measure);
	guint64 n[SIDES] = {0};

	(void)draft;
	for (guint i = 0; i < places->len; i++)
		for (guint side = 0; side < SIDES; side++)
			n[side] += g_array_index(places, Place, i).threads[side];
	return MAX(n[0], n[1]) > 0 ? (gdouble)MAX(n[0], n[1]) : -1;
}

static void add_place(const Draft *draft, Table *table, const Group *group, const Place *place,
		      const Measure *measure)
{
	struct ctprof_value values[SIDES];

	/* The number is as complete as the values of the group's threads. */
	pair_values(group->sides, measure, values);
	for (guint side = 0; side < draft_n_sides(draft); side++)
		if (values[side].type == CTPROF_VALUE_MODE) {
			values[side].type = CTPROF_VALUE_NUMBER;
			values[side].number = place->threads[side];
		}
	struct ctprof_cell *cells = draft_group_part(table, group, place->name);
	view_cell(draft->view, values, &fields[0], &cells[0]);
	if (!view_passes(draft->view, &cells[0], &fields[0]))
		table_drop_last(table);
}

static void draft_wait(const Draft *draft, const Section *section)
{
	g_autoptr(GPtrArray) list = g_ptr_array_new();
	const Measure *measure = NULL;
	guint limit = draft->view->limit;

	for (guint i = 0; place_metrics[i] && list->len == 0; i++) {
		measure = draft_measure(draft, TABLE_THREADS, place_metrics[i]);
		if (!measure)
			continue;
		g_ptr_array_unref(list);
		list = draft_heaviest(draft, weigh, measure);
	}
	Table *table =
		draft_wide(draft, section->name, section->heading, draft->plan->axis->header);
	table_add_fields(table, fields, G_N_ELEMENTS(fields));
	for (guint i = 0; i < list->len; i++) {
		const Group *group = g_ptr_array_index(list, i);
		g_autoptr(GArray) places = list_places(group, measure);
		guint n = MIN(places->len, MAX_PLACES);

		if (limit > 0 && i >= limit) {
			table->section.n_cut += n;
			continue;
		}
		for (guint p = 0; p < n; p++)
			add_place(draft, table, group, &g_array_index(places, Place, p), measure);
	}
	if (table->lines->len == 0)
		tables_drop(draft->tables);
}

const Section section_wait = {
	.name = SECTION_WAIT,
	.heading = "Where threads wait",
	.help = "the three most common places of each group, from the metrics of group wait",
	.place = {4, 5},
	.draft = draft_wait,
	.metrics = place_metrics,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Section wait: the most common places where the threads of each group wait. */
#include <string.h>

#include "report/draft/draft.h"

/* Per group. */
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

/* A group and its places, the most common first. */
typedef struct waiters {
	const Group *group;
	GArray *places; /* Place */
	guint64 n;      /* threads that wait, on the side that has more */
} Waiters;

static void waiters_clear(gpointer data)
{
	g_array_unref(((Waiters *)data)->places);
}

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

static gint compare_waiters(gconstpointer a, gconstpointer b)
{
	const Waiters *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->group->place < y->group->place ? -1 : x->group->place > y->group->place;
}

static void take_place(GArray *places, const MapItem *item, guint side)
{
	for (guint i = 0; i < places->len; i++) {
		Place *place = &g_array_index(places, Place, i);

		if (strcmp(place->name, item->key) == 0) {
			place->threads[side] = item->number;
			return;
		}
	}
	Place place = {.name = item->key};
	place.threads[side] = item->number;
	g_array_append_val(places, place);
}

/* The places of both sides. */
static Waiters list_places(const Draft *draft, const Group *group, const Measure *measure)
{
	Waiters waiters = {group, g_array_new(FALSE, FALSE, sizeof(Place)), 0};

	for (guint side = 0; side < draft_n_sides(draft); side++) {
		g_autoptr(GArray) modes = g_array_new(FALSE, FALSE, sizeof(MapItem));
		guint64 n = 0;

		record_modes(group->sides[side], &draft->sides[side].layouts[TABLE_THREADS],
			     measure, modes);
		for (guint i = 0; i < modes->len; i++) {
			take_place(waiters.places, &g_array_index(modes, MapItem, i), side);
			n += g_array_index(modes, MapItem, i).number;
		}
		waiters.n = MAX(waiters.n, n);
	}
	g_array_sort(waiters.places, compare_places);
	if (waiters.places->len > MAX_PLACES)
		g_array_set_size(waiters.places, MAX_PLACES);
	return waiters;
}

/* The groups with waiting threads, those with the most first. */
static GArray *list_waiters(const Draft *draft, const Measure *measure)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(Waiters));

	g_array_set_clear_func(list, waiters_clear);
	for (guint i = 0; measure && i < draft->groups->len; i++) {
		const Group *group = g_ptr_array_index(draft->groups, i);

		if (!view_matches(draft->view, group->names, group->n_names))
			continue;
		Waiters waiters = list_places(draft, group, measure);
		if (waiters.n > 0)
			g_array_append_val(list, waiters);
		else
			waiters_clear(&waiters);
	}
	g_array_sort(list, compare_waiters);
	return list;
}

static void add_place(const Draft *draft, Table *table, const Waiters *waiters, const Place *place,
		      const Measure *measure)
{
	const Group *group = waiters->group;
	struct ctprof_value values[SIDES];

	/* As complete as the values of the group's threads. */
	draft_values(draft, TABLE_THREADS, group->sides, measure, values);
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
	g_autoptr(GArray) list = NULL;
	const Measure *measure = NULL;
	guint limit = draft->view->limit;

	for (guint i = 0; place_metrics[i] && (!list || list->len == 0); i++) {
		g_clear_pointer(&list, g_array_unref);
		measure = draft_measure(draft, TABLE_THREADS, place_metrics[i]);
		list = list_waiters(draft, measure);
	}
	Table *table =
		draft_wide(draft, section->name, section->heading, draft->plan->axis->header);
	table_add_fields(table, fields, G_N_ELEMENTS(fields));
	for (guint i = 0; i < list->len; i++) {
		const Waiters *waiters = &g_array_index(list, Waiters, i);

		if (limit > 0 && i >= limit) {
			table->section.n_cut += waiters->places->len;
			continue;
		}
		for (guint p = 0; p < waiters->places->len; p++)
			add_place(draft, table, waiters, &g_array_index(waiters->places, Place, p),
				  measure);
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

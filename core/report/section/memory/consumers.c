/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "consumers.h"

#include <string.h>

enum { PID, NAME, PSS, OBJECT, N_FIELDS };

static const struct ctprof_report_field fields[N_FIELDS] = {
	[PID] = COUNT_FIELD("pid", "PID"),
	[NAME] = TEXT_FIELD("name", "NAME"),
	[PSS] = SHORT_BYTES("pss", "PSS"),
	[OBJECT] = TEXT_FIELD("object", "OBJECT"),
};

/* A process's share of an object, on each side. */
typedef struct consumer {
	const char *key; /* "PID NAME" */
	struct ctprof_value pss[SIDES];
} Consumer;

static gint compare_consumers(gconstpointer a, gconstpointer b, gpointer data)
{
	const Consumer *x = a, *y = b;
	gint order = rows_compare_values(data, x->pss, y->pss);

	return order != 0 ? order : strcmp(x->key, y->key);
}

/* Lists the consumers of both sides, the largest first; the caller unrefs the list. */
static GArray *list_consumers(const Rows *objects, const Pair *object)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(Consumer));
	MapWalk walk = {.unit = 1};

	for (guint side = 0; side < draft_n_sides(objects->draft); side++)
		walk.maps[side] = row_map(objects, object, side, CONSUMERS);
	while (map_walk_next(&walk)) {
		Consumer consumer = {.key = walk.key};

		for (guint side = 0; side < SIDES; side++)
			consumer.pss[side] =
				walk.values[side].type == CTPROF_VALUE_ABSENT
					? (struct ctprof_value){.why = CTPROF_ABSENT_INAPPLICABLE}
					: value_of_number(walk.values[side].number);
		g_array_append_val(list, consumer);
	}
	g_array_sort_with_data(list, compare_consumers, (gpointer)(uintptr_t)objects->draft);
	return list;
}

static void put_consumer(const Draft *draft, Table *table, const char *object,
			 const Consumer *consumer)
{
	struct ctprof_cell *cells = table_line(table, 0, 0);
	char *name = NULL;

	draft_put_same(draft, &cells[PID],
		       value_of_number(g_ascii_strtoull(consumer->key, &name, 10)));
	draft_put_same(draft, &cells[NAME], value_of_text(name + strspn(name, " ")));
	rows_put(draft, table, cells, PSS, consumer->pss);
	draft_put_same(draft, &cells[OBJECT], value_of_text(object));
}

void consumers_draft(const Draft *draft, const Rows *objects, guint limit, gboolean for_people)
{
	guint32 flags = for_people ? 0 : CTPROF_SECTION_BARE | CTPROF_SECTION_TOLD;
	Table *table = tables_add(draft->tables, "consumers", "Processes that map it", NULL, flags);
	guint n = limit > 0 ? MIN(limit, objects->list->len) : objects->list->len;

	table_add_fields(table, fields, N_FIELDS);
	table_hide(table, OBJECT, n <= 1);
	for (guint i = 0; i < n; i++) {
		const Pair *object = g_ptr_array_index(objects->list, i);
		g_autoptr(GArray) list = list_consumers(objects, object);

		for (guint c = 0; c < list->len; c++)
			put_consumer(draft, table, row_name(object),
				     &g_array_index(list, Consumer, c));
	}
}

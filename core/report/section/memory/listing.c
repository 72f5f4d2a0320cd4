/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "listing.h"

#include <string.h>

#define MAX_PLACES 32
#define OF_TREES (PLACE_TREE | PLACE_FOLDED | PLACE_ENTRY)

/* ---- rows that are sums ---- */

void sum_row_init(SumRow *sum, const char *name)
{
	static Record there;

	*sum = (SumRow){.pool = {.sides = {&there, &there}}};
	sum->pool.key.names[ROW_NAME] = name;
}

void sum_row_add(SumRow *sum, guint side, enum reading reading, const struct ctprof_value *values,
		 guint n)
{
	sum->sides[side].n[reading]++;
	for (guint i = 0; i < n; i++)
		amount_add(&sum->sums[i].sides[side], &values[i]);
}

static void tally_merge(Tally *tally, const Tally *part)
{
	for (guint i = 0; i < N_READINGS; i++)
		tally->n[i] += part->n[i];
}

void sum_row_merge(SumRow *sum, const SumRow *part)
{
	tally_merge(&sum->tally, &part->tally);
	for (guint side = 0; side < SIDES; side++)
		tally_merge(&sum->sides[side], &part->sides[side]);
	for (guint i = 0; i < ROW_SUMS; i++)
		sums_merge(&sum->sums[i], &part->sums[i]);
}

guint64 sum_row_count(const SumRow *sum, guint side)
{
	const guint64 *n = sum->sides[side].n;

	return n[READ_EXACT] + n[READ_APPROXIMATE] + n[READ_MISSING];
}

/* ---- values ---- */

struct ctprof_value listing_value(const Listing *listing, const Pool *row, guint side,
				  const Place *place)
{
	if (g_strcmp0(place->metric, PLACE_NAME) == 0)
		return value_of_text(row_name(row));
	return row_value(&listing->rows, row, side, place->metric);
}

void listing_values(const Listing *listing, const Pool *row, const Place *place,
		    struct ctprof_value ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		ret_values[side] = (listing->value ? listing->value : listing_value)(listing, row,
										     side, place);
}

/* NULL: the row has none. */
static const char *title_of(const Listing *listing, const Pool *row)
{
	struct ctprof_value values[SIDES];

	for (guint i = 0; i < listing->n_places; i++) {
		if (!(listing->places[i].flags & PLACE_TITLE))
			continue;
		listing_values(listing, row, &listing->places[i], values);
		return values[row_side(row)].text;
	}
	return NULL;
}

static void filter(Listing *listing)
{
	GPtrArray *list = listing->rows.list;
	guint n = 0;

	for (guint i = 0; i < list->len; i++)
		if (rows_match(listing->rows.draft, title_of(listing, list->pdata[i])))
			list->pdata[n++] = list->pdata[i];
	g_ptr_array_set_size(list, (gint)n);
}

/* ---- order ---- */

struct order {
	const Listing *listing;
	const Place *place; /* NULL: by name */
};

static gint compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
	const Pool *x = *(const Pool *const *)a, *y = *(const Pool *const *)b;
	const struct order *by = data;
	struct ctprof_value p[SIDES], q[SIDES];
	gint order = 0;

	if (by->place) {
		listing_values(by->listing, x, by->place, p);
		listing_values(by->listing, y, by->place, q);
		order = rows_compare_values(by->listing->rows.draft, p, q);
	}
	return order != 0 ? order
			  : (by->listing->compare ? by->listing->compare : strcmp)(row_name(x),
										   row_name(y));
}

const Place *listing_find(const Listing *listing, const char *name)
{
	for (guint i = 0; i < listing->n_places; i++)
		if (strcmp(listing->places[i].field.name, name) == 0)
			return &listing->places[i];
	return NULL;
}

void listing_sort(Listing *listing, const char *order)
{
	struct order by = {.listing = listing, .place = listing_find(listing, order)};

	if (by.place && by.place->flags & PLACE_TITLE)
		by.place = NULL;
	g_ptr_array_sort_with_data(listing->rows.list, compare_rows, &by);
}

/* ---- lines ---- */

void listing_begin(Listing *listing, const char *name, const char *heading)
{
	const Draft *draft = listing->rows.draft;

	listing->table = tables_add(draft->tables, name, heading, NULL, 0);
	for (guint i = 0; i < listing->n_places; i++) {
		const Place *place = &listing->places[i];
		guint field = table_take_field(listing->table, &place->field);

		table_hide(listing->table, field,
			   place->flags & PLACE_RARE && !draft->plan->options->wide);
	}
}

/* Whether the filters show any of the row's changes. */
static gboolean passes(const Listing *listing, const Pool *row)
{
	for (guint i = 0; i < listing->n_places; i++) {
		const Place *place = &listing->places[i];
		struct ctprof_value values[SIDES];

		if (place->flags & PLACE_SAME)
			continue;
		listing_values(listing, row, place, values);
		if (rows_pass(listing->rows.draft, row, &place->field, values))
			return TRUE;
	}
	return FALSE;
}

struct ctprof_cell *listing_line(const Listing *listing, const Pool *row, guint32 flags,
				 guint depth)
{
	const Draft *draft = listing->rows.draft;
	struct ctprof_cell *cells = table_line(listing->table, flags, depth);
	struct ctprof_value values[SIDES];

	for (guint i = 0; i < listing->n_places; i++) {
		const Place *place = &listing->places[i];

		if (place->flags & OF_TREES)
			continue;
		listing_values(listing, row, place, values);
		if (place->flags & PLACE_SAME) {
			rows_put_same(draft, listing->table, cells, i, &values[row_side(row)]);
			continue;
		}
		/* One text for both sides: that of the last that has one. */
		if (values[1].type == CTPROF_VALUE_TEXT && !(place->flags & PLACE_EACH))
			values[0] = values[1];
		else if (values[0].type == CTPROF_VALUE_TEXT && !(place->flags & PLACE_EACH))
			values[1] = values[0];
		rows_put(draft, listing->table, cells, i, values);
	}
	return cells;
}

void listing_put(const Listing *listing, const Pool *row, guint depth)
{
	if (passes(listing, row))
		listing_line(listing, row, 0, depth);
}

struct ctprof_cell *listing_total(const Listing *listing, const char *title)
{
	const Draft *draft = listing->rows.draft;
	struct ctprof_cell *cells = table_line(listing->table, CTPROF_LINE_TOTAL, 0);

	for (guint i = 0; i < listing->n_places; i++) {
		struct ctprof_value values[SIDES];
		Sums sums = {0};

		if (listing->places[i].flags & PLACE_TITLE)
			rows_put_text(draft, listing->table, cells, i, title);
		if (!(listing->places[i].flags & PLACE_SUMMED))
			continue;
		for (guint r = 0; r < listing->rows.list->len; r++) {
			listing_values(listing, listing->rows.list->pdata[r], &listing->places[i],
				       values);
			sums_add(draft, &sums, values);
		}
		sums_values(draft, &sums, TRUE, values);
		rows_put(draft, listing->table, cells, i, values);
	}
	return cells;
}

void listing_cover(const Listing *listing, const char *covered)
{
	Tally tally = {{0}};

	for (guint r = 0; r < listing->rows.list->len; r++) {
		struct ctprof_value amounts[MAX_PLACES * SIDES], values[SIDES];
		guint n = 0;

		for (guint i = 0; i < listing->n_places; i++) {
			if (!(listing->places[i].flags & PLACE_SUMMED))
				continue;
			listing_values(listing, listing->rows.list->pdata[r], &listing->places[i],
				       values);
			n += rows_list_amounts(listing->rows.draft, values, &amounts[n]);
		}
		tally_add(&tally, amounts, n);
	}
	table_cover(listing->table, covered, &tally);
}

void listing_draft(Listing *listing, const char *name, const char *heading, const char *order)
{
	filter(listing);
	listing_sort(listing, order);
	listing_begin(listing, name, heading);
	for (guint i = 0; i < listing->rows.list->len; i++)
		listing_put(listing, listing->rows.list->pdata[i], 0);
	table_cut(listing->table, listing->rows.draft->view->limit);
	listing_total(listing, "total");
}

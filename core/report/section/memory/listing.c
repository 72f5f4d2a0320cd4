/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "listing.h"

#include <string.h>

#define MAX_PLACES 32
#define OF_TREES (PLACE_TREE | PLACE_FOLDED | PLACE_ENTRY)

Listing listing_of(const Draft *draft, const Listing *what, gpointer data)
{
	Listing listing = *what;

	listing.rows = rows_of(draft, what->group);
	listing.data = data;
	if (what->keep)
		rows_keep(&listing.rows, what->keep, data);
	return listing;
}

void listing_clear(Listing *listing)
{
	rows_clear(&listing->rows);
}

/* ---- values ---- */

struct ctprof_value listing_value(const Listing *listing, const Pair *row, guint side,
				  const Place *place)
{
	if (g_strcmp0(place->metric, PLACE_NAME) == 0)
		return value_of_text(row_name(row));
	return row_value(&listing->rows, row, side, place->metric);
}

static struct ctprof_value value_at(const Listing *listing, const Pair *row, guint side,
				    const Place *place)
{
	return (listing->value ? listing->value : listing_value)(listing, row, side, place);
}

void listing_values(const Listing *listing, const Pair *row, const Place *place,
		    struct ctprof_value ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		ret_values[side] = value_at(listing, row, side, place);
}

/* Returns the text that names a row; NULL: it has none. */
static const char *title_of(const Listing *listing, const Pair *row)
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

static gboolean matches(const Rows *rows, const Pair *row, gpointer data)
{
	return rows_match(rows->draft, title_of(data, row));
}

/* ---- sets of rows ---- */

void row_set_init(RowSet *set, const Listing *listing, const char *name)
{
	static Record there;

	*set = (RowSet){
		.pair = {.key = {.names = {[ROW_NAME] = name}}, .sides = {&there, &there}},
		.sums = g_new0(Sums, listing->n_places),
	};
}

void row_set_clear(RowSet *set)
{
	g_clear_pointer(&set->sums, g_free);
}

void row_set_add(RowSet *set, const Listing *listing, const Pair *row, guint side)
{
	for (guint i = 0; i < listing->n_places; i++) {
		if (!(listing->places[i].flags & PLACE_SUMMED))
			continue;
		const struct ctprof_value value = value_at(listing, row, side, &listing->places[i]);
		amount_add(&set->sums[i].sides[side], &value);
	}
}

void row_set_merge(RowSet *set, const Listing *listing, const RowSet *part)
{
	for (guint i = 0; i < listing->n_places; i++)
		sums_merge(&set->sums[i], &part->sums[i]);
}

struct ctprof_value row_set_value(const Listing *listing, const Pair *row, guint side,
				  const Place *place)
{
	const RowSet *set = (const void *)row;
	struct ctprof_value values[SIDES] = {{0}};

	if (place->flags & PLACE_TITLE)
		return value_of_text(row_name(row));
	if (place->flags & PLACE_SUMMED)
		sums_values(listing->rows.draft, &set->sums[place - listing->places],
			    listing->rows.draft->view->compare || !place->metric, values);
	return values[side];
}

/* ---- order ---- */

struct order {
	const Listing *listing;
	const Place *place; /* NULL: by name */
};

static gint compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
	const Pair *x = *(const Pair *const *)a, *y = *(const Pair *const *)b;
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
static gboolean passes(const Listing *listing, const Pair *row)
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

struct ctprof_cell *listing_line(const Listing *listing, const Pair *row, guint32 flags,
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
			draft_put_same(draft, &cells[i], values[row_side(row)]);
			continue;
		}
		/* Both sides get the same text, from the last side that has a text. */
		if (values[1].type == CTPROF_VALUE_TEXT && !(place->flags & PLACE_EACH))
			values[0] = values[1];
		else if (values[0].type == CTPROF_VALUE_TEXT && !(place->flags & PLACE_EACH))
			values[1] = values[0];
		rows_put(draft, listing->table, cells, i, values);
	}
	return cells;
}

void listing_put(const Listing *listing, const Pair *row, guint depth)
{
	if (passes(listing, row))
		listing_line(listing, row, 0, depth);
}

void listing_put_sums(const Listing *listing, struct ctprof_cell *cells, guint flag)
{
	const Draft *draft = listing->rows.draft;

	for (guint i = 0; i < listing->n_places; i++) {
		struct ctprof_value values[SIDES];
		Sums sums = {0};

		if (!(listing->places[i].flags & flag))
			continue;
		for (guint r = 0; r < listing->rows.list->len; r++) {
			listing_values(listing, listing->rows.list->pdata[r], &listing->places[i],
				       values);
			sums_add(draft, &sums, values);
		}
		sums_values(draft, &sums, TRUE, values);
		rows_put(draft, listing->table, cells, i, values);
	}
}

struct ctprof_cell *listing_total(const Listing *listing, const char *title)
{
	struct ctprof_cell *cells = table_line(listing->table, CTPROF_LINE_TOTAL, 0);

	for (guint i = 0; i < listing->n_places; i++)
		if (listing->places[i].flags & PLACE_TITLE)
			draft_put_same(listing->rows.draft, &cells[i], value_of_text(title));
	listing_put_sums(listing, cells, PLACE_SUMMED);
	return cells;
}

/* Lists the row's summed amounts on the sides that have the row; returns their number. */
static guint list_amounts(const Listing *listing, const Pair *row,
			  struct ctprof_value amounts[MAX_PLACES * SIDES])
{
	guint n = 0;

	for (guint i = 0; i < listing->n_places; i++) {
		if (!(listing->places[i].flags & PLACE_SUMMED))
			continue;
		for (guint side = 0; side < draft_n_sides(listing->rows.draft); side++) {
			amounts[n] = value_at(listing, row, side, &listing->places[i]);
			n += amounts[n].why != CTPROF_ABSENT_INAPPLICABLE;
		}
	}
	return n;
}

void listing_note_coverage(const Listing *listing, const char *covered)
{
	struct ctprof_value amounts[MAX_PLACES * SIDES];
	Tally tally = {{0}};

	for (guint i = 0; i < listing->rows.list->len; i++)
		tally_add(&tally, amounts,
			  list_amounts(listing, listing->rows.list->pdata[i], amounts));
	table_note_coverage(listing->table, covered, &tally);
}

static gboolean is_nothing(const struct ctprof_value *value)
{
	if (value->type == CTPROF_VALUE_TEXT)
		return strcmp(value->text, "-") == 0;
	return value->type == CTPROF_VALUE_ABSENT ||
	       (value->type == CTPROF_VALUE_NUMBER && value->number == 0);
}

void listing_hide_idle(const Listing *listing, const Place *place)
{
	gboolean is_idle = !listing->rows.draft->plan->options->wide;
	struct ctprof_value values[SIDES];

	for (guint i = 0; is_idle && i < listing->rows.list->len; i++) {
		listing_values(listing, listing->rows.list->pdata[i], place, values);
		is_idle = is_nothing(&values[0]) && is_nothing(&values[1]);
	}
	table_hide(listing->table, (guint)(place - listing->places), is_idle);
}

void listing_draft(Listing *listing, const Section *section, const char *order)
{
	rows_keep(&listing->rows, matches, listing);
	listing_sort(listing, order);
	listing_begin(listing, listing->name ? listing->name : section->name, section->heading);
	for (guint i = 0; i < listing->rows.list->len; i++)
		listing_put(listing, listing->rows.list->pdata[i], 0);
	table_cut(listing->table, listing->rows.draft->view->limit);
	listing_total(listing, "total");
	if (listing->covered)
		listing_note_coverage(listing, listing->covered);
}

void listing_draft_section(const Draft *draft, const Section *section)
{
	g_auto(Listing) listing = listing_of(draft, section->listing, NULL);

	listing_draft(&listing, section, section->orders[draft->plan->order]);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of single objects, each described by its fields (places). */
#pragma once

#include "rows.h"

#define PLACE_RARE 1u   /* with --wide only */
#define PLACE_SUMMED 2u /* has a total */
#define PLACE_TITLE 4u  /* names the line: --filter matches it */
#define PLACE_SAME 8u   /* describes the row, even if it is a number: has no change */
#define PLACE_EACH 16u  /* a text that each side has separately */
/* Only in trees (tree.h): a value that includes all rows below; the number of rows folded into the
 * line; the last part of the row's name. */
#define PLACE_TREE 32u
#define PLACE_FOLDED 64u
#define PLACE_ENTRY 128u
#define PLACE_OWN 256u /* for the view's own use */

#define PLACE_NAME "" /* for a metric: the object's own name */

typedef struct listing Listing;

/* A field, and the metric it shows. */
typedef struct place {
	struct ctprof_report_field field;
	const char *metric; /* PLACE_NAME: the object's name; NULL: value() has it */
	guint flags;
	const char *stand_in; /* a metric for the view's own use; or NULL */
} Place;

struct listing {
	const char *name;  /* of the table; NULL: the section's */
	const char *group; /* slot group of the rows; NULL: processes */
	/* Selects the rows to list; NULL: all. */
	gboolean (*keep)(const Rows *rows, const Pair *row, gpointer data);
	const Place *places;
	guint n_places;
	/* A row's value on one side; NULL: listing_value(). */
	struct ctprof_value (*value)(const Listing *listing, const Pair *row, guint side,
				     const Place *place);
	gint (*compare)(const char *a, const char *b); /* names; NULL: bytewise */
	/* The noun for the rows in the counts of those with all, some and none of their summed
	 * amounts; NULL: rows are not counted. */
	const char *covered;
	gpointer data; /* the view's */
	Rows rows;
	Table *table;
};

/* A listing of those rows. */
Listing listing_of(const Draft *draft, const Listing *what, gpointer data);
void listing_clear(Listing *listing);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Listing, listing_clear)

/* The value of the place's metric. */
struct ctprof_value listing_value(const Listing *listing, const Pair *row, guint side,
				  const Place *place);

void listing_values(const Listing *listing, const Pair *row, const Place *place,
		    struct ctprof_value ret_values[SIDES]);
/* The place of that name; NULL: none. */
const Place *listing_find(const Listing *listing, const char *name);

/* Sorts by the place of that name, largest first; by name if there is none. */
void listing_sort(Listing *listing, const char *order);
/* Adds the table, without lines. */
void listing_begin(Listing *listing, const char *name, const char *heading);
/* Adds the row's line, unless the filters hide its changes. */
void listing_put(const Listing *listing, const Pair *row, guint depth);
/* Adds the row's line unconditionally; places of trees stay absent. */
struct ctprof_cell *listing_line(const Listing *listing, const Pair *row, guint32 flags,
				 guint depth);
/* Sets the sums of all rows at the places that have the flag. */
void listing_put_sums(const Listing *listing, struct ctprof_cell *cells, guint flag);
/* Adds the line of the total, with the sums of all summed amounts. */
struct ctprof_cell *listing_total(const Listing *listing, const char *title);
/* Counts the rows by how many of their summed amounts are present. */
void listing_note_coverage(const Listing *listing, const char *covered);
/* Hides the place if it is empty or 0 in all rows, unless every field is wanted. */
void listing_hide_idle(const Listing *listing, const Place *place);

/* Does everything: filter, sort, table, lines up to the limit, and their total. */
void listing_draft(Listing *listing, const Section *section, const char *order);
/* The draft() of a section with a listing: calls listing_draft() on it. */
void listing_draft_section(const Draft *draft, const Section *section);

/* Rows that are summed up in one line.  The set is itself a row of another listing with the same
 * places, whose values are given by row_set_value(). */
typedef struct set {
	Pair pair;  /* has the set's name, and exists on both sides */
	Sums *sums; /* of each place */
} RowSet;

void row_set_init(RowSet *set, const Listing *listing, const char *name);
void row_set_clear(RowSet *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RowSet, row_set_clear)
/* Adds the summed amounts that a row of the listing has on a side. */
void row_set_add(RowSet *set, const Listing *listing, const Pair *row, guint side);
void row_set_merge(RowSet *set, const Listing *listing, const RowSet *part);
/* The set's name, or its sum at the place.  A place without a metric counts rows, and is never
 * absent.  In compare, the other sums are 0 on a side without rows. */
struct ctprof_value row_set_value(const Listing *listing, const Pair *set, guint side,
				  const Place *place);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of single objects, each described by its fields (places). */
#pragma once

#include "rows.h"

/* Rows under one name, as a row of a listing itself: what they hold together. */
#define ROW_SUMS 5
typedef struct sum_row {
	Pool pool;          /* has its name, and is on both sides */
	Tally sides[SIDES]; /* of the rows there, by how they were read */
	Tally tally;        /* by the worse of both sides */
	Sums sums[ROW_SUMS];
} SumRow;

void sum_row_init(SumRow *sum, const char *name);
/* Adds a row's values on a side. */
void sum_row_add(SumRow *sum, guint side, enum reading reading, const struct ctprof_value *values,
		 guint n);
void sum_row_merge(SumRow *sum, const SumRow *part);
/* The number of its rows on a side. */
guint64 sum_row_count(const SumRow *sum, guint side);

#define PLACE_RARE 1u   /* with --wide only */
#define PLACE_SUMMED 2u /* has a total */
#define PLACE_TITLE 4u  /* names the line: what --filter looks at */
#define PLACE_SAME 8u   /* describes the row, even if it is a number: has no change */
#define PLACE_EACH 16u  /* a text of which each side has its own */
/* Only in trees (tree.h): including all rows below; number of rows folded into
 * it; the last part of its name. */
#define PLACE_TREE 32u
#define PLACE_FOLDED 64u
#define PLACE_ENTRY 128u
#define PLACE_OWN 256u /* of the view's own use */

#define PLACE_NAME "" /* for a metric: the object's own name */

/* A field, and the metric it shows. */
typedef struct place {
	struct ctprof_report_field field;
	const char *metric; /* PLACE_NAME: the object's name; NULL: value() has it */
	guint flags;
	const char *stand_in; /* a metric of the view's own use; or NULL */
} Place;

typedef struct listing Listing;

struct listing {
	Rows rows;
	const Place *places;
	guint n_places;
	/* A row's value on one side; NULL: listing_value(). */
	struct ctprof_value (*value)(const Listing *listing, const Pool *row, guint side,
				     const Place *place);
	gint (*compare)(const char *a, const char *b); /* names; NULL: bytewise */
	gconstpointer data;                            /* the view's */
	Table *table;
};

/* The value of the place's metric. */
struct ctprof_value listing_value(const Listing *listing, const Pool *row, guint side,
				  const Place *place);

void listing_values(const Listing *listing, const Pool *row, const Place *place,
		    struct ctprof_value ret_values[SIDES]);
/* The place of that name; NULL: none. */
const Place *listing_find(const Listing *listing, const char *name);

/* Sorts by the place of that name, largest first; by name if there is none. */
void listing_sort(Listing *listing, const char *order);
/* Adds the table, without a line. */
void listing_begin(Listing *listing, const char *name, const char *heading);
/* Adds the row's line, unless the filters hide its changes. */
void listing_put(const Listing *listing, const Pool *row, guint depth);
/* The same unconditionally; places of trees stay absent. */
struct ctprof_cell *listing_line(const Listing *listing, const Pool *row, guint32 flags,
				 guint depth);
/* Adds the sums of all rows. */
struct ctprof_cell *listing_total(const Listing *listing, const char *title);
/* Counts the rows by how many of their summed amounts are present. */
void listing_cover(const Listing *listing, const char *covered);

/* All of it: filter, sort, table, lines up to the limit, and their total. */
void listing_draft(Listing *listing, const char *name, const char *heading, const char *order);

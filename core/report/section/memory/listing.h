/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of objects one by one, each told by the places its fields have. */
#pragma once

#include "rows.h"

#define PLACE_RARE 1u   /* with --wide only */
#define PLACE_SUMMED 2u /* there is a total of it */
#define PLACE_TITLE 4u  /* names the line: what --filter looks at */
#define PLACE_SAME 8u   /* about the row itself, also where it is a number: has no change */
#define PLACE_EACH 16u  /* a text of which each side has its own */
/* Only in trees (tree.h): with all below the row; how many rows are folded into
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

/* What the place's metric is. */
struct ctprof_value listing_value(const Listing *listing, const Pool *row, guint side,
				  const Place *place);

void listing_values(const Listing *listing, const Pool *row, const Place *place,
		    struct ctprof_value ret_values[SIDES]);
/* The place that is called so; NULL: none is. */
const Place *listing_find(const Listing *listing, const char *name);

/* By the place that is called so, the most first; by name where none is. */
void listing_sort(Listing *listing, const char *order);
/* Adds the table, without a line. */
void listing_begin(Listing *listing, const char *name, const char *heading);
/* Adds the row's line, if its changes are to be seen. */
void listing_put(const Listing *listing, const Pool *row, guint depth);
/* The same without asking; what only trees have stays absent. */
struct ctprof_cell *listing_line(const Listing *listing, const Pool *row, guint32 flags,
				 guint depth);
/* Adds the sums of all rows. */
struct ctprof_cell *listing_total(const Listing *listing, const char *title);
/* Counts the rows by how many of their summed amounts are there. */
void listing_cover(const Listing *listing, const char *covered);

/* All of it: filter, sort, table, lines up to the limit, and their total. */
void listing_draft(Listing *listing, const char *name, const char *heading, const char *order);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes by what they are: an ordered table of patterns and names, and the
 * memory of each name.  The first pattern that matches a command line decides;
 * what none matches is in "other".
 */
#pragma once

#include <glib.h>

#define CATEGORY_OTHER "other"
#define CATEGORIES_MAX_RULES 256
#define CATEGORIES_MAX_BYTES (256 * 1024) /* of the table's text */

typedef struct categories Categories;

/* Without a rule: everything is in "other". */
Categories *categories_new(void);
void categories_free(Categories *categories);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Categories, categories_free)

/*
 * JSON: [{"match": "REGEX", "name": "NAME"}, ...], or an object that has this
 * as "categories".  A regex is of bytes, '.' is any byte, and only '^' ties it
 * to the beginning.  Errors are usage errors and name the rule, from 1.
 */
Categories *categories_parse(const char *text, gsize length, GError **error);

/* The number of the command line's category.  A pattern that gives up (command
 * lines may be made to wear it out) puts the process into "other". */
guint categories_find(Categories *categories, const char *command);
/* How often a pattern gave up, as a sentence; NULL: never. */
char *categories_complaint(const Categories *categories);

/* Categories in order, each name once; "other" is the last unless named before. */
guint categories_count(const Categories *categories);
const char *categories_name(const Categories *categories, guint category);

/* What a process takes.  One that has no memory (a kernel thread) is none. */
typedef struct category_process {
	guint category;
	gboolean has_pss, has_swap;
	guint64 pss, swap; /* swap: SwapPss and the share of shared memory's swap */
} CategoryProcess;

/* Sums saturate. */
typedef struct category_sum {
	const char *name;
	guint64 processes;   /* of these three: */
	guint64 exact;       /* PSS and swap are known */
	guint64 approximate; /* PSS alone */
	guint64 missing;     /* not even that: in no sum */
	guint64 pss;         /* of the exact and approximate */
	guint64 pss_swap;    /* of the exact */
} CategorySum;

/* An array of CategorySum, one for each category, also those without a process. */
GArray *categories_fold(const Categories *categories, const CategoryProcess *processes, guint n);

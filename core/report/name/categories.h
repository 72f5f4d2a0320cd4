/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Categories of processes: an ordered table of patterns and names.  The first pattern that
 * matches a command line decides; processes that none matches are in "other".
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
 * as "categories".  A regex matches bytes, '.' is any byte, and it is anchored
 * only by '^'.  Errors are usage errors and name the rule, from 1.
 */
Categories *categories_parse(const char *text, gsize length, GError **error);

/* Returns the index of the command line's category.  A pattern that gives up (a
 * command line may be crafted to exhaust it) puts the process into "other". */
guint categories_find(Categories *categories, const char *command);
/* How often a pattern gave up, as a sentence; NULL: never. */
char *categories_complaint(const Categories *categories);

/* Categories in order, each name once; "other" is the last unless named before. */
guint categories_count(const Categories *categories);
const char *categories_name(const Categories *categories, guint category);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes by what they are: an ordered table of patterns and names.  The first pattern that
 * matches a command line decides; what none matches is in "other".
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Categories of processes: an ordered table of patterns and names.  The first pattern that matches
 * a command line decides; a process without a match is in "other".
 */
#pragma once

#include <glib.h>

#define CATEGORY_OTHER "other"
#define CATEGORIES_MAX_RULES 256
#define CATEGORIES_MAX_BYTES (256 * 1024) /* of the table's text */

typedef struct categories Categories;

/* Returns a table without rules: every process is in "other". */
Categories *categories_new(void);
void categories_free(Categories *categories);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Categories, categories_free)

/*
 * JSON: [{"match": "REGEX", "name": "NAME"}, ...], or an object with this array as "categories".  A
 * regex matches bytes, '.' is any byte, and only '^' anchors it.  Errors are usage errors and name
 * the rule, counted from 1.
 */
Categories *categories_parse(const char *text, gsize length, GError **error);

/* Returns the index of the command line's category.  A pattern that gives up (a
 * command line may be crafted to exhaust it) puts the process into "other". */
guint categories_find(Categories *categories, const char *command);
/* Returns a sentence that says how often a pattern gave up; NULL: never. */
char *categories_complaint(const Categories *categories);

/* The categories in order, each name once; "other" comes last unless a rule names it. */
guint categories_count(const Categories *categories);
const char *categories_name(const Categories *categories, guint category);

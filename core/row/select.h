/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of names as users write them: "procfs,taskstats", "all,-jemalloc",
 * "-smaps".  Entries apply from left to right; a list that begins with an
 * exclusion starts from all.
 */
#pragma once

#include <glib.h>

typedef struct select Select;

/* text NULL or "": everything is selected, but nothing by name.  Errors: an empty entry, a name
 * that is not [a-z0-9_.-]. */
Select *select_parse(const char *text, GError **error);
void select_free(Select *select);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Select, select_free)

gboolean select_has(const Select *select, const char *name);
/* Whether the list contains the name itself, rather than "all". */
gboolean select_names(const Select *select, const char *name);
/* Returns the names in the list, with or without a '-', in order; borrowed. */
const GPtrArray *select_mentioned(const Select *select);

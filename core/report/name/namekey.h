/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The key under which names of threads or processes are grouped: the name's pattern, or the name
 * itself if no other name has that pattern.
 */
#pragma once

#include <glib.h>

#include "store.h"

typedef enum name_rule {
	NAME_LITERAL, /* always itself */
	NAME_PEERS,   /* the pattern, if two names share it */
	NAME_PATTERN, /* always the pattern */
} NameRule;

typedef struct name_keys NameKeys;

NameKeys *name_keys_new(NameRule rule, Store *store);
void name_keys_free(NameKeys *keys);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NameKeys, name_keys_free)

/* Add all names of both sides first; then get their keys.  Names and keys are
 * in the store. */
void name_keys_add(NameKeys *keys, const char *name);
const char *name_keys_get(const NameKeys *keys, const char *name);
/* Returns the key before all names have been added, if the rule does not depend on other names;
 * otherwise the name itself.  The key of a key is the key itself. */
const char *name_keys_take(NameKeys *keys, const char *name);
/* Returns the only name that has the pattern; the pattern itself if there are several. */
const char *name_keys_name(const NameKeys *keys, const char *pattern);

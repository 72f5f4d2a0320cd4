/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "namekey.h"

#include "pattern.h"

struct name_keys {
	NameRule rule;
	Store *store;
	GHashTable *patterns; /* name -> pattern, by address */
	GHashTable *peers;    /* pattern -> number of names, by address */
	GHashTable *onlys;    /* pattern -> the only name that has it and is not the pattern itself;
			       * if several, the pattern */
};

NameKeys *name_keys_new(NameRule rule, Store *store)
{
	NameKeys *keys = g_new0(NameKeys, 1);

	keys->rule = rule;
	keys->store = store;
	keys->patterns = g_hash_table_new(NULL, NULL);
	keys->peers = g_hash_table_new(NULL, NULL);
	keys->onlys = g_hash_table_new(NULL, NULL);
	return keys;
}

void name_keys_free(NameKeys *keys)
{
	g_hash_table_unref(keys->patterns);
	g_hash_table_unref(keys->peers);
	g_hash_table_unref(keys->onlys);
	g_free(keys);
}

void name_keys_add(NameKeys *keys, const char *name)
{
	gpointer address = (gpointer)(uintptr_t)name;

	if (keys->rule == NAME_LITERAL || g_hash_table_contains(keys->patterns, address))
		return;
	gpointer pattern = (gpointer)(uintptr_t)store_take(keys->store, pattern_key(name));
	guint peers = GPOINTER_TO_UINT(g_hash_table_lookup(keys->peers, pattern));
	g_hash_table_insert(keys->patterns, address, pattern);
	g_hash_table_insert(keys->peers, pattern, GUINT_TO_POINTER(peers + 1));
	if (address != pattern)
		g_hash_table_insert(keys->onlys, pattern,
				    g_hash_table_contains(keys->onlys, pattern) ? pattern
										: address);
}

const char *name_keys_take(NameKeys *keys, const char *name)
{
	if (keys->rule != NAME_PATTERN)
		return name;
	name_keys_add(keys, name);
	return name_keys_get(keys, name);
}

const char *name_keys_get(const NameKeys *keys, const char *name)
{
	const char *pattern = g_hash_table_lookup(keys->patterns, name);

	if (!pattern)
		return name;
	if (keys->rule == NAME_PEERS &&
	    GPOINTER_TO_UINT(g_hash_table_lookup(keys->peers, pattern)) < 2)
		return name;
	return pattern;
}

const char *name_keys_name(const NameKeys *keys, const char *pattern)
{
	const char *name = g_hash_table_lookup(keys->onlys, pattern);

	return name ? name : pattern;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that is allocated piece by piece and freed all at once. */
#pragma once

#include <glib.h>

#include "ctprof/sink.h"

typedef struct arena Arena;

Arena *arena_new(void);
void arena_free(Arena *arena);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Arena, arena_free)

/* Allocates size bytes, aligned for any 8-byte type, valid until the next
 * reset. */
gpointer arena_take(Arena *arena, gsize size);
/* Copies size bytes, and adds a NUL. */
gpointer arena_copy(Arena *arena, const void *bytes, gsize size);
/* Copies n entries as a map, with their keys and, if of_text, their texts. */
struct ctprof_map *arena_copy_map(Arena *arena, const struct ctprof_map_entry *entries, gsize n,
				  gboolean of_text);
/* Compares entries of maps by key, in the order that maps have: bytewise. */
int arena_compare_entries(const void *a, const void *b);
/* Copies len bytes as a text value, NUL-terminated. */
struct ctprof_text *arena_copy_text(Arena *arena, const char *text, gsize len);
/* Frees all allocations; keeps the block for reuse if there is only one. */
void arena_reset(Arena *arena);

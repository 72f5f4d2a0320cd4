/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "arena.h"

#include <stddef.h>
#include <string.h>

#define BLOCK_BYTES 65536
#define ALIGNMENT 8u

struct arena {
	GPtrArray *blocks; /* the last one is being filled */
	gsize used, size;  /* of the last block */
};

Arena *arena_new(void)
{
	Arena *arena = g_new0(Arena, 1);

	arena->blocks = g_ptr_array_new_with_free_func(g_free);
	return arena;
}

void arena_free(Arena *arena)
{
	g_ptr_array_unref(arena->blocks);
	g_free(arena);
}

gpointer arena_take(Arena *arena, gsize size)
{
	gsize need = (size + ALIGNMENT - 1) & ~(gsize)(ALIGNMENT - 1);

	if (arena->size - arena->used < need) {
		arena->size = MAX(need, BLOCK_BYTES);
		arena->used = 0;
		g_ptr_array_add(arena->blocks, g_malloc(arena->size));
	}
	char *block = g_ptr_array_index(arena->blocks, arena->blocks->len - 1);
	gpointer taken = block + arena->used;
	arena->used += need;
	return taken;
}

void arena_reset(Arena *arena)
{
	/* With several blocks, none is kept: the first may be oversized. */
	if (arena->blocks->len > 1) {
		g_ptr_array_set_size(arena->blocks, 0);
		arena->size = 0;
	}
	arena->used = 0;
}

gpointer arena_copy(Arena *arena, const void *bytes, gsize size)
{
	char *copy = arena_take(arena, size + 1);

	if (size > 0)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	return copy;
}

struct ctprof_map *arena_copy_map(Arena *arena, const struct ctprof_map_entry *entries, gsize n,
				  gboolean of_text)
{
	struct ctprof_map *map = arena_take(arena, sizeof *map + n * sizeof *entries);
	struct ctprof_map_entry *copies = map->entries;

	map->n = n;
	for (gsize i = 0; i < n; i++) {
		copies[i] = entries[i];
		copies[i].key = arena_copy(arena, entries[i].key, entries[i].key_len);
		copies[i].text = of_text && entries[i].text
					 ? arena_copy(arena, entries[i].text, entries[i].text_len)
					 : NULL;
	}
	return map;
}

int arena_compare_entries(const void *a, const void *b)
{
	const struct ctprof_map_entry *x = a;
	const struct ctprof_map_entry *y = b;
	int order = memcmp(x->key, y->key, MIN(x->key_len, y->key_len));

	return order ? order : (x->key_len > y->key_len) - (x->key_len < y->key_len);
}

struct ctprof_text *arena_copy_text(Arena *arena, const char *text, gsize len)
{
	struct ctprof_text *copy = arena_take(arena, sizeof *copy + len);
	char *bytes = (char *)copy + offsetof(struct ctprof_text, bytes);

	copy->length = (guint32)len;
	memcpy(bytes, text, len);
	bytes[len] = '\0';
	return copy;
}

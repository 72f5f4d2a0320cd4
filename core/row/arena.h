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
/* Copies len bytes as a text value, NUL-terminated. */
struct ctprof_text *arena_copy_text(Arena *arena, const char *text, gsize len);
/* Frees all allocations; keeps the block for reuse if there is only one. */
void arena_reset(Arena *arena);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory that is handed out piece by piece and taken back all at once. */
#pragma once

#include <glib.h>

typedef struct arena Arena;

Arena *arena_new(void);
void arena_free(Arena *arena);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Arena, arena_free)

/* size bytes, aligned for any 8-byte type, valid until the next reset. */
gpointer arena_take(Arena *arena, gsize size);
/* Takes everything back; keeps one block. */
void arena_reset(Arena *arena);

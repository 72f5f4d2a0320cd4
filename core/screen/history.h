/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the last windows have shown of each pool, as small bars. */
#pragma once

#include <glib.h>

/* Windows that are kept. */
#define HISTORY_LENGTH 60

typedef struct history History;

History *history_new(void);
void history_free(History *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(History, history_free)

/* Begins another window; what is not noted in it has no value there. */
void history_step(History *history);
/* Notes the value of a thing in this window. */
void history_note(History *history, const char *name, gdouble value);
void history_clear(History *history);
/* The newest values, one bar each, at most so many; "" if there are fewer than two.  The
 * caller frees it. */
char *history_draw(const History *history, const char *name, guint n);

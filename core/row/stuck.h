/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that do not answer during a capture; no other source waits for them. */
#pragma once

#include <glib.h>

typedef struct stuck Stuck;

Stuck *stuck_new(void);
void stuck_free(Stuck *stuck);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stuck, stuck_free)

/* All these functions may be called from any thread. */
void stuck_add(Stuck *stuck, gint32 tgid);
gboolean stuck_has(Stuck *stuck, gint32 tgid);
void stuck_remove(Stuck *stuck, gint32 tgid);
guint stuck_count(Stuck *stuck);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The processes of a capture that did not answer a source: no other waits for them. */
#pragma once

#include <glib.h>

typedef struct stuck Stuck;

Stuck *stuck_new(void);
void stuck_free(Stuck *stuck);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stuck, stuck_free)

/* From any thread. */
void stuck_add(Stuck *stuck, gint32 tgid);
gboolean stuck_has(Stuck *stuck, gint32 tgid);

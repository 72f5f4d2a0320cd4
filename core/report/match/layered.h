/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts about threads that the matchers of layers test. */
#pragma once

#include <glib.h>

#include "report/name/layers.h"
#include "row/registry.h"

typedef struct layered Layered;

Layered *layered_new(const Registry *registry);
void layered_free(Layered *layered);
/* Sets slots[i] for each slot that layered_find() reads. */
void layered_mark(const Layered *layered, gboolean *slots);
/* Returns the layer of the thread in row i, owned by layers.  The row of a process's leader must
 * come first.  thread: its texts must be set. */
const char *layered_find(Layered *layered, const Layers *layers, const struct ctprof_rows *rows,
			 guint64 i, LayerThread thread);

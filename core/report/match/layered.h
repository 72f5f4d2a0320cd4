/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The facts about threads that matchers of layers ask for. */
#pragma once

#include <glib.h>

#include "report/name/layers.h"
#include "row/registry.h"

typedef struct layered Layered;

Layered *layered_new(const Registry *registry);
void layered_free(Layered *layered);
/* Sets the slots it reads, by index. */
void layered_mark(const Layered *layered, gboolean *slots);
/* The layer of the thread in row i, owned by layers; the row of a process's leader comes
 * first.  thread: its texts are set. */
const char *layered_find(Layered *layered, const Layers *layers, const struct ctprof_rows *rows,
			 guint64 i, LayerThread thread);

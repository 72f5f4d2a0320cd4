/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instants at which the threads of a side were sampled, and the samples of ended threads. */
#pragma once

#include <glib.h>

#include "report/name/store.h"
#include "row/registry.h"

typedef struct state_side {
	guint64 instants;  /* so far; 0: nothing was sampled */
	guint64 began_ns;  /* the first instant, since boot */
	GHashTable *ended; /* "TGID:TID:START" -> samples, both in the store; NULL: none */
} StateSide;

/* Takes rows of the host and of objects. */
void state_side_note(StateSide *side, const Registry *registry, Store *store,
		     const struct ctprof_rows *rows);
void state_side_clear(StateSide *side);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes each row of a capture as one record of a table. */
#pragma once

#include <glib.h>

#include "report/name/store.h"
#include "schema.h"

/* The members that all rows of a capture share; NULL: absent. */
typedef struct origin {
	Arena *texts; /* owns the texts below */
	struct ctprof_text *host, *boot, *kernel, *phase;
	guint64 realtime_ns; /* 0: unknown */
} Origin;

/* host: may be NULL. */
void origin_begin(Origin *origin, const char *host);
void origin_clear(Origin *origin);
/* Takes boot and kernel from the host's row. */
void origin_note(Origin *origin, const Registry *registry, const struct ctprof_rows *rows);
/* Takes the last mark before the sample. */
void origin_note_phase(Origin *origin, const char *phase);
/* Sets the first columns of the current row, and the phase if the table has that column. */
void origin_put(const Origin *origin, Writer *writer);

/* Sets a column to a map, as a JSON object. */
void flatten_put_map(Writer *writer, guint column, const struct ctprof_map *map);

typedef struct flatten Flatten;

Flatten *flatten_new(Writer *writer);
void flatten_free(Flatten *flatten);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Flatten, flatten_free)

/* Call before the rows of another capture. */
void flatten_again(Flatten *flatten);
/* Writes rows of the class that the table is made of; on return, the sink has them. */
gboolean flatten_rows(Flatten *flatten, const Origin *origin, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table being filled: its columns, and the rows not yet handed to the sink. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "row/arena.h"

typedef struct writer {
	Plugin *sink;
	guint32 rows, number;
	struct ctprof_table table; /* as passed to the sink */
	GArray *columns;           /* struct ctprof_table_column */
	GHashTable *places;        /* name -> its index + 1 */
	GStringChunk *strings;     /* of the columns */
	guint64 *values;           /* values of the rows being filled; NULL: not begun */
	guint8 *present;
	guint filled;
	Arena *texts;
	guint64 n_rows; /* handed to the sink */
} Writer;

/* The bits of tables go from 1 to this one. */
#define WRITER_LAST CTPROF_TABLE_CAPTURES
/* Returns "thread" for CTPROF_TABLE_THREADS, and so on. */
const char *writer_table_name(guint32 rows);

/* rows: CTPROF_TABLE_*, one bit; number: of the table in the file. */
Writer *writer_new(Plugin *sink, guint32 rows, guint32 number);
void writer_free(Writer *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Writer, writer_free)

/* Returns the index of the column, adding it if the name is new; a dot in the name becomes
 * '_'.  Call before writer_begin().  G_MAXUINT: the name has another type or unit. */
guint writer_add(Writer *writer, const struct ctprof_table_column *column);
/* Returns the index of the column, or G_MAXUINT if not found. */
guint writer_find(const Writer *writer, const char *name);
/* Passes the columns to the sink. */
gboolean writer_begin(Writer *writer, GError **error);

/* Sets a value of the current row; ignores the column G_MAXUINT. */
static inline void writer_put(Writer *writer, guint column, guint64 value)
{
	gsize at = (gsize)writer->filled * writer->columns->len + column;

	if (column == G_MAXUINT)
		return;
	writer->values[at] = value;
	writer->present[at] = 1;
}

void writer_put_real(Writer *writer, guint column, gdouble value);
/* Copies the text; NULL: absent.  Bytes that are not UTF-8 become \xNN. */
void writer_put_text(Writer *writer, guint column, const char *text, gsize length);
/* Does not copy the text, which must stay valid until writer_flush(). */
void writer_put_own(Writer *writer, guint column, const struct ctprof_text *text);
/* Completes the current row; the next one is empty. */
gboolean writer_next(Writer *writer, GError **error);
/* Passes the rows to the sink. */
gboolean writer_flush(Writer *writer, GError **error);

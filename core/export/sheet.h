/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table being filled: its columns, and the rows not yet handed to the sink. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "row/arena.h"

typedef struct sheet {
	Plugin *sink;
	guint32 rows, number;
	struct ctprof_table table; /* as passed to the sink */
	GArray *columns;           /* struct ctprof_table_column */
	GHashTable *places;        /* name -> its index + 1 */
	GStringChunk *strings;     /* of the columns */
	guint64 *values;           /* of the rows being filled; NULL: not begun */
	guint8 *present;
	guint filled;
	Arena *texts;
	guint64 n_rows; /* handed to the sink */
} Sheet;

/* Tables are bits from 1 to this one. */
#define SHEET_LAST CTPROF_TABLE_CAPTURES
/* Returns "thread" for CTPROF_TABLE_THREADS, and so on. */
const char *sheet_name(guint32 rows);

/* rows: CTPROF_TABLE_*, one bit; number: of the table in the file. */
Sheet *sheet_new(Plugin *sink, guint32 rows, guint32 number);
void sheet_free(Sheet *sheet);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sheet, sheet_free)

/* Returns the index of the column, adding it if the name is new; a dot in the name becomes
 * '_'.  Call before sheet_begin().  G_MAXUINT: the name has another type or unit. */
guint sheet_add(Sheet *sheet, const struct ctprof_table_column *column);
/* Returns the index of the column, or G_MAXUINT if not found. */
guint sheet_find(const Sheet *sheet, const char *name);
/* Passes the columns to the sink. */
gboolean sheet_begin(Sheet *sheet, GError **error);

/* Sets a value of the current row; ignores the column G_MAXUINT. */
static inline void sheet_put(Sheet *sheet, guint column, guint64 value)
{
	gsize at = (gsize)sheet->filled * sheet->columns->len + column;

	if (column == G_MAXUINT)
		return;
	sheet->values[at] = value;
	sheet->present[at] = 1;
}

void sheet_put_real(Sheet *sheet, guint column, gdouble value);
/* Copies the text; NULL: absent.  Bytes that are not UTF-8 become \xNN. */
void sheet_put_text(Sheet *sheet, guint column, const char *text, gsize length);
/* Does not copy the text, which must stay valid until sheet_hand_over(). */
void sheet_put_own(Sheet *sheet, guint column, const struct ctprof_text *text);
/* Completes the current row; the next one is empty. */
gboolean sheet_next(Sheet *sheet, GError **error);
/* Passes the rows to the sink. */
gboolean sheet_hand_over(Sheet *sheet, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows about memory made by hand, and what a view makes of them as text. */
#pragma once

#include <glib.h>

#include "report/section/memory/memory-views.h"

typedef struct memory_kit {
	MemoryData data;
	MemoryOptions options;
	MemoryTables *tables; /* of the last view drawn */
} MemoryKit;

void memory_kit_init(MemoryKit *kit);
void memory_kit_clear(MemoryKit *kit);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(MemoryKit, memory_kit_clear)

/* A row; cells: "METRIC=VALUE;METRIC=VALUE", digits are a number, else text. */
MemoryRow *memory_kit_row(MemoryKit *kit, enum memory_group group, const char *name, gint32 pid,
			  const char *cells);
/* "KEY=NUMBER;KEY=NUMBER" as the map of a cell. */
void memory_kit_map(MemoryKit *kit, MemoryRow *row, guint cell, const char *entries);

/* Draws with the options; sort: as the view's order is called, NULL: the first. */
void memory_kit_draw(MemoryKit *kit, void (*draft)(MemoryDraft *), MemorySorts sorts);
/*
 * A table's lines: two blanks a level, then the fields of the list, ' '
 * between: "-" absent, "~5" an estimate.  Before a context line stands '^',
 * before a total '='.
 */
char *memory_kit_dump(const MemoryKit *kit, const char *table, const char *fields);
const MemoryTable *memory_kit_table(const MemoryKit *kit, const char *name);
/* The table's notes, a line each. */
char *memory_kit_notes(const MemoryKit *kit, const char *table);

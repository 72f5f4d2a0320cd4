/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What views do with rows: take amounts, put them in order, tell what they lack. */
#pragma once

#include <glib.h>

#include "memory-data.h"
#include "memory-table.h"

/* An order of rows: by a cell, most first. */
typedef struct memory_order {
	const char *name; /* as --sort takes it */
	guint cell;       /* or one of these two */
} MemoryOrder;

#define MEMORY_BY_NAME G_MAXUINT
#define MEMORY_AS_CAPTURED (G_MAXUINT - 1)

/* The cell's number, or absent. */
Amount memory_row_amount(const MemoryRow *row, guint cell);
/* What decides between rows that are the same is the name. */
gint memory_rows_compare(const MemoryRow *a, const MemoryRow *b, guint by);
/* MemoryRow *; by: a cell, or one of the two. */
void memory_rows_sort(GPtrArray *rows, guint by);

/* Counts a row the total is made of: exact with all of its n amounts read, missing
 * with none, else approximate. */
void coverage_add(Coverage *coverage, const Amount *amounts, guint n);

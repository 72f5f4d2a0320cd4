/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory-rows.h"

#include <string.h>

Amount memory_row_amount(const MemoryRow *row, guint cell)
{
	Amount amount = {.type = CTPROF_VALUE_NUMBER};

	return memory_row_number(row, cell, &amount.number) ? amount : AMOUNT_ABSENT;
}

gint memory_rows_compare(const MemoryRow *a, const MemoryRow *b, guint by)
{
	gint order = by == MEMORY_BY_NAME
			     ? 0
			     : amount_compare(memory_row_amount(a, by), memory_row_amount(b, by));

	return order != 0 ? order : strcmp(a->name, b->name);
}

static gint compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
	const MemoryRow *x = *(const MemoryRow *const *)a, *y = *(const MemoryRow *const *)b;

	return memory_rows_compare(x, y, *(const guint *)data);
}

void memory_rows_sort(GPtrArray *rows, guint by)
{
	if (by != MEMORY_AS_CAPTURED)
		g_ptr_array_sort_with_data(rows, compare_rows, &by);
}

void coverage_add(Coverage *coverage, const Amount *amounts, guint n)
{
	AmountSum sum = {0};

	for (guint i = 0; i < n; i++)
		amount_sum_add(&sum, amounts[i]);
	if (sum.n == sum.n_absent)
		coverage->missing++;
	else if (sum.n_absent + sum.n_estimates > 0)
		coverage->approximate++;
	else
		coverage->exact++;
}

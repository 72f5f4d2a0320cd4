/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdlib.h>
#include <string.h>

#include "../parse.h"

#define MAX_CPUS 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(struct text name)
{
	if (name.len == 0 || name.len > 64 || memchr(name.p, '\0', name.len))
		abort();
}

static void check_mask(struct text mask)
{
	uint32_t cpus[MAX_CPUS];
	size_t n = schedstat_mask(mask, cpus, MAX_CPUS);

	if (n > MAX_CPUS)
		abort();
	for (size_t i = 1; i < n; i++)
		if (cpus[i] <= cpus[i - 1])
			abort();
}

static void check(const struct schedstat_row *row)
{
	check_name(row->cpu);
	if (row->domain.len > 0) {
		check_name(row->domain);
		check_name(row->level);
		check_mask(row->mask);
	}
	if (row->n != (row->domain.len > 0 ? N_DOMAIN_VALUES : N_CPU_VALUES))
		abort();
	for (uint32_t i = 0; i < row->n; i++)
		if (row->values[i].why != CTPROF_PRESENT &&
		    row->values[i].why != CTPROF_ABSENT_UNSUPPORTED &&
		    row->values[i].why != CTPROF_ABSENT_INVALID)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct schedstat_rows rows;
	struct schedstat_row row;

	if (!schedstat_begin((struct text){(const char *)data, size}, &rows))
		return 0;
	while (schedstat_take(&rows, &row))
		check(&row);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "matrix.h"

#include <string.h>

static void add_row(struct matrix *matrix, unsigned to, unsigned from)
{
	for (unsigned i = 0; i < matrix->n; i++) {
		matrix->ns[to][i] += matrix->ns[from][i];
		matrix->ns[from][i] = 0;
	}
}

static void add_column(struct matrix *matrix, unsigned to, unsigned from)
{
	for (unsigned i = 0; i < matrix->n; i++) {
		matrix->ns[i][to] += matrix->ns[i][from];
		matrix->ns[i][from] = 0;
	}
}

/* Two CPUs that meet a name at the same time both make a pool of it. */
static void merge_twins(struct matrix *matrix)
{
	for (unsigned i = N_WAIT_FIXED; i < matrix->n; i++) {
		unsigned first = N_WAIT_FIXED;

		while (strcmp(matrix->names[first], matrix->names[i]) != 0)
			first++;
		if (first < i) {
			add_row(matrix, first, i);
			add_column(matrix, first, i);
		}
	}
}

void matrix_read(const struct probe *probe, struct matrix *ret)
{
	const struct pool_name *names;
	size_t n_cpus;
	const struct wait_cpu *cpus = probe_cpus(probe, &n_cpus);

	*ret = (struct matrix){.n = N_WAIT_FIXED + probe_pools(probe, &names)};
	for (unsigned i = N_WAIT_FIXED; i < ret->n; i++)
		memcpy(ret->names[i], names[i].half, sizeof names[i]);
	for (size_t cpu = 0; cpu < n_cpus; cpu++)
		for (unsigned row = 0; row < ret->n; row++)
			for (unsigned i = 0; i < ret->n; i++)
				ret->ns[row][i] += cpus[cpu].charged[row][i];
	merge_twins(ret);
}

uint64_t matrix_total(const struct matrix *matrix, unsigned row)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < matrix->n; i++)
		total += i == WAIT_WHILE_IDLE ? 0 : matrix->ns[row][i];
	return total;
}

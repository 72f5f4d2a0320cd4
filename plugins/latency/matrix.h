/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who waited for a CPU while what ran there: the sum over all CPUs. */
#pragma once

#include <stdint.h>

#include "probe.h"

#define MATRIX_NAME (sizeof(struct pool_name) + 1)

struct matrix {
	unsigned n; /* rows, and columns; the fixed ones are first (enum wait_column) */
	char names[N_WAIT_COLUMNS][MATRIX_NAME]; /* of pools */
	/* By row and column; rows are WAIT_OTHER and pools. */
	uint64_t ns[N_WAIT_COLUMNS][N_WAIT_COLUMNS];
};

/* As it is now, since the probe was attached; from any thread. */
void matrix_read(const struct probe *probe, struct matrix *ret);
/* All that a row waited, of which WAIT_WHILE_IDLE is a part. */
uint64_t matrix_total(const struct matrix *matrix, unsigned row);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Replaces look-sweep.c in a build without BPF. */
#include <errno.h>

#include "looks.h"

int sweep_open(const struct ctprof_host *host, const uint64_t describe[SWEEP_CALLS / 64],
	       struct sweep **ret)
{
	(void)host;
	(void)describe;
	(void)ret;
	return -EOPNOTSUPP;
}

void sweep_free(struct sweep *sweep)
{
	(void)sweep;
}

int looks_read_sweep(struct sweep *sweep, struct looks *looks)
{
	(void)sweep;
	(void)looks;
	return -EOPNOTSUPP;
}

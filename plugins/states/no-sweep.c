/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For a build without BPF. */
#include <errno.h>

#include "looks.h"

int sweep_open(struct sweep **ret)
{
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

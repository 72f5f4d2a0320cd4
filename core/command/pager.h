/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Long output on a terminal goes through a pager, as git's does. */
#pragma once

#include <glib.h>

typedef struct pager Pager;

/*
 * Starts $CTPROF_PAGER, else $PAGER, else less, and turns standard output into
 * it.  NULL when there is nothing to page for (no terminal) or by (an empty
 * variable, "cat", raised privileges, no such program): output is then as before.
 */
Pager *pager_start(void);
/* Gives standard output back, and waits until the user has read. */
void pager_finish(Pager *pager);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pager, pager_finish)

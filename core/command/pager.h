/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Long output on a terminal goes through a pager, as in git. */
#pragma once

#include <glib.h>

typedef struct pager Pager;

/*
 * Starts $CTPROF_PAGER, else $PAGER, else less, and redirects standard output to
 * it.  NULL if standard output is not a terminal, or there is no pager (an empty
 * variable, "cat", raised privileges, no such program): output is then unchanged.
 */
Pager *pager_start(void);
/* Restores standard output, and waits until the pager ends. */
void pager_finish(Pager *pager);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pager, pager_finish)

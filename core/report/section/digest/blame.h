/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pools that ran while the threads of another pool waited for a CPU; needs the group
 * latency-matrix in the captures. */
#pragma once

#include "report/draft/draft.h"
#include "report/draft/sentence.h"

typedef struct blame Blame;

/* Returns a table of Blame by the key of the pool that waited; empty if the draft is not of a
 * window, or its groups are not pools by process name. */
GHashTable *blames_new(const Draft *draft);
/* Returns NULL unless it is known what ran for nearly all of the time that the pool's threads
 * waited; counted_ns is that time as counted by the kernel. */
const Blame *blame_find(GHashTable *blames, const char *key, gdouble counted_ns);

/* Returns the share of that time in which the threads were not throttled; blame NULL: 1. */
gdouble blame_contended(const Blame *blame);
/* Adds "; meanwhile cc1 ran 71 % of that time, kworker 9 %; 12 % while a CPU was idle"; blame NULL:
 * adds nothing. */
void blame_add(const Draft *draft, const Blame *blame, Sentence *sentence);

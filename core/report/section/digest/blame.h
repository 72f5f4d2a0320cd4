/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pools that ran while the threads of another waited for a CPU, where the group latency-matrix
 * was captured. */
#pragma once

#include "report/draft/draft.h"
#include "report/draft/sentence.h"

typedef struct blame Blame;

/* By the key of the pool that waited; empty if the draft is not of a window of such pools. */
GHashTable *blames_new(const Draft *draft);
/* NULL: it is not known for nearly all of the time that the threads of the pool waited, which the
 * kernel counted as well. */
const Blame *blame_find(GHashTable *blames, const char *key, gdouble counted_ns);

/* The share of that time in which they were not throttled; blame NULL: 1. */
gdouble blame_contended(const Blame *blame);
/* "; meanwhile cc1 ran 71 % of that time, kworker 9 %; 12 % while a CPU was idle"; blame NULL:
 * nothing. */
void blame_add(const Draft *draft, const Blame *blame, Sentence *sentence);

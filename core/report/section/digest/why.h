/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of sentences about a pool: who and why, as far as it was read.  Each adds nothing if its
 * numbers do not show it.
 */
#pragma once

#include "rules.h"

/* The metrics of threads that this needs, up to a NULL. */
extern const char *const why_metrics[];
/* Whether the first screen of windows of a second or so is made of that metric of threads. */
gboolean why_needs(const char *metric);

/* Sets the CPUs that all threads of a pool may run on, once the host is known. */
void why_read_pinned(const Digest *digest, CostLine *line);

/* ", 97 % of it in NAME[ID]": the one thread or process that makes most of a cost. */
void why_add_member(const Subject *subject, Sentence *sentence, enum cost cost);
/* Adds what keeps the threads from the CPUs: where they may run, how they are scheduled, and which
 * pools run. */
void why_add_rivals(const Subject *subject, Sentence *sentence);
/* How the pool that uses most CPU uses it. */
void why_add_use(const Subject *subject, Sentence *sentence);
/* Where the threads wait in the kernel. */
void why_add_place(const Subject *subject, Sentence *sentence);

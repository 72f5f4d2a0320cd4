/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of sentences about a pool: which of its threads are concerned, and why.  Each function adds
 * nothing if its numbers were not read or show nothing.
 */
#pragma once

#include "rules.h"

/* The metrics of threads that these functions need, up to a NULL. */
extern const char *const why_metrics[];
/* Whether the first screen uses that metric of threads in windows of about a second. */
gboolean why_needs(const char *metric);

/* Sets the CPUs that all threads of a pool may run on, once the host is known. */
void why_read_pinned(const Digest *digest, CostLine *line);

/* Makes "NAME[ID]" of a process or thread. */
struct ctprof_term why_member_name(const Digest *digest, const char *name, gint32 id);
/* Adds ", 97 % of it in NAME[ID]": the single thread or process that causes most of a cost. */
void why_add_member(const Subject *subject, Sentence *sentence, guint cost);
/* Adds ", all on CPU 0, 1 of 2 CPUs idle" if its threads are pinned. */
void why_add_pinned(const Subject *subject, Sentence *sentence);
/* Adds what keeps the threads from the CPUs: where they may run, how they are scheduled, and which
 * pools run. */
void why_add_rivals(const Subject *subject, Sentence *sentence);
/* Adds how a pool uses its CPU time: in the kernel, with which policy and nice value. */
void why_add_use(const Subject *subject, Sentence *sentence);
/* Whether all threads have a runtime of their own in each period: SCHED_DEADLINE. */
gboolean why_is_deadline(const Subject *subject);
/* Adds where the threads wait in the kernel. */
void why_add_place(const Subject *subject, Sentence *sentence);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rules for what stands out.  A rule measures a pool, a cgroup or the host; a subject that
 * reaches the rule's limit gets one sentence.  Costs share one scale: a CPU, a thread held up, a
 * GiB taken and 100 MB/s count alike.
 */
#pragma once

#include "blame.h"
#include "digest.h"
#include "throttling.h"

/* Ended by a NULL name. */
typedef struct rule {
	const char *name, *unit;
	gdouble limit; /* a finding begins here */
	/* NAN: does not apply. */
	gdouble (*measure)(const Subject *subject);
	void (*say)(const Subject *subject, Sentence *sentence);
	/* NULL: price times what was measured. */
	gdouble (*cost)(const Subject *subject);
	gdouble price;
	/* For rules that are alike: the cost they are about, and what they call it. */
	enum cost of;
	const char *words;
} Rule;

#define MB 1e6
#define GIB (1024.0 * 1024 * 1024)
/* The cost of reading one reclaimed page a second again. */
#define PRICE_OF_REFAULTS (4096 / (100 * MB))
/* A limit that holds threads back for less, in percent of the time, is not worth a line. */
#define LEAST_THROTTLED 10.0
/* Fewer threads that wait are not worth a line. */
#define LEAST_QUEUE 0.5
/* Mere oddities come after everything else. */
#define COST_OF_ODDITIES 0.01

static inline gdouble subject_cost(const Subject *subject, enum cost cost)
{
	return digest_cost(subject->line, subject->digest->newest, cost);
}

/* NULL: not known. */
static inline const Blame *subject_blame(const Subject *subject)
{
	const Digest *digest = subject->digest;

	return blame_find(digest->blames, subject->line->group->names[0],
			  subject_cost(subject, COST_WAITING) * digest->seconds * 1e9);
}

/* The largest pool of that cgroup, or else of one below it; NULL: none. */
const CostLine *cgroup_pool(const Digest *digest, const Limits *limits);

/* Below that the cache is not worth a line. */
#define LEAST_REFAULTS 1000.0 /* 1/s */
#define LEAST_PRESSURE 1.0    /* percent of the time */

/* Whether pages are read back that threads need: reading back by itself says nothing, as a
 * cache too large for what uses it is reclaimed for good reasons. */
static inline gboolean is_thrashing(const Digest *digest)
{
	const HostState *host = &digest->host;

	return host->refaults >= LEAST_REFAULTS &&
	       (host->memory_pressure >= LEAST_PRESSURE || host->direct_scans > 0);
}

/* "app[12] 0x55d0c0de1000" */
static inline const char *lock_name(const Pool *lock)
{
	return lock->key.names[1];
}

extern const Rule pool_rules[], host_rules[], cgroup_rules[], lock_rules[];

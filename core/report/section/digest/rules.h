/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rules for what stands out.  A rule measures a pool, a cgroup, a disk or the host; what
 * reaches the rule's limit gets one sentence.  Costs share one scale: a CPU, a thread held up, a
 * GiB taken and 100 MB/s count alike.
 */
#pragma once

#include "blame.h"
#include "digest.h"
#include "throttling.h"

/* Arrays of rules end with a NULL name. */
typedef struct rule {
	const char *name, *unit;
	gdouble limit; /* values from here on are findings */
	/* Returns the measured value; NAN: the rule does not apply. */
	gdouble (*measure)(const Subject *subject);
	void (*say)(const Subject *subject, Sentence *sentence);
	/* NULL: the cost is price times the measured value. */
	gdouble (*cost)(const Subject *subject);
	gdouble price;
	/* For rules that share functions: the cost they are about, and the words for it. */
	enum cost of;
	const char *words;
} Rule;

#define MB 1e6
#define MIB (1024.0 * 1024)
#define GIB (1024 * MIB)
/* The cost of reading back one reclaimed page per second. */
#define PRICE_OF_REFAULTS (4096 / (100 * MB))
/* Throttling for a smaller part of the time, in percent, is not worth a line. */
#define LEAST_THROTTLED 10.0
/* A smaller number of waiting threads is not worth a line. */
#define LEAST_QUEUE 0.5
/* The minimum for threads that wait for a disk. */
#define LEAST_DISK_WAIT 0.5
/* The cost of mere oddities, which are listed after everything else. */
#define COST_OF_ODDITIES 0.01

static inline gdouble subject_cost(const Subject *subject, enum cost cost)
{
	return digest_cost(subject->line, subject->digest->newest, cost);
}

/* Returns what ran while the threads of the pool waited for a CPU; NULL: not known. */
static inline const Blame *subject_blame(const Subject *subject)
{
	const Digest *digest = subject->digest;

	return blame_find(digest->blames, subject->line->group->names[0],
			  subject_cost(subject, COST_WAITING) * digest->seconds * 1e9);
}

/* Returns the growth of a level in the window to that value.  NAN: not known, or too little (a
 * limit per minute; a window of less than ten seconds needs as much growth as one of ten). */
gdouble growth_judge(const Digest *digest, gdouble growth, gdouble held);
/* Adds " grew by 64.0M to 1.00G, 10 % a minute". */
void growth_add(const Digest *digest, Sentence *sentence, gdouble growth, gdouble before,
		gdouble held);

/* Returns the largest pool of that cgroup or, if none, of a cgroup below it; NULL: none. */
const CostLine *cgroup_pool(const Digest *digest, const CgroupLimits *limits);

/* Below these limits, the page cache is not worth a line. */
#define LEAST_REFAULTS 1000.0 /* 1/s */
#define LEAST_PRESSURE 1.0    /* percent of the time */

/* Whether threads have to wait for pages that are read back.  Reading back alone is not a sign of
 * trouble: the kernel may rightly reclaim a cache that is larger than needed. */
static inline gboolean is_thrashing(const Digest *digest)
{
	const HostState *host = &digest->host;

	return host->refaults >= LEAST_REFAULTS &&
	       (host->memory_pressure >= LEAST_PRESSURE || host->direct_scans > 0);
}

/* Returns the disk that had nearly all requests of the window; NULL: no such disk. */
const Pair *disk_find(const Digest *digest);
/* Returns a lower bound of the bytes/s that a pool reads from disks: any pool may have used the
 * devices in memory or on top of others. */
gdouble disk_reads(const Digest *digest, const CostLine *line);

/* Returns "app[12] 0x55d0c0de1000" or "sda". */
static inline const char *object_name(const Pair *object)
{
	return object->key.names[1];
}

extern const Rule pool_rules[], host_rules[], cgroup_rules[], lock_rules[], disk_rules[];

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of this plugin that name objects: each declares its metrics, may
 * look at every process on its way, and adds its rows at the end.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "smaps-ladder.h"

#include "ctprof/source.h"

/* A process with a memory, in a thread batch; borrowed for the call. */
struct memory_process {
	uint64_t row; /* of its leader */
	const struct ctprof_target *target;
	const char *pcomm; /* pcomm_len bytes */
	size_t pcomm_len;
	bool exited;   /* the leader has, another thread has not */
	bool left_out; /* too big, or did not answer: not to be read, but counted */
};

struct memory_part {
	/* In open(): declares, with host->metric().  Limits are those of all
	 * reads behind the mmap lock, and outlive the part. */
	int (*open)(const struct ctprof_host *host, struct smaps_limits *limits, void **ret_part);
	void (*close)(void *part);
	/* Optional.  What is wanted is settled now. */
	int (*start)(void *part);
	/* Adds rows to an object batch; called again until it adds none. */
	int (*emit)(void *part, struct ctprof_batch *batch);
	/* Optional.  One finding a group, for probe(). */
	void (*probe)(void *part);

	/* Optional, all or none.  Whether it looks at processes, from start() on;
	 * then a worker's own, on the worker's thread: begin(), add() for each
	 * process of the batch, finish(). */
	bool (*looks)(const void *part);
	int (*worker_open)(void *part, void **ret_worker);
	void (*worker_close)(void *worker);
	int (*begin)(void *worker, uint64_t rows);
	void (*add)(void *worker, const struct memory_process *process);
	void (*finish)(void *worker, struct ctprof_batch *batch);
};

#define MEMORY_PARTS_MAX 8u

extern const struct memory_part objects_part;

/* In order of their rows; ends with NULL. */
extern const struct memory_part *const memory_parts[];

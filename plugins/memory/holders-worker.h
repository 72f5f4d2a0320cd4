/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A worker's part of the holders: reads the smaps of processes. */
#pragma once

#include "objects.h"
#include "process.h"

struct holders_worker {
	struct objects *objects;
	const struct process_worker *processes;
	struct smaps_ladder ladder;
};

/* Must be called on the worker's thread. */
void holders_worker_open(struct holders_worker *ret, struct objects *objects,
			 const struct process_worker *processes);
void holders_worker_close(struct holders_worker *worker);
/* Reads the processes of a batch, after process_finish(); 0 or -ENOMEM. */
int holders_worker_collect(struct holders_worker *worker, struct ctprof_batch *batch);

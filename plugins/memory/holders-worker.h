/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the smaps of processes for their holders: a worker's side. */
#pragma once

#include "objects.h"
#include "process.h"

struct holders_worker;

/* Finds out what is wanted of processes, if anything. */
void holders_start(struct objects *objects);

/* On the worker's thread; NULL: out of memory. */
struct holders_worker *holders_worker_open(struct objects *objects);
void holders_worker_close(struct holders_worker *worker);
/* A batch: begin(), add() for each of its processes, finish(). */
int holders_worker_begin(struct holders_worker *worker, uint64_t rows);
void holders_worker_add(struct holders_worker *worker, const struct memory_process *process);
void holders_worker_finish(struct holders_worker *worker, struct ctprof_batch *batch);

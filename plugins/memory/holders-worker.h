/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the smaps of processes for their holders: a worker's side. */
#pragma once

#include "objects.h"

/* Finds out what is wanted of processes, if anything. */
void holders_start(struct objects *objects);
bool holders_look(const void *objects);

int holders_worker_open(void *objects, void **ret_worker);
void holders_worker_close(void *worker);
int holders_worker_begin(void *worker, uint64_t rows);
void holders_worker_add(void *worker, const struct memory_process *process);
void holders_worker_finish(void *worker, struct ctprof_batch *batch);

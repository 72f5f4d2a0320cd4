/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps the records of threads that end, and puts them into rows. */
#pragma once

#include <stdbool.h>

#include "cgroup-paths.h"
#include "ctprof/plugin.h"
#include "decode.h"
#include "exit-store.h"
#include "metrics.h"
#include "sweep.h"

/* The option for the size of the ring in which records wait. */
#define EXITS_OPTION "buffer"
#define EXITS_BUFFER "4MiB"
#define EXITS_BUFFER_BYTES (4u << 20)
#define EXITS_BUFFER_MIN 4096u
#define EXITS_BUFFER_MAX (1u << 30)

struct exits {
	const struct ctprof_host *host;
	uint32_t slots[N_RECORD_VALUES]; /* 0: the value is not a metric of ended threads */
	uint32_t values[N_EXIT_VALUES], texts[N_EXIT_TEXTS], tallies[N_EXIT_TALLIES];
	struct sweep *sweep;            /* NULL: not listening */
	struct exit_store store, later; /* later: records for the next capture */
	struct exit_cursor cursor;
	bool waited;
	uint64_t n_dropped;   /* records for the next capture that were lost for lack of memory */
	uint64_t lost_before; /* lost before this capture */
};

/* Declares the metrics; none on a host before ABI 1.3, which has no exit rows. */
int exits_declare(struct exits *self, const struct ctprof_host *host);
bool exits_wanted(const struct exits *self);
/* Returns the size in bytes of the ring in which records wait. */
uint32_t exits_room(const struct exits *self);
int exits_listen(struct exits *self, struct sweep *sweep);
int exits_drain(struct exits *self);
/* Fills rows from the remaining records while there is room.  The first call waits until all
 * threads that ended have stopped running.  Must be called after the sweep: threads with rows there
 * are not reported as ended.  cgroups may be NULL. */
int exits_collect(struct exits *self, struct ctprof_batch *batch, const struct decode_rules *rules,
		  const struct cgroups *cgroups);
void exits_put_tallies(const struct exits *self, struct ctprof_batch *batch);
/* Forgets the records that were put, and the count of lost ones. */
void exits_again(struct exits *self);
void exits_close(struct exits *self);

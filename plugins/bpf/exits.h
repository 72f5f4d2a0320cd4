/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that end: kept, and put into rows. */
#pragma once

#include <stdbool.h>

#include "cgroups.h"
#include "ctprof/plugin.h"
#include "decode.h"
#include "exit-store.h"
#include "metrics.h"
#include "sweep.h"

/* The option for the room that records wait in. */
#define EXITS_OPTION "buffer"
#define EXITS_BUFFER "4MiB"
#define EXITS_BUFFER_BYTES (4u << 20)
#define EXITS_BUFFER_MIN 4096u
#define EXITS_BUFFER_MAX (1u << 30)

struct exits {
	const struct ctprof_host *host;
	uint32_t slots[N_RECORD_VALUES]; /* 0: not told of threads that ended */
	uint32_t values[N_EXIT_VALUES], texts[N_EXIT_TEXTS], tallies[N_EXIT_TALLIES];
	struct sweep *sweep;            /* NULL: it does not listen */
	struct exit_store store, later; /* those that the next capture is told of */
	struct exit_cursor cursor;
	bool waited;
	uint64_t n_dropped;   /* of the latter, for want of memory */
	uint64_t lost_before; /* by the captures before this one */
};

/* Declares the metrics, which a host before ABI 1.3 does not know: it gets none. */
int exits_declare(struct exits *self, const struct ctprof_host *host);
bool exits_wanted(const struct exits *self);
/* Bytes for the records that wait. */
uint32_t exits_room(const struct exits *self);
int exits_listen(struct exits *self, struct sweep *sweep);
int exits_drain(struct exits *self);
/* The rows that are left, and find room; the first time once all that ended run no more.
 * After the sweep: what it has is a thread still.  cgroups may be NULL. */
int exits_collect(struct exits *self, struct ctprof_batch *batch, const struct decode_rules *rules,
		  const struct cgroups *cgroups);
void exits_put_tallies(const struct exits *self, struct ctprof_batch *batch);
/* Forgets the threads that were put, and the count of those that were lost. */
void exits_again(struct exits *self);
void exits_close(struct exits *self);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Receives the records of threads that end, keeps them, and puts them into rows. */
#pragma once

#include <stdint.h>

#include "ctprof/plugin.h"
#include "decode.h"
#include "exit-store.h"
#include "netlink.h"

/* The option for the size of the buffer in which records wait. */
#define EXITS_OPTION "buffer"
#define EXITS_BUFFER "16MiB"
#define EXITS_BUFFER_BYTES (16u << 20)
#define EXITS_BUFFER_MIN 4096u
#define EXITS_BUFFER_MAX (1u << 30)

enum { EXITS_RECEIVED, EXITS_LOST, EXITS_SOURCE, EXITS_N_TALLIES };

struct exits {
	const struct ctprof_host *host;
	uint32_t slots[EXIT_N_FIELDS], comm_slot, tally_slots[EXITS_N_TALLIES];
	uint64_t fill; /* bit i: field i is wanted, and counted by this kernel */
	/* Set while listening. */
	struct netlink *netlink; /* NULL: not listening */
	uint16_t family;
	uint64_t overruns, refused; /* buffer overflows, each of any number of records; records
				     * dropped here */
	uint64_t lost_before;       /* lost before this capture */
	int error;                  /* why it does not listen: -errno; 0: it was not requested */
	struct exit_store store;
	struct exit_cursor cursor;
	struct netlink_datagram in[NETLINK_BATCH];
};

/* Declares the metrics; none on a host before ABI 1.3, which does not know exits. */
int exits_declare(struct exits *self, const struct ctprof_host *host);
/* Starts; active is a set of enum taskstats_active. */
void exits_start(struct exits *self, uint16_t family, uint32_t active);
int exits_listen(struct exits *self);
int exits_drain(struct exits *self);
/* Fills rows from the remaining records while there is room. */
int exits_collect(struct exits *self, struct ctprof_batch *batch);
void exits_put_tallies(const struct exits *self, struct ctprof_batch *batch);
/* Forgets the records that were put, and the count of lost ones. */
void exits_again(struct exits *self);
void exits_close(struct exits *self);

/* Explains to a user why listening failed. */
const char *exits_explain(const struct exits *self, int err);

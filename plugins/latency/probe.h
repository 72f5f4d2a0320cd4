/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The programs that count turns: loaded and attached together, and read any number of times.  They
 * are detached when the process ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "turns.h"
#include "waits.h"

struct probe;

/* The purpose of the programs. */
enum probe_task {
	PROBE_TURNS = 1, /* counts turns: probe_read() */
	PROBE_WAITS = 2, /* charges waits: probe_matrix() */
};

/* budget_parts: of a million of one CPU's time that the programs may take there; 0: no limit.
 * 0 or -errno. */
int probe_load(unsigned tasks, uint64_t budget_parts, struct probe **ret);
void probe_free(struct probe *probe);
/* Ends counting, for good; what was counted can be read. */
void probe_detach(struct probe *probe);

/* Reads the turns of all threads, once per capture; may be called from any thread, even one with a
 * descriptor table of its own.  0 or -errno. */
int probe_read(struct probe *probe);
/* Prepares for another read, from the thread that loaded the probe.  0 or -errno. */
int probe_again(struct probe *probe);
/* The number of threads read. */
size_t probe_count(const struct probe *probe);
/* The i-th record, ordered by tid; *ret_turns is NULL if the thread has not been switched out. */
const struct turn_record *probe_at(const struct probe *probe, size_t i,
				   const struct turns **ret_turns);
/* The record of a thread; NULL if it did not exist. */
const struct turn_record *probe_find(const struct probe *probe, int32_t tgid, int32_t tid,
				     const struct turns **ret_turns);

/* The pools that waited for a CPU, and what ran there meanwhile. */
struct matrix {
	unsigned n; /* number of rows and of columns; the first are enum wait_column */
	struct pool_name names[N_WAIT_COLUMNS];
	/* By row and column; rows are WAIT_OTHER and the pools. */
	uint64_t ns[N_WAIT_COLUMNS][N_WAIT_COLUMNS];
};

/* Reads the waits charged since the probe was attached; may be called from any thread. */
void probe_matrix(const struct probe *probe, struct matrix *ret);
/* The number of threads for whose pool there was no room. */
uint64_t probe_refused(const struct probe *probe);

struct probe_cost {
	double ns;    /* CPU time of the program for each switch; 0: unknown */
	bool is_over; /* over budget: counting has ended */
};

void probe_cost(const struct probe *probe, struct probe_cost *ret);

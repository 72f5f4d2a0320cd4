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
	PROBE_TURNS = 1,   /* counts turns: PASS_READ */
	PROBE_WAITS = 2,   /* charges waits: probe_matrix() */
	PROBE_WAKEUPS = 4, /* counts wakeups, too; only with PROBE_WAITS */
};

/* budget_parts: of a million of one CPU's time that the programs may take there; 0: no limit.
 * 0 or -errno. */
int probe_load(unsigned tasks, uint64_t budget_parts, struct probe **ret);
void probe_free(struct probe *probe);
/* Ends counting, for good; what was counted can be read. */
void probe_detach(struct probe *probe);

/* Visits all threads, for PASS_READ once per capture; may be called from any thread, even one with
 * a descriptor table of its own.  0 or -errno. */
int probe_pass(struct probe *probe, enum turn_pass pass);
/* The records of all threads read, ordered by tid. */
const struct turn_record *const *probe_records(const struct probe *probe, size_t *ret_n);
/* The record of a thread; NULL if it did not exist. */
const struct turn_record *probe_find(const struct probe *probe, int32_t tgid, int32_t tid);
/* ret has TURN_COUNTS elements: the TURN_BUCKETS of each histogram. */
void probe_histograms(const struct turn_record *record, uint64_t *ret);

/* The pools that waited for a CPU, and what ran there meanwhile; and how often one woke another. */
struct matrix {
	unsigned n; /* number of rows and of columns; the first are enum wait_column */
	struct pool_name names[N_WAIT_COLUMNS];
	/* By row and column; rows are WAIT_OTHER and the pools. */
	uint64_t ns[N_WAIT_COLUMNS][N_WAIT_COLUMNS], woken[N_WAIT_COLUMNS][N_WAIT_COLUMNS];
};

/* Reads what was charged since the probe was attached; may be called from any thread. */
void probe_matrix(const struct probe *probe, struct matrix *ret);

struct probe_state {
	double ns[N_COSTS]; /* CPU time of a program for each event; 0: unknown */
	bool is_over;       /* over budget: counting has ended */
	uint64_t n_refused; /* threads for whose pool there was no room */
};

struct probe_state probe_state(const struct probe *probe);

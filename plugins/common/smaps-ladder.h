/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the memory of each process from the first rung of this ladder that
 * holds: the leader's smaps_rollup; where the kernel has none, its smaps; where
 * the leader has exited, either file of a living sibling.  What is made of the
 * text, and of the answer, is the user's.
 */
#pragma once

#include <stdatomic.h>

#include "lane.h"
#include "option.h"
#include "smaps-sums.h"

#include "ctprof/source.h"

/* Which files are tried. */
enum smaps_files {
	SMAPS_AUTO,   /* the whole ladder */
	SMAPS_ROLLUP, /* smaps_rollup only */
	SMAPS_FULL,   /* smaps only */
	/* Not smaps, but needs the same lock: the command line. */
	SMAPS_CMDLINE,
};

/* Settled before the first thread; spent_ns is all workers'. */
struct smaps_limits {
	bool never;
	bool unlimited; /* no budget */
	uint64_t timeout_ns;
	uint64_t budget_ns;
	lane_read_fn *read_file; /* tests put a reader in that blocks */
	_Atomic uint64_t spent_ns;
};

#define SMAPS_NS_PER_S UINT64_C(1000000000)
#define SMAPS_TIMEOUT_S 1
#define SMAPS_BUDGET_S 10
#define SMAPS_LEAST_NS (SMAPS_NS_PER_S / 1000)
#define SMAPS_MOST_NS (3600 * SMAPS_NS_PER_S)

#define SMAPS_N_MODES 3
extern const struct ctprof_option_word smaps_modes[SMAPS_N_MODES];

/* Rows of a plugin's options: what smaps_limits_configure() asks for. */
#define SMAPS_OPTIONS                                                                              \
	OPTION(WORD, "smaps", "Read the memory of each process", .long_name = "smaps",             \
	       .placeholder = "WHEN", .default_value = "auto", .n_words = SMAPS_N_MODES,           \
	       .words = smaps_modes),                                                              \
		OPTION(TIME, "smaps-timeout", "Timeout for reading one process's memory",          \
		       .long_name = "smaps-timeout", .flags = CTPROF_OPTION_COST,                  \
		       .least = SMAPS_LEAST_NS, .most = SMAPS_MOST_NS,                             \
		       .default_value = OPTION_TEXT(SMAPS_TIMEOUT_S) "s"),                         \
		OPTION(TIME, "smaps-budget",                                                       \
		       "Total budget for these reads, ignored with --smaps=always",                \
		       .long_name = "smaps-budget", .flags = CTPROF_OPTION_COST,                   \
		       .least = SMAPS_LEAST_NS, .most = SMAPS_MOST_NS,                             \
		       .default_value = OPTION_TEXT(SMAPS_BUDGET_S) "s")

void smaps_limits_configure(struct smaps_limits *ret, const struct ctprof_host *host);
/* What the budget still holds; UINT64_MAX without one. */
uint64_t smaps_limits_left(struct smaps_limits *limits);

/* How it ended. */
enum smaps_end {
	SMAPS_READ,           /* a file was read to its end */
	SMAPS_SKIPPED,        /* not to be read at all: limits.never */
	SMAPS_TOO_DEAR,       /* the user left it out, for what it costs */
	SMAPS_NOT_APPLICABLE, /* no thread of it has a memory */
	SMAPS_VANISHED,       /* the process is gone */
	SMAPS_TIMEOUT,        /* it, or the budget, took too long */
	SMAPS_FAILED,         /* see err */
};

struct smaps_answer {
	uint64_t row;
	enum smaps_end end;
	int err;          /* FAILED: positive errno; TIMEOUT: ETIMEDOUT when it did not answer,
			   * 0 when the budget was spent */
	bool per_mapping; /* READ: the file was smaps */
	bool sibling;     /* READ: of another thread than the leader */
	uint64_t ns;      /* spent reading, files that failed included */
	void *data;       /* READ: what the consumer made of it, the ladder's; else NULL */
};

/* What a user of the ladder brings. */
struct smaps_use {
	struct lane_consumer consumer;
	size_t data_size; /* bytes of fresh data, which are zeroes */
	/* Prepares data for a file from its start. */
	void (*reset)(void *self, void *data, bool per_mapping);
	/* Optional: just before the first file of a row is opened; false leaves
	 * the row out, without an answer. */
	bool (*admit)(void *self, struct ctprof_batch *batch, uint64_t row);
	/* Once for each other row. */
	void (*answer)(void *self, struct ctprof_batch *batch, const struct smaps_answer *answer);
};

/* Sums of all lines: data is a struct smaps_sums.  For struct smaps_use. */
void smaps_use_reset_sums(void *self, void *data, bool per_mapping);
#define SMAPS_USE_SUMS                                                                             \
	.consumer = {.take = smaps_sums_add, .drop = free},                                        \
	.data_size = sizeof(struct smaps_sums), .reset = smaps_use_reset_sums

/* A process to be read. */
struct smaps_want {
	uint64_t row;
	bool kernel_thread;
	bool exited;   /* the leader has: its files show nothing */
	bool left_out; /* not to be read: TOO_DEAR */
};

/* A worker's own. */
struct smaps_ladder {
	const struct ctprof_host *host;
	struct smaps_limits *limits;
	enum smaps_files files;
	const struct smaps_use *use;
	void *self;            /* the user's, for its functions */
	struct lane *lane;     /* NULL: none yet, or the last one was abandoned */
	unsigned abandoned;    /* abandoned helpers */
	void *data[LANE_JOBS]; /* by job, made when first needed */
	struct smaps_want *wants;
	size_t n, room;
};

void smaps_ladder_init(struct smaps_ladder *ret, const struct ctprof_host *host,
		       struct smaps_limits *limits, enum smaps_files files,
		       const struct smaps_use *use, void *self);
void smaps_ladder_clear(struct smaps_ladder *ladder);

/* Prepares for a batch of that many rows. */
int smaps_ladder_begin(struct smaps_ladder *ladder, uint64_t rows);
/* A leader's row; nothing is opened yet. */
void smaps_ladder_add(struct smaps_ladder *ladder, struct smaps_want want);
/* Answers the rows added since smaps_ladder_begin(). */
void smaps_ladder_finish(struct smaps_ladder *ladder, struct ctprof_batch *batch);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads the memory of each process from the first of these files that works: the leader's
 * smaps_rollup; its smaps, if the kernel does not have smaps_rollup; either file of a live sibling,
 * if the leader has exited.  The caller processes the text and the answer.
 */
#pragma once

#include <stdatomic.h>

#include "async.h"
#include "clock.h"
#include "option.h"
#include "smaps-sums.h"

#include "ctprof/source.h"

/* The files to try. */
enum smaps_files {
	SMAPS_AUTO,   /* the whole ladder */
	SMAPS_ROLLUP, /* smaps_rollup only */
	SMAPS_FULL,   /* smaps only */
	/* Reads not smaps, but a file that needs the same lock: the command line. */
	SMAPS_CMDLINE,
};

/* Set before the first thread; spent_ns is shared by all workers. */
struct smaps_limits {
	bool never;
	bool unlimited; /* no budget */
	struct async_limits job_limits;
	uint64_t budget_ns;
	async_read_fn *read_file; /* tests replace it with a reader that blocks */
	_Atomic uint64_t spent_ns;
	_Atomic unsigned n_abandoned; /* in all captures */
};

#define SMAPS_TIMEOUT_S 1
#define SMAPS_BUDGET_S 10
#define SMAPS_LEAST_NS (NS_PER_S / 1000)
#define SMAPS_MOST_NS (3600 * NS_PER_S)

#define SMAPS_N_MODES 3
extern const struct ctprof_option_word smaps_modes[SMAPS_N_MODES];

/* Rows of a plugin's options, which smaps_limits_configure() reads. */
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
/* Prepares for another capture: resets the budget. */
void smaps_limits_again(struct smaps_limits *limits);
/* Returns the rest of the budget; UINT64_MAX without one. */
uint64_t smaps_limits_left(struct smaps_limits *limits);

/* How an attempt ended. */
enum smaps_end {
	SMAPS_READ,           /* a file was read to its end */
	SMAPS_SKIPPED,        /* must not be read at all: limits.never */
	SMAPS_TOO_DEAR,       /* the caller skipped it because of its cost */
	SMAPS_NOT_APPLICABLE, /* no thread of it has memory */
	SMAPS_VANISHED,       /* the process has ended */
	SMAPS_TIMEOUT,        /* no answer in time, or the budget was spent */
	SMAPS_FAILED,         /* see err */
};

struct smaps_answer {
	uint64_t row;
	enum smaps_end end;
	int err; /* FAILED: positive errno; TIMEOUT: ETIMEDOUT if it did not answer, 0 if the budget
		    was spent */
	bool per_mapping; /* READ: the file was smaps */
	bool sibling;     /* READ: the file of another thread than the leader */
	uint64_t ns;      /* spent reading, including files that failed */
	void *data;       /* READ: the consumer's data, owned by the ladder; otherwise NULL */
};

/* The callbacks of a user of the ladder. */
struct smaps_use {
	struct async_consumer consumer;
	size_t data_size; /* size of new data, which is zeroed */
	/* Prepares data for a file from its start. */
	void (*reset)(void *self, void *data, bool per_mapping);
	/* Optional: just before the first file of a row is opened; false skips
	 * the row, without an answer. */
	bool (*admit)(void *self, struct ctprof_batch *batch, uint64_t row);
	/* Called once for each other row. */
	void (*answer)(void *self, struct ctprof_batch *batch, const struct smaps_answer *answer);
};

/* For a struct smaps_use whose data is a struct smaps_sums: adds up all lines. */
void smaps_use_reset_sums(void *self, void *data, bool per_mapping);
#define SMAPS_USE_SUMS                                                                             \
	.consumer = {.take = smaps_sums_add, .drop = free},                                        \
	.data_size = sizeof(struct smaps_sums), .reset = smaps_use_reset_sums

/* A process to be read. */
struct smaps_want {
	uint64_t row;
	bool kernel_thread;
	bool exited;   /* the leader has exited: its files show nothing */
	bool left_out; /* not to be read: TOO_DEAR */
};

/* The state of one worker. */
struct smaps_ladder {
	const struct ctprof_host *host;
	struct smaps_limits *limits;
	enum smaps_files files;
	const struct smaps_use *use;
	void *self; /* the caller's, for its functions */
	struct async *async;
	bool is_spent;                  /* no helpers are left */
	void *data[ASYNC_JOBS];         /* by job, created when first needed */
	struct smaps_attempt *attempts; /* by job */
	struct smaps_want *wants;
	size_t n, room;
};

void smaps_ladder_init(struct smaps_ladder *ret, const struct ctprof_host *host,
		       struct smaps_limits *limits, enum smaps_files files,
		       const struct smaps_use *use, void *self);
void smaps_ladder_clear(struct smaps_ladder *ladder);

/* Prepares for a batch of that number of rows. */
int smaps_ladder_begin(struct smaps_ladder *ladder, uint64_t rows);
/* Adds a leader's row; nothing is opened yet. */
void smaps_ladder_add(struct smaps_ladder *ladder, struct smaps_want want);
/* Answers the rows added since smaps_ladder_begin(). */
void smaps_ladder_finish(struct smaps_ladder *ladder, struct ctprof_batch *batch);

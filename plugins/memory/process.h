/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of each process: status first, which is cheap and lets a process
 * that would cost too much be left out, then the smaps ladder.
 */
#pragma once

#include <limits.h>

#include "cmdline.h"
#include "smaps-put.h"
#include "status.h"
#include "users.h"

/* What option smaps-source takes, by enum smaps_files. */
#define N_PROCESS_SOURCES 3
extern const struct ctprof_option_word process_sources[N_PROCESS_SOURCES];

/* Rows of the table in metrics.h. */
#define N_PROCESS_METRICS 34u

#define PROCESS_CWD_MAX ((size_t)PATH_MAX)

/* How a row's amounts were got. */
enum process_state {
	PROCESS_EXACT,          /* a smaps file was read in full */
	PROCESS_APPROXIMATE,    /* refused: what status tells */
	PROCESS_SKIPPED,        /* too expensive: status only */
	PROCESS_TIMEOUT,        /* no answer in time: status only */
	PROCESS_INACCESSIBLE,   /* nothing could be read */
	PROCESS_NOT_APPLICABLE, /* it has no memory */
	N_PROCESS_STATES,
};

/* One leader of a batch. */
struct process {
	const struct ctprof_target *target;
	struct users *users;
	struct stat_line stat; /* when known */
	bool stat_known;
	struct status status; /* its lines on memory may be a sibling's */
	bool status_known;
	bool has_mm; /* or status could not tell */
	bool waits;  /* its values are still to be put */
	/* The command line, when it was read. */
	char *cmdline;
	size_t cmdline_len;
	uint32_t cmdline_why;
	bool stuck; /* reading one of its files took too long */
	/* What reading its memory is likely to cost, and how much of that is
	 * set aside in the budget. */
	uint64_t would_ns;
	uint64_t reserved_ns;
	/* Settled before its values are put. */
	enum process_state state;
	uint32_t why;                      /* of amounts that are absent */
	const struct smaps_answer *answer; /* NULL: nothing was tried */
	char *cwd;                         /* PROCESS_CWD_MAX bytes to read it into */
};

/* How it went: a worker's, and in sum. */
struct process_tally {
	uint64_t states[N_PROCESS_STATES];
	uint64_t denied; /* of the approximate and inaccessible ones */
	uint64_t read_ns;
};

/* One a state, and the time. */
#define N_PROCESS_SUMMARY (N_PROCESS_STATES + 1)

/* What reading costs, learned by all workers. */
struct process_cost {
	_Atomic uint64_t ns, pages;
	_Atomic uint64_t reserved_ns; /* of the budget, for reads under way */
};

/* Settled before the first thread. */
struct process_plan {
	const struct ctprof_host *host;
	struct smaps_limits *limits;
	struct smaps_limits cmdline_limits; /* the same deadline, no budget */
	enum smaps_files files;
	uint64_t max_rss;    /* bytes; UINT64_MAX: any */
	uint64_t page_bytes; /* of memory, to tell what reading costs */
	uint32_t slots[N_PROCESS_METRICS];
	bool asked[N_PROCESS_METRICS]; /* somebody wants it */
	struct smaps_slots smaps_slots;
	bool wanted;  /* some value of this plugin's own is asked for */
	bool dear;    /* one that takes the ladder is */
	bool cmdline; /* the command line is */
	struct users users;
	struct process_cost cost;
	pthread_mutex_t lock; /* of tally */
	struct process_tally tally;
	uint32_t summary[N_PROCESS_SUMMARY]; /* slots */
};

/* Reads the options smaps-source and smaps-max-rss, declares the metrics. */
int process_plan_open(struct process_plan *ret, const struct ctprof_host *host,
		      struct smaps_limits *limits);
void process_plan_start(struct process_plan *plan);
void process_plan_close(struct process_plan *plan);

/* A worker's own. */
struct process_worker {
	struct process_plan *plan;
	char *buf;
	char *cwd;
	struct process *processes; /* by row; only leaders' are set */
	uint64_t n;
	size_t room;
	struct smaps_ladder ladder, cmdlines;
	struct process_tally tally;
	/* The last leader, whose name its threads bear. */
	int32_t tgid;
	uint64_t leader;
};

int process_worker_open(struct process_plan *plan, struct process_worker *ret);
void process_worker_close(struct process_worker *worker);

int process_begin(struct process_worker *worker, uint64_t rows);
/* Reads what is cheap of a row. */
void process_add(struct process_worker *worker, struct ctprof_batch *batch, uint64_t row);
/* Fills the rows added since process_begin(). */
void process_finish(struct process_worker *worker, struct ctprof_batch *batch);
/* After that: whether a row is that of a process with a memory, and how its
 * mappings are to be read; left out: too big, or it did not answer. */
bool process_want_mappings(const struct process_worker *worker, uint64_t row,
			   struct smaps_want *ret);

/* What the workers that have ended counted. */
int process_summary_declare(struct process_plan *plan);
/* Fills the one row of a capture batch, and says what could be mended. */
void process_summary_put(const struct process_plan *plan, struct ctprof_batch *batch);

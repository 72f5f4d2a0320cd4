/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of each process: status first, which is cheap and allows skipping
 * an expensive process, then the smaps ladder.
 */
#pragma once

#include "cmdline.h"
#include "smaps-put.h"
#include "status.h"
#include "users.h"

/* The values of the option smaps-source, by enum smaps_files. */
#define N_PROCESS_SOURCES 3
extern const struct ctprof_option_word process_sources[N_PROCESS_SOURCES];

/* Rows of the table in metrics.h. */
#define N_PROCESS_METRICS 35u

/* status lists up to 65536 groups of up to ten digits. */
#define PROCESS_BUFFER_SIZE (256u * 1024)

/* How a row's amounts were read. */
enum process_state {
	PROCESS_EXACT,          /* a smaps file was read in full */
	PROCESS_APPROXIMATE,    /* refused: status only */
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
	struct stat_line stat; /* the leader's stat, if it was read */
	bool stat_known;
	struct status status; /* the lines about memory may be those of a sibling */
	bool has_mm;          /* true if status does not show it */
	bool waits;           /* its values have not been put yet */
	/* The command line, if it was read. */
	char *cmdline;
	size_t cmdline_len;
	uint32_t cmdline_why;
	bool stuck; /* reading one of its files timed out */
	/* The estimated cost of reading its memory, and the part of it that is reserved in the
	 * budget. */
	uint64_t would_ns;
	uint64_t reserved_ns;
	/* Set before its values are put. */
	enum process_state state;
	uint32_t why;                        /* reason of absent amounts */
	const struct smaps_answer *answer;   /* NULL: not tried */
	const struct process_metric *metric; /* the value to be put */
	const struct ctprof_host *host;
	char *buf; /* PROCESS_BUFFER_SIZE bytes to read into */
};

/* Counts of a worker, and their sum. */
struct process_tally {
	uint64_t states[N_PROCESS_STATES];
	uint64_t denied; /* refused: among the approximate and inaccessible ones */
	uint64_t read_ns;
};

/* One metric for each state, and the time. */
#define N_PROCESS_SUMMARY (N_PROCESS_STATES + 1)

/* The cost of reading, measured by all workers. */
struct process_cost {
	_Atomic uint64_t ns, pages;
	_Atomic uint64_t reserved_ns; /* part of the budget reserved for reads in progress */
};

/* The plan, which is made before the first thread. */
struct process_plan {
	const struct ctprof_host *host;
	struct smaps_limits *limits;
	struct smaps_limits cmdline_limits; /* limits with the same deadline, but no budget */
	enum smaps_files files;
	uint64_t max_rss;    /* bytes; UINT64_MAX: any */
	uint64_t page_bytes; /* memory read so far, to estimate the cost of reading */
	uint32_t slots[N_PROCESS_METRICS];
	bool asked[N_PROCESS_METRICS]; /* wanted metrics */
	struct smaps_slots smaps_slots;
	bool wanted;     /* some value that only this plugin has is wanted */
	bool dear;       /* a value read by the ladder is wanted */
	bool cmdline;    /* the command line is wanted */
	bool impersonal; /* command line and directory of a process are left out */
	struct users users;
	struct process_cost cost;
	pthread_mutex_t lock; /* of tally */
	struct process_tally tally;
	bool is_reported;                    /* an earlier sample reported processes without PSS */
	uint32_t summary[N_PROCESS_SUMMARY]; /* slots */
};

/* Reads the options smaps-source, smaps-max-rss and no-cmdline, declares the metrics. */
int process_plan_open(struct process_plan *ret, const struct ctprof_host *host,
		      struct smaps_limits *limits);
void process_plan_start(struct process_plan *plan);
/* Prepares the plan for another capture. */
void process_plan_again(struct process_plan *plan);
void process_plan_close(struct process_plan *plan);

/* The data of one worker. */
struct process_worker {
	struct process_plan *plan;
	char *buf;
	struct process *processes; /* by row; only leaders' are set */
	uint64_t n;
	size_t room;
	struct smaps_ladder ladder, cmdlines;
	struct process_tally tally;
	/* The last leader, whose name is also put for its threads. */
	int32_t tgid;
	uint64_t leader;
};

int process_worker_open(struct process_plan *plan, struct process_worker *ret);
void process_worker_close(struct process_worker *worker);

int process_begin(struct process_worker *worker, uint64_t rows);
/* Reads the cheap files of a row. */
void process_add(struct process_worker *worker, struct ctprof_batch *batch, uint64_t row);
/* Fills the rows added since process_begin(). */
void process_finish(struct process_worker *worker, struct ctprof_batch *batch);
/* After process_finish(): whether a row is a process with memory whose mappings can be read, and
 * how; false if it is too large, or did not answer. */
bool process_want_mappings(const struct process_worker *worker, uint64_t row,
			   struct smaps_want *ret);

/* Declares the metrics of the summary. */
int process_summary_declare(struct process_plan *plan);
/* Fills the only row of a capture batch, and reports what the user can fix. */
void process_summary_put(const struct process_plan *plan, struct ctprof_batch *batch);

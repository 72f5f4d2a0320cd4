/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The turns of a thread, as the programs count and hand them out; for both sides, so
 * without any include. */
#pragma once

/* Up to 2^38.5 ns, 6 minutes; longer ones count in the last bucket.  More would not fit
 * into 2 KiB of the kernel's memory for each thread. */
#define TURN_BUCKETS 156u

/* The histograms of a thread. */
enum turn_histogram {
	TURN_WOKEN,     /* waits that began with a wakeup */
	TURN_PREEMPTED, /* waits of a thread that could have gone on */
	TURN_SLICE,     /* time on a CPU */
	N_TURN_HISTOGRAMS,
};

/* struct turns.state */
#define TURNS_UNBASED 0u /* nothing is counted yet */
#define TURNS_BASING 1u  /* on one CPU, for a moment */
#define TURNS_BASED 2u

/* Of a thread; in its task storage. */
struct turns {
	/* The kernel's counters at the last switch that was counted. */
	unsigned long long run_delay, pcount, exec;
	/* Since the base: what the histograms add up to. */
	unsigned long long wait_ns, slice_ns;
	unsigned long long switches; /* away from it */
	unsigned long long merged; /* turns that are part of the next one, as a switch was missed */
	unsigned long long base_switches; /* nvcsw + nivcsw of the kernel, at the base */
	unsigned int state;
	unsigned int preempted; /* the last switch was no sleep */
	unsigned int counts[N_TURN_HISTOGRAMS][TURN_BUCKETS];
};

/* Handed out of a thread; struct turns follows unless it is all 0. */
struct turn_record {
	unsigned int tid, tgid; /* of the initial PID namespace */
	unsigned int has_turns;
	unsigned int state;
	/* Of the turn that has not ended yet, and the kernel's count of switches since the base. */
	unsigned long long open_wait_ns, open_slice_ns, switches;
};

/* What the iterator does. */
enum turn_pass {
	PASS_CREATE, /* makes the storage of each thread */
	PASS_BASE,   /* begins to count, where no switch has */
	PASS_READ,
};

/* One switch in so many is timed. */
#define COST_EVERY 64u
#define COST_CPUS 512u
#define COST_MOST_NS 10000u

/* What the program costs, on one CPU; a cache line. */
struct turn_cost {
	unsigned long long switches, timed, timed_ns;
	unsigned long long unused[5];
};

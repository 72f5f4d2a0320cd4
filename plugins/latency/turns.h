/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The turns of a thread, as the programs count and write them.  The reader uses it, too: no
 * includes. */
#pragma once

/* Up to 2^38.5 ns, 6 minutes; longer times count in the last bucket.  More buckets would not fit
 * into 2 KiB of kernel memory per thread. */
#define TURN_BUCKETS 156u

/* The histograms of a thread. */
enum turn_histogram {
	TURN_WOKEN,     /* waits that began with a wakeup */
	TURN_PREEMPTED, /* waits of a thread that was still runnable */
	TURN_SLICE,     /* time on a CPU */
	N_TURN_HISTOGRAMS,
};

/* struct turns.state */
#define TURNS_UNBASED 0u /* nothing is counted yet */
#define TURNS_BASING 1u  /* state while a CPU is setting the base */
#define TURNS_BASED 2u

/* Histograms are handed out in parts of so many counts, those that are not 0 only. */
#define TURN_PART 12u
#define TURN_COUNTS (N_TURN_HISTOGRAMS * TURN_BUCKETS)
#define TURN_PARTS (TURN_COUNTS / TURN_PART)

/* Sums and states of the turns of a thread: all but the histograms. */
struct turns {
	/* The kernel's counters at the last switch that was counted. */
	unsigned long long run_delay, pcount, exec;
	/* Since the base: the sums of the histograms. */
	unsigned long long wait_ns, slice_ns;
	unsigned long long slept_ns; /* growth of run_delay that is sleep: in no histogram */
	unsigned long long switches; /* away from the thread */
	unsigned long long merged; /* turns that are part of the next one, as a switch was missed */
	unsigned long long base_switches; /* nvcsw + nivcsw of the kernel, at the base */
	unsigned long long used;          /* bit i: part i of the histograms has counts */
	unsigned int state;
	unsigned int preempted; /* the last switch was not a sleep */
	unsigned int slept;     /* the kernel began to count the wait before the sleep ended */
};

/* The task storage of a thread. */
struct turn_storage {
	struct turns turns;
	unsigned int counts[TURN_COUNTS];
};

/* The record of a thread, as written; the parts that have counts follow. */
struct turn_record {
	unsigned int tid, tgid;      /* in the initial PID namespace */
	unsigned long long switches; /* the kernel's count since the base */
	struct turns turns;          /* its times include those of the turn that has not ended */
	unsigned int parts[][TURN_PART];
};

/* The passes of the iterator. */
enum turn_pass {
	PASS_CREATE, /* makes the storage of each thread */
	PASS_BASE,   /* begins to count for threads that have not been switched out */
	PASS_READ,
};

/* One call in this many is timed. */
#define COST_EVERY 64u
#define COST_CPUS 512u
#define COST_MOST_NS 10000u

/* The programs that have a cost at each event. */
enum cost_program { COST_SWITCH, COST_WAKEUP, N_COSTS };

/* The costs of the programs on one CPU; a cache line. */
struct cpu_costs {
	struct {
		unsigned long long calls, timed, timed_ns;
	} of[N_COSTS];
	unsigned long long unused[2];
};

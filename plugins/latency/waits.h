/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for a CPU, charged to what ran meanwhile, as the programs keep them.  The reader uses
 * it, too: no includes. */
#pragma once

/* The columns to which a wait is charged.  From N_WAIT_FIXED on they are pools, the threads of
 * processes with one name, in the order in which they were first seen to run. */
enum wait_column {
	WAIT_ALL,        /* the sum of all others, without WAIT_WHILE_IDLE */
	WAIT_WHILE_IDLE, /* the part of all others during which some CPU was idle */
	WAIT_OTHER,      /* pools for which there was no room; also a row */
	WAIT_IDLE,       /* nothing: the CPU was idle */
	WAIT_INTERRUPTS,
	WAIT_UNKNOWN,
	WAIT_THROTTLED,
	WAIT_ELSEWHERE, /* the thread waited on another CPU, before it was migrated */
	WAIT_BEFORE,    /* before the probe was attached */
	N_WAIT_FIXED,
	N_WAIT_COLUMNS = 128, /* columns in all, with those of pools; a power of two */
};

/* task_struct.comm, as two numbers */
struct pool_name {
	unsigned long long half[2];
};

/* The state of a thread that waits; in its task storage. */
struct waiter {
	/* The kernel's counters at the last switch away that was seen. */
	unsigned long long run_delay, pcount;
	/* The group (cfs_rq) whose throttling may have begun its wait (0: none), and how long that
	 * had been throttled on its CPU by then. */
	unsigned long long group, throttled_ns;
	struct pool_name name; /* the name for which pool was looked up */
	unsigned int pool;
	unsigned int slept; /* as in struct turns */
};

/* A stay of a thread, or of no thread, on a CPU; the next stay begins where it ends. */
struct stay {
	unsigned long long start;
	unsigned long long interrupts_ns, while_idle_ns; /* parts of the stay */
	unsigned long long column;
};

/* The number of latest stays that are kept, and of sums before every 128th stay, from which a wait
 * of any number of stays is charged in few steps.  Every 64th of these sums is kept for longer:
 * 2^20 stays are 10 s of a CPU that switches 100 000 times a second. */
#define WAIT_STAYS 512u
#define WAIT_SHIFT 7u
#define WAIT_OLD_SHIFT 6u
#define WAIT_KEPT 128u
/* A wait of at most this many stays is charged stay by stay. */
#define WAIT_STEPS 128u

/* Sums, and the time at which they had these values. */
struct kept_sums {
	unsigned long long time;
	unsigned long long sums[N_WAIT_COLUMNS];
};

/* The record of one CPU.  Times are by the clock of its run queue. */
struct wait_cpu {
	unsigned long long began; /* the first stay */
	unsigned long long n;     /* number of stays that have ended */
	/* The current stay, which has not ended: */
	unsigned long long since;
	unsigned long long queued;           /* since when its thread had waited here */
	unsigned long long lost_ns, idle_ns; /* interrupts, and idle CPUs, until its start */
	unsigned long long switches;         /* the kernel's count, with the switch to its thread */
	unsigned long long task;             /* its thread's address */
	unsigned int pid;
	unsigned int is_idle; /* counted as idle */
	struct stay stays[WAIT_STAYS];
	/* Time by column, since the CPU's first stay. */
	unsigned long long sums[N_WAIT_COLUMNS];
	/* Earlier values of sums: the recent ones, and the old ones. */
	struct kept_sums kept[2][WAIT_KEPT];
	/* The time charged, by the pool that waited and by column. */
	unsigned long long charged[N_WAIT_COLUMNS][N_WAIT_COLUMNS];
	/* Number of wakeups, by the pool that was woken and that of the waker; WAIT_INTERRUPTS: an
	 * interrupt of an idle CPU. */
	unsigned long long woken[N_WAIT_COLUMNS][N_WAIT_COLUMNS];
};

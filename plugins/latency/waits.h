/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waits for a CPU, charged to what ran meanwhile, as the programs keep them; for both
 * sides, so without any include. */
#pragma once

/* What a wait is charged to: these, and from N_WAIT_FIXED on pools of threads by the name of
 * their process, in the order in which they were first seen to run. */
enum wait_column {
	WAIT_OTHER, /* pools for which there was no room; as a row, too */
	WAIT_IDLE,  /* nothing: the CPU was idle */
	WAIT_INTERRUPTS,
	WAIT_UNKNOWN,
	WAIT_THROTTLED,
	WAIT_ELSEWHERE,  /* it waited on another CPU, before it was migrated */
	WAIT_BEFORE,     /* before the probe was attached */
	WAIT_WHILE_IDLE, /* part of the others: some CPU of the host was idle */
	WAIT_ALL,        /* all others */
	N_WAIT_FIXED,
	N_WAIT_COLUMNS = 128, /* a power of two; with pools */
};

/* task_struct.comm, as two numbers */
struct pool_name {
	unsigned long long half[2];
};

/* Of a thread that waits; in its task storage. */
struct waiter {
	/* The kernel's counters at the last switch away that was seen. */
	unsigned long long run_delay, pcount;
	/* How long its group had been throttled on that CPU (cfs_rq) when its wait began so. */
	unsigned long long group, throttled_ns;
	struct pool_name name; /* from which its pool is known */
	unsigned int pool;
	unsigned int unused;
};

/* One stay of a thread on a CPU, or of none; the next one begins where it ends. */
struct stay {
	unsigned long long start;
	unsigned long long interrupts_ns, while_idle_ns; /* of it */
	unsigned long long column;
};

/* The last stays; and the sums of all before every 128th of them, so that a wait of any number of
 * stays is charged with few steps. */
#define WAIT_STAYS 512u
#define WAIT_SHIFT 7u
#define WAIT_KEPT 256u
/* A wait of no more is charged stay by stay. */
#define WAIT_STEPS 128u

/* Of one CPU.  Times are those of its run queue's clock. */
struct wait_cpu {
	unsigned long long began; /* the first stay */
	unsigned long long n;     /* stays that have ended */
	/* The stay that has not ended: */
	unsigned long long since;
	unsigned long long queued;           /* since when its thread had waited here */
	unsigned long long lost_ns, idle_ns; /* interrupts, and idle CPUs, until its start */
	unsigned long long switches;         /* of the kernel, the one to its thread included */
	unsigned long long task;             /* its thread's address */
	unsigned int pid;
	unsigned int is_idle; /* counted as idle */
	struct stay stays[WAIT_STAYS];
	/* Time by column, since the CPU's first stay. */
	unsigned long long sums[N_WAIT_COLUMNS];
	/* The same, as it was, and when. */
	unsigned long long times[WAIT_KEPT];
	unsigned long long kept[WAIT_KEPT][N_WAIT_COLUMNS];
	/* Charged, by the pool that waited and by column. */
	unsigned long long charged[N_WAIT_COLUMNS][N_WAIT_COLUMNS];
};

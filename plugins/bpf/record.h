/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of a thread that task.bpf.c writes.  The loader uses it, too: no includes. */
#pragma once

/* More than any kernel is built for (8192 CPUs). */
#define RECORD_CPUS_BYTES 1024u
#define RECORD_NAME_BYTES 16u

/*
 * The numbers of a thread, by the names of their metrics: V(NAME) for one, D(WHAT) for the five of
 * a delay.  The record has them as the kernel keeps them; decode.c converts them.  Statistics and
 * delays come last: most kernels count neither, and records are then written without them.
 */
/* clang-format off */
#define RECORD_VALUES(V, D) \
	V(ppid) V(uid) V(cutime_clock_ticks) V(cstime_clock_ticks) V(minflt) V(majflt) V(utime_clock_ticks) V(stime_clock_ticks) V(priority) \
	V(nice) V(start_time_clock_ticks) V(processor) V(rt_priority) V(run_time_ns) \
	V(wait_time_ns) V(timeslices) V(open_wait_ns) V(state) V(nr_threads) V(voluntary_csw) \
	V(nonvoluntary_csw) V(ext_enabled) V(nr_migrations) V(fair_slice_ns) \
	V(util_avg) V(runnable_avg) V(load_avg) V(util_est) V(rchar) V(wchar) V(syscr) V(syscw) V(read_bytes) V(write_bytes) \
	V(cancelled_write_bytes) V(hiwater_rss_bytes) V(hiwater_vm_bytes) \
	D(cpu) \
	V(nr_wakeups) V(nr_wakeups_local) V(nr_wakeups_remote) V(nr_wakeups_sync) \
	V(nr_wakeups_migrate) V(nr_wakeups_affine) V(nr_wakeups_affine_attempts) \
	V(nr_forced_migrations) V(nr_failed_migrations_affine) \
	V(nr_failed_migrations_running) V(nr_failed_migrations_hot) V(wait_sum) \
	V(wait_count) V(wait_max) V(voluntary_sleep_ns) V(sleep_max) V(block_sum) \
	V(block_max) V(iowait_sum) V(iowait_count) V(exec_max) V(slice_max) \
	V(core_forceidle_sum) \
	D(blkio) D(swapin) D(freepages) D(thrashing) D(compact) D(wpcopy) D(irq)
/* clang-format on */

#define RECORD_VALUE_(name) VALUE_##name,
#define RECORD_DELAY_(what)                                                                        \
	VALUE_##what##_delay_count, VALUE_##what##_delay_total_ns, VALUE_##what##_delay_max_ns,    \
		VALUE_##what##_delay_min_ns, VALUE_##what##_delay_max_at,

enum record_value {
	RECORD_VALUES(RECORD_VALUE_, RECORD_DELAY_) N_RECORD_VALUES,
	FIRST_STATISTIC = VALUE_nr_wakeups,
	FIRST_BLOCK_DELAY = VALUE_blkio_delay_count,
};

#define RECORD_HAS_WORDS ((N_RECORD_VALUES + 63u) / 64u)

/* struct record.flags */
#define RECORD_KERNEL_THREAD 1u   /* of the thread */
#define RECORD_LEADER_KERNEL 2u   /* of the process */
#define RECORD_NO_PREV_CPUTIME 4u /* this kernel never scales utime and stime */
#define RECORD_HAS_EXT 8u         /* this kernel can have a scheduler of sched_ext */
#define RECORD_HAS_DELAYS 16u     /* CONFIG_TASK_DELAY_ACCT */
#define RECORD_DELAYS_COUNTED 32u /* counted for this thread, since its start */
#define RECORD_HAS_PEAKS 64u      /* CONFIG_TASK_XACCT */
#define RECORD_EXITING 128u       /* it has begun to end; zombies have this flag, too */

struct record {
	unsigned int tid;  /* in the reader's PID namespace; 0: it has none, having ended */
	unsigned int tgid; /* in the reader's PID namespace */
	unsigned int flags;
	unsigned int policy;
	unsigned long long cgroup;      /* inode of its directory in cgroup2; 0: unknown */
	unsigned long long sched_class; /* address: distinguishes classes */
	unsigned long long css_set;     /* address: the same for threads in the same cgroups */
	/* The inputs of cputime_adjust(), in ns. */
	unsigned long long sum_exec_runtime;
	unsigned long long prev_utime, prev_stime;
	char comm[RECORD_NAME_BYTES];
	char pcomm[RECORD_NAME_BYTES];
	unsigned long long has[RECORD_HAS_WORDS]; /* bit i: this kernel has value i */
	unsigned long long value[N_RECORD_VALUES];
};

/* A live thread as it is written: the two parts separately, and only the first n_values and
 * cpus_bytes of them. */
struct live_record {
	struct record record;
	unsigned char cpus[RECORD_CPUS_BYTES]; /* CPUs on which the thread may run */
};

/* Data saved when a thread begins to end, until its last switch.  The peaks are in pages. */
struct exit_data {
	unsigned int tid, tgid, ppid, uid;
	unsigned long long flags, cgroup; /* of struct record */
	unsigned long long end_ns;        /* CLOCK_MONOTONIC */
	struct peaks {
		unsigned long long rss, vm, are_known;
	} peaks;
	char pcomm[RECORD_NAME_BYTES];
};

/* A thread that ended. */
struct ended {
	struct record record;
	unsigned long long end_ns;     /* CLOCK_MONOTONIC */
	unsigned long long elapsed_ns; /* from its start to its end */
	unsigned int uid;
	unsigned int exit_code; /* as wait() reports it */
};

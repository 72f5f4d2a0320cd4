/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measures what the programs of the plugin latency cost.  TASKS are the sum of enum probe_task, or
 * "empty": a program that returns at once.
 *
 *   turns ping-pong TASKS PAIRS MS   two processes wake each other on one CPU all the time. Prints,
 *                                    PAIRS times, their switches per second of CPU time with the
 *                                    programs, divided by those just before and after without.
 *   turns hand-out THREADS PAIRS     prints, PAIRS times, the CPU time of reading THREADS threads
 *                                    that were switched, and as many that were not, divided by
 *                                    that of an iterator that writes eight bytes a thread.
 *   turns hold TASKS COMMAND...      runs a command with the programs attached; 0: without.
 *
 * The exit status is 77 if this kernel or user permits no programs.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <err.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../plugins/latency/probe.h"
#include "iterator.h"

#define SKIPPED 77
#define EMPTY (~0u)
#define N_PROCESSES 10u
#define STACK_BYTES 32768u
#define MOST_BYTES ((size_t)1 << 30)
#define SETTLE_US 20000u

/* Shared with the processes that are planted. */
static struct shared {
	_Atomic unsigned n_asleep;
	_Atomic unsigned long n_rounds;
	unsigned generation; /* a futex */
} * shared;

/* ---- programs of a few instructions ----------------------------------------- */

#define INSN(c, d, s, o, i)                                                                        \
	(struct bpf_insn)                                                                          \
	{                                                                                          \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)                \
	}
#define MOVE_NUMBER(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOVE(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LOAD(d, s, o) INSN(BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0)
#define STORE(d, s, o) INSN(BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int load_program(enum bpf_attach_type type, const char *prefix, const char *name,
			const struct bpf_insn *insns, size_t n)
{
	char of[64];

	(void)snprintf(of, sizeof of, "%s%s", prefix, name);
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(
			       btf, of, type == BPF_TRACE_ITER ? BTF_KIND_FUNC : BTF_KIND_TYPEDEF)
		     : -1;
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = type,
		    .attach_btf_id = (__u32)id);

	btf__free(btf);
	return id < 0 ? id
		      : bpf_prog_load(BPF_PROG_TYPE_TRACING, "bare", "GPL", insns, n, &options);
}

/* Returns a link to a program at each switch that does nothing. */
static int attach_empty(void)
{
	const struct bpf_insn insns[] = {MOVE_NUMBER(BPF_REG_0, 0), EXIT};
	int fd = load_program(BPF_TRACE_RAW_TP, "btf_trace_", "sched_switch", insns,
			      sizeof insns / sizeof *insns);

	return fd < 0 ? fd : bpf_raw_tracepoint_open(NULL, fd);
}

/* Returns a link to an iterator over threads that writes eight bytes for each. */
static int link_bare(void)
{
	const struct bpf_insn insns[] = {
		LOAD(BPF_REG_1, BPF_REG_1, 0), /* meta */
		LOAD(BPF_REG_1, BPF_REG_1, 0), /* its seq_file */
		MOVE_NUMBER(BPF_REG_0, 0),     STORE(BPF_REG_10, BPF_REG_0, -8),
		MOVE(BPF_REG_2, BPF_REG_10),   ADD(BPF_REG_2, -8),
		MOVE_NUMBER(BPF_REG_3, 8),     CALL(BPF_FUNC_seq_write),
		MOVE_NUMBER(BPF_REG_0, 0),     EXIT,
	};
	int fd = load_program(BPF_TRACE_ITER, "bpf_iter_", "task", insns,
			      sizeof insns / sizeof *insns);

	return fd < 0 ? fd : bpf_link_create(fd, 0, BPF_TRACE_ITER, NULL);
}

/* ---- the programs of the plugin --------------------------------------------- */

static void skip(const char *what, int error)
{
	warnx("%s: %s", what, strerror(error));
	exit(SKIPPED);
}

static struct probe *attach(unsigned tasks)
{
	struct probe *probe = NULL;
	int r = tasks ? probe_load(tasks, 0, &probe) : 0;

	if (r < 0)
		skip("the programs of the plugin", -r);
	return probe;
}

static unsigned parse_tasks(const char *text)
{
	return strcmp(text, "empty") == 0 ? EMPTY : (unsigned)strtoul(text, NULL, 10);
}

static void plant(void (*work)(unsigned), unsigned argument, pid_t *ret_pid)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "a process");
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(argument);
		_exit(1);
	}
	*ret_pid = pid;
}

static void end_all(const pid_t *pids, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		(void)kill(pids[i], SIGKILL);
	for (unsigned i = 0; i < n; i++)
		(void)waitpid(pids[i], NULL, 0);
}

/* ---- ping-pong ------------------------------------------------------------------ */

static int pipes[2][2];

static void play(unsigned side)
{
	cpu_set_t set;
	char byte = 0;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	(void)sched_setaffinity(0, sizeof set, &set);
	if (side == 0)
		(void)!write(pipes[0][1], &byte, 1);
	while (read(pipes[1 - side][0], &byte, 1) == 1 && write(pipes[side][1], &byte, 1) == 1)
		if (side == 0)
			shared->n_rounds++;
}

struct count {
	double run_ns, rounds;
};

static struct count count_of(const pid_t *pids)
{
	struct count count = {.rounds = (double)shared->n_rounds};
	struct timespec used;
	clockid_t clock;

	for (unsigned side = 0; side < 2; side++) {
		if (clock_getcpuclockid(pids[side], &clock) != 0 || clock_gettime(clock, &used) < 0)
			errx(1, "the CPU time of a process");
		count.run_ns += (double)used.tv_sec * 1e9 + (double)used.tv_nsec;
	}
	return count;
}

/* Returns how often both woke each other per ns of CPU time, for that long. */
static double measure_speed(const pid_t *pids, unsigned ms)
{
	const struct count before = count_of(pids);

	(void)usleep(ms * 1000);
	const struct count after = count_of(pids);
	return (after.rounds - before.rounds) / (after.run_ns - before.run_ns);
}

static double measure_with(const pid_t *pids, unsigned tasks, unsigned ms)
{
	int fd = tasks == EMPTY ? attach_empty() : -1;
	struct probe *probe = tasks == EMPTY ? NULL : attach(tasks);

	if (tasks == EMPTY && fd < 0)
		skip("an empty program", errno);
	(void)usleep(SETTLE_US);
	double speed = measure_speed(pids, ms);
	probe_free(probe);
	if (fd >= 0)
		(void)close(fd);
	(void)usleep(SETTLE_US);
	return speed;
}

static void ping_pong(unsigned tasks, unsigned pairs, unsigned ms)
{
	pid_t pids[2];

	/* Others would disturb the players, and delay the changes. */
	(void)setpriority(PRIO_PROCESS, 0, -20);
	if (pipe2(pipes[0], 0) < 0 || pipe2(pipes[1], 0) < 0)
		err(1, "pipes");
	for (unsigned side = 0; side < 2; side++)
		plant(play, side, &pids[side]);
	(void)usleep(SETTLE_US);
	double before = measure_speed(pids, ms);
	for (unsigned i = 0; i < pairs; i++) {
		double with = measure_with(pids, tasks, ms), after = measure_speed(pids, ms);

		printf("%.4f\n", 2 * with / (before + after));
		before = after;
	}
	end_all(pids, 2);
}

/* ---- hand-out ----------------------------------------------------------------- */

/* Threads sleep until the generation changes. */
static void *sleep_on(void *unused)
{
	(void)unused;
	for (unsigned seen = 0;; seen = shared->generation) {
		shared->n_asleep++;
		while (shared->generation == seen)
			(void)syscall(SYS_futex, &shared->generation, FUTEX_WAIT, seen, NULL, NULL,
				      0);
	}
	return NULL;
}

static void hold_threads(unsigned n)
{
	pthread_attr_t attributes;
	pthread_t thread;

	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned i = 1; i < n; i++)
		if (pthread_create(&thread, &attributes, sleep_on, NULL) != 0)
			_exit(1);
	(void)sleep_on(NULL);
}

static void await_asleep(unsigned n)
{
	for (unsigned i = 0; shared->n_asleep < n; i++) {
		if (i > 6000)
			errx(1, "%u of %u threads", shared->n_asleep, n);
		(void)usleep(10000);
	}
	(void)usleep(SETTLE_US);
}

static double now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double measure_bare(int link)
{
	static char *bytes;
	static size_t size;
	double began = now_ns();
	size_t used = 0;
	int fd = bpf_iter_create(link);

	if (fd < 0 || iterator_read(fd, &bytes, &size, MOST_BYTES, &used) < 0)
		errx(1, "the bare iterator");
	(void)close(fd);
	return now_ns() - began;
}

static double measure_pass(struct probe *probe)
{
	double began = now_ns();

	if (probe_pass(probe, PASS_READ) < 0)
		errx(1, "the iterator");
	return now_ns() - began;
}

static size_t count_moved(const struct probe *probe)
{
	size_t n, moved = 0;
	const struct turn_record *const *records = probe_records(probe, &n);

	for (size_t i = 0; i < n; i++)
		moved += records[i]->turns.switches > 0;
	return moved;
}

static void hand_out(unsigned n, unsigned pairs)
{
	pid_t pids[N_PROCESSES];
	int link = link_bare();
	double ratio[100];

	if (link < 0)
		skip("an iterator", errno);
	for (unsigned i = 0; i < N_PROCESSES; i++)
		plant(hold_threads, n / N_PROCESSES, &pids[i]);
	await_asleep(n);
	struct probe *probe = attach(PROBE_TURNS);
	for (unsigned i = 0; i <= pairs; i++)
		ratio[i] = measure_pass(probe) / measure_bare(link);
	shared->generation = 1;
	(void)syscall(SYS_futex, &shared->generation, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	await_asleep(2 * n);
	/* The first ones allocate memory. */
	(void)measure_pass(probe);
	fprintf(stderr, "%zu threads were switched\n", count_moved(probe));
	for (unsigned i = 1; i <= pairs; i++) {
		double moved = measure_pass(probe), bare = measure_bare(link);

		printf("%.3f %.3f %.0f\n", moved / bare, ratio[i], bare / n);
	}
	probe_free(probe);
	end_all(pids, N_PROCESSES);
}

/* ---- beside a command ----------------------------------------------------------- */

static int hold(unsigned tasks, char **command)
{
	struct probe *probe = attach(tasks);
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		err(1, "%s", command[0]);
	probe_free(probe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		err(1, "memory");
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 5 && strcmp(argv[1], "ping-pong") == 0)
		ping_pong(parse_tasks(argv[2]), (unsigned)strtoul(argv[3], NULL, 10),
			  (unsigned)strtoul(argv[4], NULL, 10));
	else if (argc == 4 && strcmp(argv[1], "hand-out") == 0 && strtoul(argv[3], NULL, 10) < 100)
		hand_out((unsigned)strtoul(argv[2], NULL, 10),
			 (unsigned)strtoul(argv[3], NULL, 10));
	else if (argc > 3 && strcmp(argv[1], "hold") == 0)
		return hold(parse_tasks(argv[2]), &argv[3]);
	else
		errx(2, "see the comment at the top of tests/bench/turns.c");
	return 0;
}

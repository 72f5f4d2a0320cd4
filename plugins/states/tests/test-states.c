/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the kinds by state and call, the instants, and the plugin on trees of files. */
#include <math.h>
#include <string.h>

#include "../../common/tests/run.h"
#include "../history.h"
#include "../jitter.h"
#include "../kinds.h"
#include "../syscall-file.h"
#include "looks.h"

#define S 0x1u
#define D 0x2u
#define X86 MACHINE_X86_64
#define ARM MACHINE_AARCH64
#define FUTEX 202
#define SOCKET 0140777u
#define PIPE 0010600u
#define FILE_MODE 0100644u
#define ANON 0600u

/* ---- the kind of one record --------------------------------------------------- */

static const struct {
	const char *what;
	guint machine;
	struct thread_record record;
	const char *wchan;
	enum kind kind;
} cases[] = {
	/* The state decides, not the number: each has a stale or foreign call. */
	{"running", X86, {.state = 0, .nr = FUTEX}, "", KIND_RUNNING},
	{"throttled", X86, {.marks = RECORD_THROTTLED}, "", KIND_THROTTLED},
	{"being woken", X86, {.state = 0x200, .nr = FUTEX}, "", KIND_RUNNING},
	{"SIGSTOP in a nanosleep", X86, {.state = 0x104, .nr = 230}, "", KIND_STOPPED},
	{"traced", X86, {.state = 0x8, .nr = 0}, "", KIND_STOPPED},
	{"frozen by cgroup v2",
	 X86,
	 {.state = S, .marks = RECORD_FROZEN, .nr = 230},
	 "",
	 KIND_STOPPED},
	{"a zombie reads fd 0", X86, {.state = 0, .marks = RECORD_IS_EXITING}, "", KIND_DEAD},
	{"the last switch", X86, {.state = 0x80}, "", KIND_DEAD},
	{"kworker", X86, {.state = 0x402, .marks = RECORD_KERNEL}, "", KIND_IDLE},
	{"kernel thread, D", X86, {.state = D, .marks = RECORD_KERNEL}, "", KIND_OTHER},
	{"freezable kernel thread", X86, {.state = 0x2001, .marks = RECORD_KERNEL}, "", KIND_IDLE},
	{"io_uring worker with registers of its creator",
	 X86,
	 {.state = S, .marks = RECORD_KERNEL, .nr = 0},
	 "",
	 KIND_IDLE},
	{"registers that may not be seen",
	 X86,
	 {.state = S, .marks = RECORD_NO_REGS},
	 "",
	 KIND_UNKNOWN},
	{"32-bit call", X86, {.state = S, .marks = RECORD_COMPAT, .nr = 3}, "", KIND_UNKNOWN},
	/* Not in a call. */
	{"page fault", X86, {.state = D, .nr = RECORD_NO_CALL}, "", KIND_FAULT},
	{"userfaultfd", ARM, {.state = S, .nr = RECORD_NO_CALL}, "", KIND_FAULT},
	/* Calls. */
	{"futex", X86, {.state = S, .nr = FUTEX, .args = {1, 0x80}}, "", KIND_LOCK},
	{"futex with a time limit",
	 X86,
	 {.state = S, .nr = FUTEX, .args = {1, 0x189, 0, 7}},
	 "",
	 KIND_IDLE},
	{"futex", ARM, {.state = S, .nr = 98}, "", KIND_LOCK},
	{"futex_wait", X86, {.state = S, .nr = 455, .args = {1, 2, 3, 4, 0}}, "", KIND_LOCK},
	{"futex_wait with a time limit",
	 ARM,
	 {.state = S, .nr = 455, .args = {1, 2, 3, 4, 5}},
	 "",
	 KIND_IDLE},
	{"flock", X86, {.state = S, .nr = 73}, "", KIND_LOCK},
	{"F_OFD_SETLKW", X86, {.state = S, .nr = 72, .args = {3, 38}}, "", KIND_LOCK},
	{"another fcntl", X86, {.state = D, .nr = 72, .args = {3, 5}}, "", KIND_FILE},
	{"read of a socket", X86, {.state = S, .nr = 0, .mode = SOCKET}, "", KIND_SOCKET},
	{"read of a pipe", X86, {.state = S, .nr = 0, .mode = PIPE}, "", KIND_PIPE},
	{"read of a file", ARM, {.state = D, .nr = 63, .mode = FILE_MODE}, "", KIND_FILE},
	{"read of a terminal", X86, {.state = S, .nr = 0, .mode = 0020620}, "", KIND_OTHER},
	{"read of an eventfd",
	 X86,
	 {.state = S, .nr = 0, .mode = ANON, .name = "[eventfd]"},
	 "",
	 KIND_PIPE},
	{"read of a timerfd",
	 X86,
	 {.state = S, .nr = 0, .mode = ANON, .name = "[timerfd]"},
	 "",
	 KIND_TIMER},
	{"inotify", X86, {.state = S, .nr = 0, .mode = ANON, .name = "inotify"}, "", KIND_OTHER},
	{"a descriptor that could not be read", X86, {.state = S, .nr = 0}, "", KIND_UNKNOWN},
	{"recvmsg", X86, {.state = S, .nr = 47}, "", KIND_SOCKET},
	{"accept", ARM, {.state = S, .nr = 202}, "", KIND_IDLE},
	{"epoll_wait", X86, {.state = S, .nr = 232}, "", KIND_IDLE},
	{"epoll_pwait", ARM, {.state = S, .nr = 22}, "", KIND_IDLE},
	{"poll", X86, {.state = S, .nr = 7, .args = {1, 2}}, "", KIND_IDLE},
	{"poll of nothing", X86, {.state = S, .nr = 7, .args = {0, 0, 100}}, "", KIND_TIMER},
	{"select of nothing", X86, {.state = S, .nr = 23}, "", KIND_TIMER},
	{"pselect6", ARM, {.state = S, .nr = 72, .args = {4}}, "", KIND_IDLE},
	{"nanosleep", X86, {.state = S, .nr = 230}, "", KIND_TIMER},
	{"wait4", X86, {.state = S, .nr = 61}, "", KIND_CHILD},
	{"vfork", X86, {.state = D, .nr = 58}, "", KIND_CHILD},
	{"fsync", X86, {.state = D, .nr = 74}, "", KIND_FILE},
	{"msgrcv", X86, {.state = S, .nr = 70}, "", KIND_PIPE},
	{"semop", ARM, {.state = S, .nr = 193}, "", KIND_LOCK},
	{"io_uring_enter", X86, {.state = S, .nr = 426}, "", KIND_IDLE},
	{"pause", X86, {.state = S, .nr = 34}, "", KIND_OTHER},
	{"a call of the future", X86, {.state = S, .nr = 100000}, "", KIND_OTHER},
	{"no row for this machine", ARM, {.state = S, .nr = 0xffff}, "", KIND_OTHER},
	{"an unknown machine", MACHINE_OTHER, {.state = S, .nr = 0}, "", KIND_UNKNOWN},
	/* After SIGCONT. */
	{"restarted", X86, {.state = S, .nr = 219}, "hrtimer_nanosleep", KIND_TIMER},
	{"restarted", X86, {.state = S, .nr = 219}, "futex_wait_queue", KIND_IDLE},
	{"restarted", ARM, {.state = S, .nr = 128}, "do_poll.constprop.0", KIND_IDLE},
	{"restarted", X86, {.state = S, .nr = 219}, "", KIND_UNKNOWN},
};

static void test_kinds(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		enum kind kind =
			kind_of(cases[i].machine, &cases[i].record, text_of(cases[i].wchan));

		g_test_message("%s: %s", cases[i].what, kind_words[kind]);
		g_assert_cmpint(kind, ==, cases[i].kind);
		g_assert_cmpint(kind_needs_wchan(cases[i].machine, &cases[i].record), ==,
				strcmp(cases[i].what, "restarted") == 0);
	}
}

/* ---- files ------------------------------------------------------------------------ */

static void test_syscall_file(void)
{
	static const struct {
		const char *text;
		gboolean ok;
		guint64 nr, first, fifth;
	} files[] = {
		{"202 0x7f01 0x80 0x2 0x0 0xffffffffffffffff 0x1 0x7ffe 0x7f02\n", TRUE, 202,
		 0x7f01, G_MAXUINT64},
		{"-1 0x7ffe 0x7f02\n", TRUE, RECORD_NO_CALL, 0, 0},
		{"running\n", TRUE, 0, 0, 0},
		{"202 0x7f01 0x80\n", FALSE, 0, 0, 0},
		{"202 7f01 0x80 0x2 0x0 0x0\n", FALSE, 0, 0, 0},
		{"202 0xg 0x80 0x2 0x0 0x0\n", FALSE, 0, 0, 0},
		{"x", FALSE, 0, 0, 0},
		{"", FALSE, 0, 0, 0},
	};

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		struct thread_record record = {.state = S};

		g_test_message("%s", files[i].text);
		g_assert_cmpint(syscall_file_parse(text_of(files[i].text), &record), ==,
				files[i].ok);
		if (!files[i].ok)
			continue;
		g_assert_cmpuint(record.nr, ==, files[i].nr);
		g_assert_cmpuint(record.args[0], ==, files[i].first);
		g_assert_cmpuint(record.args[4], ==, files[i].fifth);
		g_assert_cmpuint(record.state, ==, strcmp(files[i].text, "running\n") ? S : 0);
	}
}

static void test_links(void)
{
	static const struct {
		const char *link;
		enum kind kind;
	} links[] = {
		{"socket:[17]", KIND_SOCKET},
		{"pipe:[17]", KIND_PIPE},
		{"anon_inode:[eventfd]", KIND_PIPE},
		{"anon_inode:[timerfd]", KIND_TIMER},
		{"anon_inode:inotify", KIND_OTHER},
		{"/dev/pts/0", KIND_OTHER},
		{"/dev/shm/x", KIND_FILE},
		{"/srv/socket:[1]", KIND_FILE},
		{"", KIND_UNKNOWN},
	};

	for (guint i = 0; i < G_N_ELEMENTS(links); i++) {
		struct thread_record record = {.state = S};

		syscall_file_take_link(text_of(links[i].link), &record);
		g_test_message("%s", links[i].link);
		g_assert_cmpint(kind_of(X86, &record, text_of("")), ==, links[i].kind);
	}
}

/* ---- instants ---------------------------------------------------------------------- */

static void test_history(void)
{
	struct history history = {.at = NULL};
	const struct thread_record first[] = {{.tid = 3, .tgid = 3, .start = 1},
					      {.tid = 5, .tgid = 3, .start = 2}};
	const struct thread_record second[] = {{.tid = 4, .tgid = 4, .start = 9},
					       {.tid = 5, .tgid = 3, .start = 2}};
	const struct thread_record reused[] = {{.tid = 5, .tgid = 5, .start = 10}};
	const uint8_t lock[] = {KIND_LOCK, KIND_LOCK}, mixed[] = {KIND_PIPE, KIND_TIMER};

	g_assert_cmpint(history_add(&history, first, lock, 2), ==, 0);
	g_assert_cmpint(history_add(&history, first, lock, 2), ==, 0);
	g_assert_cmpint(history_add(&history, second, mixed, 2), ==, 0);
	const struct seen *seen = history_find(&history, 3, 5);
	g_assert_nonnull(seen);
	g_assert_cmpuint(seen->kind, ==, KIND_TIMER);
	g_assert_cmpuint(seen->since, ==, 3);
	g_assert_cmpuint(seen->before[KIND_LOCK], ==, 2);
	g_assert_cmpuint(history_find(&history, 4, 4)->since, ==, 3);
	g_assert_null(history_find(&history, 3, 3));
	g_assert_null(history_find(&history, 4, 5));
	/* Another thread of the same number begins anew. */
	g_assert_cmpint(history_add(&history, reused, lock, 1), ==, 0);
	seen = history_find(&history, 5, 5);
	g_assert_cmpuint(seen->since, ==, 4);
	g_assert_cmpuint(seen->before[KIND_TIMER], ==, 0);
	/* A start time that could not be read may be that of the same thread. */
	const struct thread_record unread[] = {{.tid = 5, .tgid = 5}};
	const uint8_t unknown[] = {KIND_UNKNOWN};
	g_assert_cmpint(history_add(&history, unread, unknown, 1), ==, 0);
	g_assert_cmpuint(history_find(&history, 5, 5)->before[KIND_LOCK], ==, 1);
	g_assert_cmpuint(history.instants, ==, 5);
	/* The threads that are gone, each with what it did. */
	g_assert_cmpuint(history.n_ended, ==, 3);
	g_assert_cmpuint(history.ended[0].tid, ==, 3);
	g_assert_cmpuint(history.ended[2].before[KIND_LOCK], ==, 2);
	history_forget_ended(&history);
	history_note_ended(&history, first, 2);
	g_assert_cmpuint(history.n_ended, ==, 1);
	g_assert_cmpuint(history.n, ==, 0);
	history_clear(&history);
}

/* A thread that sleeps for a part of each period, sampled once per period: at a fixed place, all
 * samples would be the same.  Seed 1. */
static void test_jitter(void)
{
	enum { RATE_NS = 200000000, N = 1000 };
	struct jitter jitter = {.random = 1};
	guint64 now = 12345, asleep = 0, last_slot = 0;

	for (guint i = 0; i < N; i++) {
		now += jitter_next(&jitter, now, RATE_NS);
		asleep += (now - 12345) % RATE_NS < RATE_NS * 3 / 10;
		guint64 slot = (now - 12345) / RATE_NS;
		/* One in each slot. */
		g_assert_cmpuint(slot, ==, i == 0 ? slot : last_slot + 1);
		last_slot = slot;
	}
	g_test_message("%" G_GUINT64_FORMAT " of %d", asleep, N);
	g_assert_cmpfloat(fabs((gdouble)asleep / N - 0.3), <, 0.05);
	/* If it is late, no burst of instants follows. */
	now += G_GUINT64_CONSTANT(10) * RATE_NS;
	g_assert_cmpuint(jitter_next(&jitter, now, RATE_NS), <, RATE_NS);
}

/* ---- the plugin ----------------------------------------------------------------------- */

#define STAT(state, flags)                                                                         \
	"7 (a) S (b) " state " 1 1 1 0 -1 " flags " 0 0 0 0 0 0 0 0 20 0 1 0 100 4096 5 9 94 94 "  \
	"140 0 0 0 0 0 0 1 0 0 17 0 0 0\n"
#define CALL(number, rest) number " " rest " 0x0 0x7ffe 0x7f02\n"

static void write_thread(struct run *run, int tid, const char *stat, const char *syscall)
{
	run_write_thread(run, 1000, tid, "stat", "%s", stat);
	if (syscall)
		run_write_thread(run, 1000, tid, "syscall", "%s", syscall);
}

static void begin(struct run *run)
{
	g_assert_cmpint(run->ops->open(&run->table, &run->self), ==, 0);
	g_assert_cmpint(run->ops->start(run->self), ==, 0);
}

static void collect(struct run *run)
{
	for (int tid = 1000; tid < 1004; tid++)
		fake_host_add_thread(run->fake, 1000, tid);
	run_threads(run);
}

/* A single capture looks at the threads once, and has no samples. */
static void test_capture(void)
{
	RUN run = {0};

	run_init_tree(&run);
	write_thread(&run, 1000, STAT("S", "0"), CALL("230", "0x0 0x0 0x0 0x0 0x0"));
	write_thread(&run, 1001, STAT("R", "0"), NULL);
	write_thread(&run, 1002, STAT("S", "0"), NULL);
	write_thread(&run, 1003, STAT("T", "0"), CALL("230", "0x0 0x0 0x0 0x0 0x0"));
	begin(&run);
	collect(&run);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "wait_state"), ==,
			kind_machine() == X86 ? "timer" : "other");
	g_assert_cmpstr(fake_host_string(run.fake, 1, "wait_state"), ==, "running");
	g_assert_cmpstr(fake_host_string(run.fake, 2, "wait_state"), ==, "unknown");
	g_assert_cmpstr(fake_host_string(run.fake, 3, "wait_state"), ==, "stopped");
	g_assert_cmpuint(fake_host_state(run.fake, 0, "state_samples"), ==, CTPROF_ABSENT_SKIPPED);
	g_assert_cmpuint(fake_host_opens(run.fake, "1001/syscall"), ==, 0);
}

/* Instants add up, and a thread that stays asleep has the same values after each of them. */
static void test_samples(void)
{
	guint64 next = 0;
	RUN run = {0};

	run_init_tree(&run);
	for (int tid = 1000; tid < 1004; tid++)
		write_thread(&run, tid, STAT("R", "0"), NULL);
	begin(&run);
	g_assert_cmpint(run.ops->sample(run.self, &next), ==, 0);
	g_assert_cmpuint(next, >, 0);
	g_assert_cmpuint(next, <, 2 * 200000000);
	write_thread(&run, 1001, STAT("T", "0"), NULL);
	for (guint i = 0; i < 3; i++)
		g_assert_cmpint(run.ops->sample(run.self, &next), ==, 0);
	collect(&run);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "state_samples"), ==, "running@1");
	g_assert_cmpstr(fake_host_string(run.fake, 1, "wait_state"), ==, "stopped");
	g_assert_cmpstr(fake_host_string(run.fake, 1, "state_samples"), ==, "stopped@2 running=1");
	struct ctprof_batch *host = fake_host_batch(run.fake, CTPROF_SCOPE_HOST);
	g_assert_cmpint(run.ops->collect(run.self, NULL, host), ==, 0);
	g_assert_cmpuint(fake_host_u64(run.fake, 0, "states_instants"), ==, 4);
	/* A thread ends, and what it did is reported once. */
	run_remove(&run, 1000, 1003, "stat");
	g_assert_cmpint(run.ops->again(run.self), ==, 0);
	collect(&run);
	struct ctprof_batch *objects = fake_host_batch(run.fake, CTPROF_SCOPE_OBJECT);
	g_assert_cmpint(run.ops->collect(run.self, NULL, objects), ==, 0);
	g_assert_cmpuint(fake_host_rows(run.fake), ==, 1);
	g_assert_cmpstr(fake_host_string(run.fake, 0, "ended_states"), ==, "running@1");
	g_assert_cmpstr(fake_host_target(run.fake, 0)->path, ==, "1000:1003:100");
	objects = fake_host_batch(run.fake, CTPROF_SCOPE_OBJECT);
	g_assert_cmpint(run.ops->collect(run.self, NULL, objects), ==, 0);
	g_assert_cmpuint(fake_host_rows(run.fake), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/states/kinds", test_kinds);
	g_test_add_func("/states/syscall-file", test_syscall_file);
	g_test_add_func("/states/links", test_links);
	g_test_add_func("/states/history", test_history);
	g_test_add_func("/states/jitter", test_jitter);
	g_test_add_func("/states/capture", test_capture);
	g_test_add_func("/states/samples", test_samples);
	return g_test_run();
}

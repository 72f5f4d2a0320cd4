/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares BPF's records of ended threads with the results of wait4(). */
#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/listen.h"

#define N_CHILDREN 40
#define US_PER_S 1000000
/* More records than the ring has room for (4 MiB of about 800 bytes each). */
#define N_MANY 7000

/* The children that this process has started since setup().  ppid would not suffice: a record may
 * lack it, such as that of a thread that was ending when listening began. */
static GHashTable *children_of_ours;

/* Listens; returns FALSE, after skipping the test, if this kernel or user permits no programs. */
static gboolean setup(struct listen *f)
{
	int r = listen_begin(f, NULL, NULL);

	g_clear_pointer(&children_of_ours, g_hash_table_unref);
	children_of_ours = g_hash_table_new(NULL, NULL);
	if (r == 0)
		return TRUE;
	g_assert_true(r == -EPERM || r == -EACCES || r == -EOPNOTSUPP);
	g_test_skip(fake_host_error(f->host));
	listen_end(f);
	return FALSE;
}

static pid_t start_child(void)
{
	pid_t pid = fork();

	g_assert_cmpint(pid, >=, 0);
	g_hash_table_add(children_of_ours, GINT_TO_POINTER(pid));
	return pid;
}

/* Checks the rows of children of this process; returns their number. */
static guint check_rows(struct listen *f, void (*check)(struct listen *f, guint64 row))
{
	guint found = 0;

	for (;;) {
		listen_collect(f);
		if (fake_host_rows(f->host) == 0)
			return found;
		for (guint64 row = 0; row < fake_host_rows(f->host); row++) {
			pid_t pid = fake_host_target(f->host, row)->tid;

			if (!g_hash_table_contains(children_of_ours, GINT_TO_POINTER(pid)))
				continue;
			found++;
			if (check)
				check(f, row);
		}
	}
}

/* ---- records of ended threads ----------------------------------------- */

static struct child {
	gint32 pid;
	int status;
	guint64 cpu_us, minflt;
} children[N_CHILDREN];

static void live_briefly(int number)
{
	volatile char *memory = g_malloc(256 * 1024);

	for (int i = 0; i < 256 * 1024; i += 4096)
		memory[i] = 1;
	prctl(PR_SET_NAME, "ended-bpf");
	_exit(number);
}

static void check_child(struct listen *f, guint64 row)
{
	FakeHost *host = f->host;
	const struct ctprof_target *target = fake_host_target(host, row);
	guint i = 0;

	while (i < N_CHILDREN && children[i].pid != target->tid)
		i++;
	if (i == N_CHILDREN)
		return;
	g_assert_cmpint(target->tgid, ==, target->tid);
	g_assert_cmpuint(fake_host_u64(host, row, "exit_code"), ==, (guint64)children[i].status);
	g_assert_cmpstr(fake_host_string(host, row, "comm"), ==, "ended-bpf");
	g_assert_cmpstr(fake_host_string(host, row, "pcomm"), ==, "ended-bpf");
	g_assert_cmpuint(fake_host_u64(host, row, "uid"), ==, getuid());
	g_assert_cmpint(fake_host_i64(host, row, "nice"), ==, getpriority(PRIO_PROCESS, 0));
	g_assert_cmpuint(fake_host_u64(host, row, "minflt"), ==, children[i].minflt);
	/* The child ran a little longer, from the moment its usage was taken to its end. */
	guint64 run_us = fake_host_u64(host, row, "final_run_time_ns") / 1000;
	g_test_message("%" G_GUINT64_FORMAT " us, rusage %" G_GUINT64_FORMAT, run_us,
		       children[i].cpu_us);
	g_assert_cmpuint(run_us + 1, >=, children[i].cpu_us);
	g_assert_cmpuint(fake_host_u64(host, row, "run_time_ns") / 1000, ==, run_us);
	guint64 parts = fake_host_u64(host, row, "utime_us") + fake_host_u64(host, row, "stime_us");
	g_assert_cmpuint(parts, <=, run_us);
	g_assert_cmpuint(parts + 2, >=, run_us);
	children[i].pid = 0;
}

static void test_ends(void)
{
	struct listen f = {0};
	struct rusage usage;

	if (!setup(&f))
		return;
	for (int i = 0; i < N_CHILDREN; i++) {
		struct child *child = &children[i];

		child->pid = start_child();
		if (child->pid == 0)
			live_briefly(i);
		g_assert_cmpint(wait4(child->pid, &child->status, 0, &usage), ==, child->pid);
		child->cpu_us =
			(guint64)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * US_PER_S +
			(guint64)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
		child->minflt = (guint64)usage.ru_minflt;
	}
	/* The kernel frees children at any time, but each has a record, or is counted, as soon as
	 * it has been waited for. */
	guint found = check_rows(&f, check_child);
	guint64 lost = listen_tally(&f, "exits_lost");
	g_test_message("%u found, %" G_GUINT64_FORMAT " lost", found, lost);
	g_assert_cmpuint(found, <=, N_CHILDREN);
	g_assert_cmpuint(found + lost, >=, N_CHILDREN);
	for (int i = 0; i < N_CHILDREN && lost == 0; i++)
		g_assert_cmpint(children[i].pid, ==, 0);
	listen_end(&f);
}

/* Collects a capture's row of the thread. */
static void capture(struct listen *f, pid_t pid)
{
	fake_host_add_thread(f->host, pid, pid);
	g_assert_cmpint(
		f->ops->collect(f->self, NULL, fake_host_batch(f->host, CTPROF_SCOPE_THREAD)), ==,
		0);
}

static pid_t end_one(void)
{
	siginfo_t info;
	pid_t pid = start_child();

	if (pid == 0)
		_exit(0);
	g_assert_cmpint(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), ==, 0);
	return pid;
}

/* A zombie that has not been waited for is still a thread, and gets its record later. */
static void test_zombie(void)
{
	struct listen f = {0};

	if (!setup(&f))
		return;
	pid_t pid = end_one();
	capture(&f, pid);
	g_assert_cmpuint(check_rows(&f, NULL), ==, 0);
	g_assert_cmpuint(listen_tally(&f, "exits_unfreed"), >, 0);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	/* This begins the next capture. */
	g_assert_cmpint(f.ops->again(f.self), ==, 0);
	guint found = check_rows(&f, NULL);
	g_assert_cmpuint(found + listen_tally(&f, "exits_lost"), >=, 1);
	listen_end(&f);
}

static void ignore(const struct ctprof_listing *listing, gint32 tgid, gint32 tid, guint32 is_same)
{
	(void)listing;
	(void)tgid;
	(void)tid;
	(void)is_same;
}

static void list_threads(struct listen *f)
{
	const struct ctprof_listing listing = {.struct_size = sizeof listing, .thread = ignore};

	g_assert_cmpint(f->ops->list(f->self, &listing), ==, 0);
}

/* If a thread ends during a capture, with or without a row in it, its record is in the next
 * capture; if it had ended before it could get a row, its record is in this one, listed or not. */
static void check_meanwhile(gboolean has_row, gboolean is_listed)
{
	struct listen f = {0};
	int hold[2];

	if (!setup(&f))
		return;
	g_assert_cmpint(pipe(hold), ==, 0);
	pid_t pid = start_child();
	if (pid == 0) {
		char none;

		close(hold[1]);
		_exit((int)read(hold[0], &none, 1));
	}
	if (is_listed)
		list_threads(&f);
	capture(&f, has_row ? pid : getpid());
	close(hold[0]);
	close(hold[1]);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	g_assert_cmpint(waitpid(end_one(), NULL, 0), >, 0);
	guint at_once = check_rows(&f, NULL);
	guint64 lost = listen_tally(&f, "exits_lost");
	g_assert_cmpint(f.ops->again(f.self), ==, 0);
	guint later = check_rows(&f, NULL);
	lost += listen_tally(&f, "exits_lost");
	/* Other processes may have filled the ring. */
	g_assert_cmpuint(at_once + later + lost, >=, 2);
	g_assert_cmpuint(at_once, <=, has_row ? 0 : 1);
	g_assert_cmpuint(later, <=, has_row ? 2 : 1);
	listen_end(&f);
}

static void test_meanwhile(void)
{
	for (guint i = 0; i < 4; i++)
		check_meanwhile(i % 2 > 0, i / 2 > 0);
}

/* Each thread has a row, or is counted: no loss goes unnoticed. */
static void test_overrun(void)
{
	struct listen f = {0};

	if (!setup(&f))
		return;
	for (int i = 0; i < N_MANY; i++) {
		/* fork() would copy a sanitizer's data about each page. */
		pid_t pid = vfork();

		if (pid == 0)
			_exit(0);
		g_assert_cmpint(pid, >, 0);
		g_hash_table_add(children_of_ours, GINT_TO_POINTER(pid));
		g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	}
	while (listen_tally(&f, "exits_lost") == 0)
		g_usleep(1000);
	guint64 lost, unfreed;
	guint found = 0;
	do {
		g_assert_cmpint(f.ops->drain(f.self), ==, 0);
		found += check_rows(&f, NULL);
		lost = listen_tally(&f, "exits_lost");
		unfreed = listen_tally(&f, "exits_unfreed");
	} while (found + lost + unfreed < N_MANY);
	g_test_message("%u found, %" G_GUINT64_FORMAT " lost, %" G_GUINT64_FORMAT " not freed",
		       found, lost, unfreed);
	g_assert_cmpuint(found, >, 0);
	g_assert_cmpuint(found, <, N_MANY);
	listen_end(&f);
}

static int listen_there(void)
{
	struct listen f = {0};

	return listen_begin(&f, NULL, NULL) == 0 ? 1 : 0;
}

/* In another PID namespace, thread numbers would be those of the initial one. */
static void test_namespace(void)
{
	struct listen f = {0};

	if (!setup(&f))
		return;
	listen_end(&f);
	int status = listen_elsewhere(listen_there);
	g_assert_true(status == 0 || status == 77);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bpf/exits/ends", test_ends);
	g_test_add_func("/bpf/exits/zombie", test_zombie);
	g_test_add_func("/bpf/exits/meanwhile", test_meanwhile);
	g_test_add_func("/bpf/exits/overrun", test_overrun);
	g_test_add_func("/bpf/exits/namespace", test_namespace);
	return g_test_run();
}

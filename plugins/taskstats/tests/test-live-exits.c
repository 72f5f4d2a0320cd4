/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the running kernel's records of ended threads with the results of waiting for them. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/listen.h"

#define N_CHILDREN 40
#define WRITTEN 3000
#define N_LOST 400

/* Listens; returns FALSE, after skipping the test, if this kernel or user does not permit it. */
static gboolean setup(struct listen *f, const char *buffer)
{
	int r = listen_begin(f, buffer ? "buffer" : NULL, buffer);

	if (r == -EPERM || r == -EOPNOTSUPP || r == -EINVAL) {
		g_test_skip(fake_host_error(f->host));
		listen_end(f);
		return FALSE;
	}
	g_assert_cmpint(r, ==, 0);
	return TRUE;
}

/* ---- ends ---- */

/* Writes to a file, and exits with that code. */
static G_NORETURN void live_briefly(int number)
{
	static const char text[WRITTEN];
	int fd = open("/dev/null", O_WRONLY);

	if (fd < 0 || write(fd, text, sizeof text) != (ssize_t)sizeof text)
		_exit(255);
	prctl(PR_SET_NAME, "ended-child");
	_exit(number);
}

static void *end_at_once(void *tid)
{
	*(gint32 *)tid = gettid();
	return NULL;
}

/* Checks the rows of all batches that belong to one of tids; returns their number. */
static guint check_rows(struct listen *f, const gint32 *tids, guint n,
			void (*check)(struct listen *f, guint64 row, guint i))
{
	guint found = 0;

	for (;;) {
		listen_collect(f);
		for (guint64 row = 0; row < fake_host_rows(f->host); row++)
			for (guint i = 0; i < n; i++)
				if (fake_host_target(f->host, row)->tid == tids[i]) {
					check(f, row, i);
					found++;
				}
		if (fake_host_rows(f->host) == 0)
			return found;
	}
}

static guint64 now_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (guint64)now.tv_sec * 100 + (guint64)now.tv_nsec / 10000000;
}

static guint64 began; /* in ticks */

static void check_child(struct listen *f, guint64 row, guint i)
{
	FakeHost *host = f->host;
	const struct ctprof_target *target = fake_host_target(host, row);

	/* Before version 12 the kernel does not report the process. */
	if (target->tgid != 0) {
		g_assert_cmpint(target->tgid, ==, target->tid);
		g_assert_cmpuint(fake_host_u64(host, row, "exit_code"), ==, i << 8);
	}
	g_assert_cmpstr(fake_host_string(host, row, "comm"), ==, "ended-child");
	g_assert_cmpuint(fake_host_u64(host, row, "ppid"), ==, (guint64)getpid());
	g_assert_cmpuint(fake_host_u64(host, row, "uid"), ==, getuid());
	g_assert_cmpint(fake_host_i64(host, row, "nice"), ==, getpriority(PRIO_PROCESS, 0));
	g_assert_cmpuint(fake_host_u64(host, row, "minflt"), >, 0);
	g_assert_cmpuint(fake_host_u64(host, row, "start_time_clock_ticks"), >=, began);
	g_assert_cmpuint(fake_host_u64(host, row, "start_time_clock_ticks"), <=, now_ticks());
	if (fake_host_state(host, row, "wchar") == CTPROF_PRESENT)
		g_assert_cmpuint(fake_host_u64(host, row, "wchar"), ==, WRITTEN / 1024 * 1024);
}

static void check_thread(struct listen *f, guint64 row, guint i)
{
	const struct ctprof_target *target = fake_host_target(f->host, row);

	(void)i;
	g_assert_true(target->tgid == 0 || target->tgid == getpid());
	if (target->tgid != 0)
		g_assert_cmpuint(fake_host_state(f->host, row, "exit_code"), ==,
				 CTPROF_ABSENT_INAPPLICABLE);
	g_assert_cmpuint(fake_host_u64(f->host, row, "elapsed_us"), <, 60000000);
}

/* Each child and thread leaves one record, with the known values. */
static void test_ends(void)
{
	gint32 pids[N_CHILDREN], tid;
	struct listen f = {0};
	pthread_t thread;

	began = now_ticks();
	if (!setup(&f, NULL))
		return;
	for (int i = 0; i < N_CHILDREN; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			live_briefly(i);
		g_assert_cmpint(waitpid(pids[i], NULL, 0), ==, pids[i]);
		g_assert_cmpint(f.ops->drain(f.self), ==, 0);
	}
	g_assert_cmpuint(check_rows(&f, pids, N_CHILDREN, check_child), ==, N_CHILDREN);
	listen_end(&f);
	if (!setup(&f, NULL))
		return;
	g_assert_cmpint(pthread_create(&thread, NULL, end_at_once, &tid), ==, 0);
	g_assert_cmpint(pthread_join(thread, NULL), ==, 0);
	g_assert_cmpuint(check_rows(&f, &tid, 1, check_thread), ==, 1);
	listen_end(&f);
}

/* Records for which a small buffer has no room are counted: no loss goes unnoticed. */
static void test_overrun(void)
{
	struct listen f = {0};

	if (!setup(&f, "65536"))
		return;
	for (int i = 0; i < N_LOST; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	}
	listen_collect(&f);
	g_assert_cmpuint(fake_host_rows(f.host), >, 0);
	guint64 lost = listen_tally(&f, "exits_lost");
	g_test_message("%" G_GUINT64_FORMAT " received, %" G_GUINT64_FORMAT " lost",
		       listen_tally(&f, "exits_received"), lost);
	g_assert_cmpuint(lost, >, 0);
	/* Before Linux 4.12 they are not counted. */
	if (lost > 1)
		g_assert_cmpuint(listen_tally(&f, "exits_received") + lost, >=, N_LOST);
	listen_end(&f);
}

/* Returns 0, or the number of the failed check. */
static int listen_there(void)
{
	struct listen f = {0};

	/* If listening fails, the test is skipped. */
	return setup(&f, NULL) ? 1 : 0;
}

/* A PID namespace gets no records. */
static void test_namespace(void)
{
	struct listen f = {0};

	if (!setup(&f, NULL))
		return;
	int status = listen_elsewhere(listen_there);
	g_assert_true(status == 0 || status == 77);
	listen_end(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/exits/live/ends", test_ends);
	g_test_add_func("/exits/live/overrun", test_overrun);
	g_test_add_func("/exits/live/namespace", test_namespace);
	return g_test_run();
}

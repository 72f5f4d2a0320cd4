/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that the cost of hostile processes is charged to their owner, and that ordinary processes
 * lose nothing. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakehost.h"
#include "owner.h"

#define MS 1000000u
#define LIMIT (1000u * MS)

struct books {
	FakeHost *fake;
	const struct ctprof_host *host;
	int proc;
};

static void open_books(struct books *ret)
{
	ret->fake = fake_host_new("/proc", NULL, NULL, TRUE);
	ret->host = fake_host_table(ret->fake);
	ret->proc = ret->host->root(ret->host, CTPROF_ROOT_PROC);
	owner_again();
}

static void close_books(struct books *books)
{
	fake_host_free(books->fake);
}

/* Two thousand ordinary processes of one owner do not use up its limit. */
static void test_ordinary(void)
{
	__attribute__((cleanup(close_books))) struct books books;

	open_books(&books);
	for (guint i = 0; i < 2000; i++) {
		g_assert_false(owner_is_spent(books.proc, getpid(), LIMIT));
		owner_charge(books.proc, getpid(), 3 * MS);
	}
	g_assert_false(owner_is_spent(books.proc, getpid(), LIMIT));
}

/* A process of a tree that the test writes. */
static void write_process(const char *proc, int pid, const char *uid, const char *cgroup)
{
	g_autofree char *folder = g_strdup_printf("%s/%d", proc, pid);
	g_autofree char *status = g_build_filename(folder, "status", NULL);
	g_autofree char *lines = g_build_filename(folder, "cgroup", NULL);
	g_autofree char *owner = g_strdup_printf("Uid:\t%s\t%s\t%s\t%s\n", uid, uid, uid, uid);
	g_autofree char *path = g_strdup_printf("0::%s\n", cgroup);

	g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(status, owner, -1, NULL));
	g_assert_true(g_file_set_contents(lines, path, -1, NULL));
}

/* An owner is a user in a top-level cgroup, and the first 4 ms of each process are free. */
static void test_cgroups(void)
{
	static const struct {
		const char *uid, *cgroup;
		gboolean is_same; /* as the first */
	} processes[] = {
		{"1000", "/a.slice/one.scope", TRUE},
		{"1000", "/a.slice/two.scope/deep", TRUE},
		{"1000", "/b.slice/one.scope", FALSE},
		{"1001", "/a.slice/one.scope", FALSE},
	};
	g_autofree char *proc = g_dir_make_tmp("ctprof-owner-XXXXXX", NULL);
	const char *argv[] = {"rm", "-rf", proc, NULL};

	for (gsize i = 0; i < G_N_ELEMENTS(processes); i++)
		write_process(proc, 10 + (int)i, processes[i].uid, processes[i].cgroup);
	int fd = open(proc, O_PATH | O_DIRECTORY | O_CLOEXEC);
	owner_again();
	owner_charge(fd, 10, 4 * MS + LIMIT);
	g_assert_false(owner_is_spent(fd, 10, LIMIT));
	owner_charge(fd, 10, 4 * MS + 1);
	for (gsize i = 0; i < G_N_ELEMENTS(processes); i++)
		g_assert_cmpint(owner_is_spent(fd, 10 + (int)i, LIMIT), ==, processes[i].is_same);
	owner_again();
	close(fd);
	g_spawn_sync(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		     NULL, NULL, NULL);
}

/* Starts a process of that user; has_ns: in a user namespace of its own. */
static pid_t start(uid_t user, gboolean has_ns)
{
	int ends[2];
	char byte;

	g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
	pid_t child = fork();
	if (child == 0) {
		byte = setresuid(user, user, user) == 0 && (!has_ns || unshare(CLONE_NEWUSER) == 0);
		(void)!write(ends[1], &byte, 1);
		pause();
		_exit(0);
	}
	g_assert_cmpint(read(ends[0], &byte, 1), ==, 1);
	close(ends[0]);
	close(ends[1]);
	if (byte)
		return child;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return -1;
}

static void test_hostile(void)
{
	__attribute__((cleanup(close_books))) struct books books;
	pid_t pids[] = {start(65534, FALSE), start(65534, TRUE), start(65533, FALSE)};
	guint asked = 0;

	open_books(&books);
	if (pids[0] < 0 || pids[1] < 0 || pids[2] < 0) {
		g_test_skip("needs root, and user namespaces");
	} else {
		/* Charge up to 1000 jobs of 50 ms each to two processes of the user, one in a
		 * namespace. */
		for (; asked < 1000 && !owner_is_spent(books.proc, pids[asked % 2], LIMIT); asked++)
			owner_charge(books.proc, pids[asked % 2], 50 * MS);
		g_assert_cmpuint(asked, <=, LIMIT / (45 * MS));
		g_assert_true(owner_is_spent(books.proc, pids[0], LIMIT));
		g_assert_true(owner_is_spent(books.proc, pids[1], LIMIT));
		/* No other owner is charged, and one line names this one. */
		g_assert_false(owner_is_spent(books.proc, pids[2], LIMIT));
		g_assert_false(owner_is_spent(books.proc, getpid(), LIMIT));
		owner_report(books.host);
		owner_report(books.host);
		const char *line = strstr(fake_host_log(books.fake), "user 65534");
		g_assert_nonnull(line);
		g_assert_null(strstr(line + 1, "user 65534"));
		g_assert_true(owner_is_same(books.proc, pids[0], pids[1]));
		g_assert_false(owner_is_same(books.proc, pids[0], pids[2]));
		/* These processes are not dumpable, so that their files in /proc are root's. */
		owner_leave_out(books.proc, pids[2]);
		g_assert_true(owner_is_left_out(books.proc, pids[2]));
		g_assert_false(owner_is_left_out(books.proc, pids[0]));
		g_assert_false(owner_is_left_out(books.proc, getpid()));
		owner_report(books.host);
		line = strstr(fake_host_log(books.fake), "user 65533");
		g_assert_true(line && strstr(line, "include one that did not answer"));
		owner_again();
		g_assert_false(owner_is_spent(books.proc, pids[0], LIMIT));
	}
	for (gsize i = 0; i < G_N_ELEMENTS(pids); i++) {
		if (pids[i] < 0)
			continue;
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/owner/ordinary", test_ordinary);
	g_test_add_func("/owner/cgroups", test_cgroups);
	g_test_add_func("/owner/hostile", test_hostile);
	return g_test_run();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture/walk.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lock.h"
#include "tree.h"

#define MAX_TARGETS 256

/* A tree, the requested PIDs, the maximum of threads per call, and the result:
 * calls end in ';', a leader is marked with '*'.  MISUSE: walk_new() fails. */
static const struct walk_case {
	const char *what, *tree, *pids;
	gsize max;
	const char *expected; /* NULL: walk_new() fails */
	enum { ALL, LEADERS, MISUSE } how;
} cases[] = {
	{"in-numeric-order", "10/task/10 9/task/9 100/task/100", NULL, 256, "9:9* 10:10* 100:100*;",
	 ALL},
	{"threads-in-order", "7/task/20 7/task/7 7/task/100 7/task/9", NULL, 256,
	 "7:7* 7:9 7:20 7:100;", ALL},
	{"odd-names-are-no-process",
	 "1/task/1 self/task/2 0/task/0 007/task/7 1a/task/3 -4/task/4 +5/task/5 "
	 "2147483648/task/6 99999999999999999999/task/8",
	 NULL, 256, "1:1*;", ALL},
	{"odd-names-are-no-thread", "5/task/5 5/task/x 5/task/05 5/task/4294967297", NULL, 256,
	 "5:5*;", ALL},
	{"largest-pid", "2147483647/task/2147483647", NULL, 256, "2147483647:2147483647*;", ALL},
	{"process-without-task", "3/stat 4/task/4", NULL, 256, "4:4*;", ALL},
	{"process-without-threads", "3/task/ 4/task/4", NULL, 256, "4:4*;", ALL},
	{"leader-is-gone", "6/task/8", NULL, 256, "6:8;", ALL},
	{"kept-together", "1/task/1 1/task/2 3/task/3 3/task/4 5/task/5", NULL, 3,
	 "1:1* 1:2; 3:3* 3:4 5:5*;", ALL},
	{"fills-exactly", "1/task/1 1/task/2 3/task/3", NULL, 3, "1:1* 1:2 3:3*;", ALL},
	{"giant-is-split", "1/task/1 2/task/2 2/task/3 2/task/4 2/task/5 2/task/6 7/task/7", NULL,
	 2, "1:1*; 2:2* 2:3; 2:4 2:5; 2:6 7:7*;", ALL},
	{"one-at-a-time", "1/task/1 1/task/2 3/task/3", NULL, 1, "1:1*; 1:2; 3:3*;", ALL},
	{"pid", "1/task/1 2/task/2 3/task/3", "2", 256, "2:2*;", ALL},
	{"pids-in-any-order-and-twice", "1/task/1 2/task/2 3/task/3", "3,1,3", 256, "1:1* 3:3*;",
	 ALL},
	{"pid-unknown", "1/task/1", "4", 256, NULL, ALL},
	{"pid-known-and-unknown", "1/task/1", "1,4", 256, NULL, ALL},
	{"pid-of-a-thread", "1/task/1 1/task/2 2/task/2 2/status=Name:\tx\nTgid:\t1\nPid:\t2\n",
	 "2", 256, NULL, MISUSE},
	{"pid-of-a-leader-with-status", "1/task/1 1/status=Name:\tx\nTgid:\t1\nPid:\t1\n", "1", 256,
	 "1:1*;", ALL},
	{"name-does-not-pass-for-tgid", "1/task/1 1/status=Name:\tTgid:\t9\nTgid:\t1\n", "1", 256,
	 "1:1*;", ALL},
	{"only-leaders", "1/task/1 1/task/2 3/task/3 3/task/4 5/stat", NULL, 2, "1:1* 3:3*;",
	 LEADERS},
	{"only-leaders-of-pids", "1/task/1 2/task/2 2/task/9 3/task/3", "3,2", 256, "2:2* 3:3*;",
	 LEADERS},
	{"empty", "", NULL, 256, NULL, ALL},
	{"no-process", "self/stat meminfo", NULL, 256, NULL, ALL},
};

/* "7/task/9 7/status=TEXT": threads are directories, the rest files. */
static void make_tree(const TestDir *dir, const char *tree)
{
	g_auto(GStrv) entries = g_strsplit(tree, " ", -1);

	for (guint i = 0; entries[i] && entries[i][0]; i++) {
		g_auto(GStrv) halves = g_strsplit(entries[i], "=", 2);
		g_autofree char *path =
			g_strconcat(halves[0], strstr(halves[0], "/task/") ? "/" : "", NULL);

		test_dir_add(dir, path, halves[1] ? halves[1] : "");
	}
}

static GArray *parse_pids(const char *text)
{
	g_auto(GStrv) entries = g_strsplit(text ? text : "", ",", -1);
	GArray *pids = text ? g_array_new(FALSE, FALSE, sizeof(gint32)) : NULL;

	for (guint i = 0; entries[i]; i++) {
		gint32 pid = (gint32)g_ascii_strtoll(entries[i], NULL, 10);

		g_array_append_val(pids, pid);
	}
	return pids;
}

/* Checks that each process's descriptor works, once per call, and closes it. */
static void close_targets(const struct ctprof_target *targets, gsize n)
{
	for (gsize i = 0; i < n; i++) {
		gboolean last = i + 1 == n || targets[i + 1].tgid != targets[i].tgid;
		g_autofree char *tid = g_strdup_printf("%d", targets[i].tid);

		g_assert_cmpuint(targets[i].struct_size, ==, sizeof targets[i]);
		g_assert_cmpint(faccessat(targets[i].task_fd, tid, F_OK, 0), ==, 0);
		if (!last)
			g_assert_cmpint(targets[i].task_fd, ==, targets[i + 1].task_fd);
		else
			g_assert_cmpint(close(targets[i].task_fd), ==, 0);
	}
}

static char *walk_all(Walk *walk, gsize max)
{
	struct ctprof_target targets[MAX_TARGETS];
	GString *seen = g_string_new(NULL);
	gsize n;

	while ((n = walk_next(walk, targets, max)) > 0) {
		g_assert_cmpuint(n, <=, max);
		for (gsize i = 0; i < n; i++)
			g_string_append_printf(seen, "%s%d:%d%s", seen->len ? " " : "",
					       targets[i].tgid, targets[i].tid,
					       targets[i].flags & CTPROF_TARGET_LEADER ? "*" : "");
		g_string_append_c(seen, ';');
		close_targets(targets, n);
	}
	return g_string_free(seen, FALSE);
}

static void test_tree(gconstpointer data)
{
	const struct walk_case *c = data;
	g_autoptr(TestDir) dir = test_dir_new();
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) pids = parse_pids(c->pids);

	make_tree(dir, c->tree);
	g_autoptr(Root) root = root_open(dir, NULL, NULL, &error);
	g_assert_no_error(error);
	g_autoptr(Walk) walk = walk_new(root, pids, c->how == LEADERS, &error);
	if (!c->expected) {
		g_assert_null(walk);
		g_assert_nonnull(error);
		g_assert_cmpint(error->domain == USAGE_ERROR, ==, c->how == MISUSE);
		return;
	}
	g_assert_no_error(error);
	g_autofree char *seen = walk_all(walk, c->max);
	g_assert_cmpstr(seen, ==, c->expected);
	g_assert_cmpuint(walk_processes_done(walk), ==, walk_processes(walk));
}

/* A process that exits between the first listing and its turn is skipped. */
static void test_gone(void)
{
	struct ctprof_target targets[MAX_TARGETS];
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *task = g_build_filename(dir, "2/task", NULL);
	g_autofree char *aside = g_build_filename(dir, "2/aside", NULL);

	make_tree(dir, "1/task/1 2/task/2 2/task/3 2/task/4 9/task/9");
	g_autoptr(Root) root = root_open(dir, NULL, NULL, NULL);
	g_autoptr(Walk) walk = walk_new(root, NULL, FALSE, NULL);
	g_assert_nonnull(walk);
	g_assert_cmpuint(walk_next(walk, targets, 1), ==, 1);
	close_targets(targets, 1);
	g_assert_cmpuint(walk_next(walk, targets, 2), ==, 2);
	g_assert_cmpint(targets[1].tid, ==, 3);
	close_targets(targets, 2);
	/* Even in the middle of a process with many threads. */
	g_assert_cmpint(rename(task, aside), ==, 0);
	g_autofree char *rest = walk_all(walk, 2);
	g_assert_cmpstr(rest, ==, "9:9*;");
}

/* The threads that a source lists are not looked for.  Those of a process that it does not see are,
 * and a process that began after the walk was made is not missed. */
static void test_listed(void)
{
	static const WalkThread listed[] = {{2, 2}, {2, 5}, {4, 4}, {7, 7}};
	g_autoptr(TestDir) dir = test_dir_new();
	g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof listed[0]);

	g_array_append_vals(threads, listed, G_N_ELEMENTS(listed));
	make_tree(dir, "1/task/1 1/task/3 2/task/2 2/task/5 2/task/6 9/task/9");
	g_autoptr(Root) root = root_open(dir, NULL, NULL, NULL);
	g_autoptr(Walk) walk = walk_new(root, NULL, FALSE, NULL);
	g_assert_nonnull(walk);
	make_tree(dir, "4/task/4");
	g_assert_true(walk_adopt(walk, root, threads) == walk);
	g_autofree char *seen = walk_all(walk, MAX_TARGETS);
	g_assert_cmpstr(seen, ==, "1:1* 1:3 2:2* 2:5 4:4* 9:9*;");
	g_autoptr(Walk) alone = walk_adopt(NULL, root, threads);
	g_autofree char *only = walk_all(alone, MAX_TARGETS);
	g_assert_cmpstr(only, ==, "2:2* 2:5 4:4*;");
}

#define N_STEADY 250
#define N_ROUNDS 12

/* Steady threads, and between each two of them one that exits on request. */
typedef struct crowd {
	GMutex lock;
	GCond changed;
	GHashTable *tids; /* of the steady threads */
	guint here;       /* threads that run */
	gboolean leave, over;
} Crowd;

static void wait_until(Crowd *crowd, const gboolean *sign)
{
	HOLD(&crowd->lock);

	crowd->here++;
	g_cond_broadcast(&crowd->changed);
	while (!*sign)
		g_cond_wait(&crowd->changed, &crowd->lock);
	crowd->here--;
}

static gpointer stay(gpointer data)
{
	Crowd *crowd = data;

	g_mutex_lock(&crowd->lock);
	g_hash_table_add(crowd->tids, GINT_TO_POINTER((gint)syscall(SYS_gettid)));
	g_mutex_unlock(&crowd->lock);
	wait_until(crowd, &crowd->over);
	return NULL;
}

static gpointer leave(gpointer data)
{
	Crowd *crowd = data;

	wait_until(crowd, &crowd->leave);
	return NULL;
}

static void give(Crowd *crowd, gboolean *sign)
{
	HOLD(&crowd->lock);

	*sign = TRUE;
	g_cond_broadcast(&crowd->changed);
}

static gboolean has_more_than(Crowd *crowd, guint n)
{
	HOLD(&crowd->lock);

	return crowd->here > n;
}

/* Returns the number of steady threads that one walk over this process finds. */
static guint count_found(const Root *root, const Crowd *crowd)
{
	struct ctprof_target targets[MAX_TARGETS];
	gint32 self = (gint32)getpid(), before = 0;
	g_autoptr(GArray) pids = g_array_new(FALSE, FALSE, sizeof(gint32));
	guint found = 0;
	gsize n;

	g_array_append_val(pids, self);
	g_autoptr(Walk) walk = walk_new(root, pids, FALSE, NULL);
	g_assert_nonnull(walk);
	while ((n = walk_next(walk, targets, MAX_TARGETS)) > 0) {
		for (gsize i = 0; i < n; i++) {
			g_assert_cmpint(targets[i].tgid, ==, self);
			g_assert_cmpint(targets[i].tid, >, before);
			before = targets[i].tid;
			if (g_hash_table_contains(crowd->tids, GINT_TO_POINTER(before)))
				found++;
		}
		close(targets[0].task_fd);
	}
	return found;
}

/* Walks while half of the crowd exits; returns the lowest number of steady threads found. */
static guint watch_crowd(const Root *root)
{
	Crowd crowd = {.tids = g_hash_table_new(NULL, NULL)};
	GThread *threads[2 * N_STEADY];
	guint fewest = G_MAXUINT;

	for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
		threads[i] = g_thread_new("crowd", i % 2 ? leave : stay, &crowd);
	while (!has_more_than(&crowd, G_N_ELEMENTS(threads) - 1))
		g_usleep(200);
	give(&crowd, &crowd.leave);
	do
		fewest = MIN(fewest, count_found(root, &crowd));
	while (has_more_than(&crowd, N_STEADY));
	give(&crowd, &crowd.over);
	for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
		g_thread_join(threads[i]);
	g_hash_table_unref(crowd.tids);
	return fewest;
}

/* A thread's exit may cut short a listing whose position is at that thread. */
static void test_live(void)
{
	g_autoptr(Root) root = root_open(NULL, NULL, NULL, NULL);

	g_assert_nonnull(root);
	for (guint i = 0; i < N_ROUNDS; i++)
		g_assert_cmpuint(watch_crowd(root), ==, N_STEADY);
}

static gpointer wait_for_lock(gpointer lock)
{
	g_mutex_lock(lock);
	g_mutex_unlock(lock);
	return NULL;
}

/* The threads of a process are counted before any is listed, and no more than necessary. */
static guint count_own_threads(void)
{
	g_autoptr(GDir) dir = g_dir_open("/proc/self/task", 0, NULL);
	guint n = 0;

	while (g_dir_read_name(dir))
		n++;
	return n;
}

static void test_count(void)
{
	g_autoptr(Root) root = root_open(NULL, NULL, NULL, NULL);
	g_autoptr(GArray) pids = g_array_new(FALSE, FALSE, sizeof(gint32));
	gint32 own = getpid();
	GThread *threads[10];
	GMutex lock;

	g_array_append_val(pids, own);
	g_mutex_init(&lock);
	g_mutex_lock(&lock);
	for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
		threads[i] = g_thread_new("waits", wait_for_lock, &lock);
	g_autoptr(Walk) all = walk_new(root, NULL, FALSE, NULL);
	g_autoptr(Walk) one = walk_new(root, pids, FALSE, NULL);
	g_autoptr(Walk) leader = walk_new(root, pids, TRUE, NULL);
	/* A sanitizer may have a thread of its own. */
	g_assert_cmpuint(walk_count_threads(one, 1000), ==, count_own_threads());
	g_assert_cmpuint(walk_count_threads(one, 5), ==, 5);
	g_assert_cmpuint(walk_count_threads(leader, 1000), ==, 1);
	g_assert_cmpuint(walk_count_threads(all, 1000000), >, 1 + G_N_ELEMENTS(threads));
	g_mutex_unlock(&lock);
	for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
		g_thread_join(threads[i]);
	g_mutex_clear(&lock);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/walk/tree/", cases[i].what, NULL);

		g_test_add_data_func(path, &cases[i], test_tree);
	}
	g_test_add_func("/walk/process-ends-in-between", test_gone);
	g_test_add_func("/walk/listed-by-a-source", test_listed);
	g_test_add_func("/walk/threads-are-counted-before", test_count);
	g_test_add_func("/walk/live-threads-are-all-found", test_live);
	return g_test_run();
}

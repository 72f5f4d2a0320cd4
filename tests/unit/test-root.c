/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock of recorded trees, and the threads of this process. */
#include "base/root.h"

#include <unistd.h>

#include "tree.h"
#include "watched-malloc.h"

#define S G_GUINT64_CONSTANT(1000000000)

static void test_recorded_time(void)
{
	static const struct {
		const char *uptime, *stat;      /* NULL: not recorded */
		guint64 boottime_ns, booted_at; /* 0: unknown */
	} cases[] = {
		{"15.82 2.49\n", "cpu 1\nbtime 1795210059\nprocesses 2\n", 15820000000, 1795210059},
		{"0.05 0.00\n", "cpu 1\nbtime 7\n", 50000000, 7},
		{"15.82 2.49\n", NULL, 15820000000, 0},
		{NULL, "cpu 1\nbtime 7\n", 0, 0},
		{"15.82 2.49\n", "cpu 1\nbtime x\n", 15820000000, 0},
		{"15.82 2.49\n", "cpu 1\nbtime 18446744073709551615\n", 15820000000, 0},
		{"", "", 0, 0},
		{"15\n", "", 0, 0},
		{"x.82\n", "", 0, 0},
		{"15.8\n", "", 0, 0},
		{"99999999999999999999.00 1\n", "", 0, 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(TestDir) dir = test_dir_new();

		if (cases[i].uptime)
			test_dir_add(dir, "uptime", cases[i].uptime);
		if (cases[i].stat)
			test_dir_add(dir, "stat", cases[i].stat);
		g_autoptr(Root) root = root_open(dir, NULL, NULL, NULL);
		guint64 before = (guint64)g_get_real_time() * 1000;
		RootTime time = root_time(root);
		g_assert_cmpuint(time.boottime_ns, ==, cases[i].boottime_ns);
		if (cases[i].booted_at > 0)
			g_assert_cmpuint(time.realtime_ns, ==,
					 cases[i].booted_at * S + time.boottime_ns);
		else
			g_assert_cmpuint(time.realtime_ns, >=, before);
	}
}

static void test_time_now(void)
{
	g_autoptr(Root) root = root_open(NULL, NULL, NULL, NULL);
	g_autofree char *uptime = root_read(root, "uptime");
	RootTime time = root_time(root);

	g_assert_cmpuint(time.boottime_ns / S, >=, g_ascii_strtoull(uptime, NULL, 10));
	g_assert_cmpuint(time.realtime_ns, >, time.boottime_ns);
}

/* ---- threads of our own ---- */

static guint n_threads;
static gboolean has_own;

static void note_thread(pid_t tid, gconstpointer data)
{
	g_assert_true(data == &n_threads);
	n_threads++;
	has_own |= tid == gettid();
}

static gpointer wait_for_end(gpointer data)
{
	g_mutex_lock(data);
	g_mutex_unlock(data);
	return NULL;
}

/* malloc() has locks, which may be held by a thread that waits for the load. */
static void test_own_threads_take_no_memory(void)
{
	GMutex end;

	g_mutex_init(&end);
	g_mutex_lock(&end);
	GThread *thread = g_thread_new("waits", wait_for_end, &end);
	is_watched = TRUE;
	root_each_own_thread(note_thread, &n_threads);
	is_watched = FALSE;
	g_mutex_unlock(&end);
	g_thread_join(thread);
	g_mutex_clear(&end);
	g_assert_true(has_own);
	g_assert_cmpuint(n_threads, >=, 2);
	g_assert_false(took_memory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/root/recorded-time", test_recorded_time);
	g_test_add_func("/root/time-now", test_time_now);
	g_test_add_func("/root/own-threads-take-no-memory", test_own_threads_take_no_memory);
	return g_test_run();
}

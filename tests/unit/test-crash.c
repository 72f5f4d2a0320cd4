/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page in which threads record the plugin they are in, and the report of a crash. */
#include "guard/crash.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "guard/limits.h"
#include "watched-malloc.h"

/* As many workers as a screen starts that is open for a night. */
#define N_THREADS (3 * CRASH_MAX_THREADS)

static gpointer work(gpointer op)
{
	crash_init_thread();
	crash_enter("plugin", op);
	crash_leave();
	return NULL;
}

/* Messages to the thread and from it. */
static GAsyncQueue *to, *from;

/* Enters the op, and stays in it until it is released. */
static gpointer hang(gpointer nothing)
{
	crash_init_thread();
	crash_enter("plugin", "hang");
	g_async_queue_push(from, from);
	g_async_queue_pop(to);
	return nothing;
}

static void test_threads_that_end_leave_their_place(void)
{
	static char op[] = "work";

	crash_init_page();
	crash_register();
	for (guint i = 0; i < N_THREADS; i++)
		g_thread_join(g_thread_new("worker", work, op));
	const CrashPage *page = crash_read();
	g_assert_true(crash_is_legible(page));
	g_assert_cmpuint(page->n_blames, <=, 2);
	g_assert_null(crash_find_culprit(page));
}

static void test_one_that_comes_late_is_found(void)
{
	static char op[] = "work";

	to = g_async_queue_new();
	from = g_async_queue_new();
	crash_init_page();
	crash_register();
	for (guint i = 0; i < N_THREADS; i++)
		g_thread_join(g_thread_new("worker", work, op));
	GThread *thread = g_thread_new("worker", hang, NULL);
	g_async_queue_pop(from);
	const CrashBlame *culprit = crash_find_culprit(crash_read());
	g_assert_nonnull(culprit);
	g_assert_cmpstr(culprit->op, ==, "hang");
	g_async_queue_push(to, to);
	g_thread_join(thread);
	g_async_queue_unref(to);
	g_async_queue_unref(from);
	/* The slot of a thread that ended within an op is not reused. */
	g_thread_join(g_thread_new("worker", work, op));
	culprit = crash_find_culprit(crash_read());
	g_assert_nonnull(culprit);
	g_assert_cmpstr(culprit->op, ==, "hang");
}

/* The crashed thread may hold the lock of malloc(). */
static void test_a_crash_without_memory_takes_none(void)
{
	static const struct rlimit none = {.rlim_cur = 1, .rlim_max = RLIM_INFINITY};
	gboolean (*excuse)(void);

	if (!g_test_subprocess()) {
		g_test_trap_subprocess(NULL, 0, 0);
		g_test_trap_assert_failed();
		g_test_trap_assert_stderr("ctprof: out of memory*");
		return;
	}
	crash_init();
	limits_init();
	excuse = crash_excuse;
	g_assert_cmpint(setrlimit(RLIMIT_AS, &none), ==, 0);
	is_watched = TRUE;
	if (!excuse() || took_memory)
		_exit(0);
	raise(SIGSEGV);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/crash/threads-that-end", test_threads_that_end_leave_their_place);
	g_test_add_func("/crash/late", test_one_that_comes_late_is_found);
	g_test_add_func("/crash/without-memory", test_a_crash_without_memory_takes_none);
	return g_test_run();
}

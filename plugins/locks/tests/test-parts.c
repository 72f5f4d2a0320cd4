/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the plugin: what the words of locks and the lines of /proc/locks mean, and the
 * reader that may be lost. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <unistd.h>

#include "fakehost.h"

#include "../file-locks.h"
#include "../futex.h"
#include "../peek.h"

/* ---- parsers --------------------------------------------------------------------- */

static void test_words(void)
{
	static const struct {
		const char *what;
		struct wait wait;
		guint32 words[FUTEX_WORDS];
		guint32 holder;
		enum lock_kind kind;
	} cases[] = {
		{"mutex", {4, 0x80, 2, 0}, {2, 1, 77, 1, 0}, 77, LOCK_MUTEX},
		{"recursive", {4, 0x80, 2, 0}, {2, 3, 77, 1, 1}, 77, LOCK_MUTEX},
		{"timed", {4, 0x189, 2, 0}, {2, 1, 77, 1, 2}, 77, LOCK_MUTEX},
		{"shared", {4, 0, 2, 0}, {2, 1, 77, 1, 128}, 77, LOCK_MUTEX},
		{"given back meanwhile", {4, 0x80, 2, 0}, {0, 0, 0, 0, 0}, 0, LOCK_OTHER},
		{"owner not written yet", {4, 0x80, 2, 0}, {2, 0, 0, 0, 0}, 0, LOCK_OTHER},
		{"kind of none", {4, 0x80, 2, 0}, {2, 1, 77, 1, 4096}, 0, LOCK_OTHER},
		{"private, but a shared wait", {4, 0, 2, 0}, {2, 1, 77, 1, 0}, 0, LOCK_OTHER},
		{"robust", {4, 0, 0x8000004d, 0}, {0x8000004d, 1, 77, 1, 144}, 77, LOCK_ROBUST},
		{"robust of another owner",
		 {4, 0, 0x8000004d, 0},
		 {0x8000004e, 1, 78, 1, 144},
		 0,
		 LOCK_OTHER},
		{"PI", {4, 0x86, 0, 0}, {0x8000004d, 1, 77, 1, 32}, 77, LOCK_PI},
		{"rwlock, a reader waits", {4, 0x189, 3, 0}, {3, 1, 0, 0, 77}, 77, LOCK_RWLOCK},
		{"rwlock, a writer waits", {4, 0x189, 3, 0}, {3, 0, 0, 77, 0}, 77, LOCK_RWLOCK},
		{"rwlock of readers", {4, 0x189, 3, 0}, {3, 0, 0, 0, 0}, 0, LOCK_OTHER},
		{"join", {4, 0x109, 77, 0}, {77, 0, 0, 0, 0}, 77, LOCK_JOIN},
		{"semaphore", {4, 0x189, 0, 0}, {0, 1, 0, 0, 0}, 0, LOCK_OTHER},
		{"FUTEX_WAKE", {4, 0x81, 2, 0}, {2, 1, 77, 1, 0}, 0, LOCK_OTHER},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		enum lock_kind kind;

		g_test_message("%s", cases[i].what);
		g_assert_cmpuint(lock_holder(&cases[i].wait, cases[i].words, &kind), ==,
				 cases[i].holder);
		g_assert_cmpint(kind, ==, cases[i].kind);
	}
}

static void test_lines(void)
{
	struct file_lock lock;

	g_assert_true(file_lock_parse(
		text_of("1: POSIX  ADVISORY  READ  5433 08:01:7864448 128 128"), &lock));
	g_assert_false(lock.waits);
	g_assert_cmpint(lock.pid, ==, 5433);
	g_assert_true(text_equal(lock.file, "08:01:7864448"));
	g_assert_true(
		file_lock_parse(text_of("12: -> FLOCK  ADVISORY  WRITE 7 08:01:34 0 EOF"), &lock));
	g_assert_true(lock.waits);
	g_assert_cmpuint(lock.number, ==, 12);
	g_assert_true(text_equal(lock.type, "FLOCK"));
	g_assert_true(
		file_lock_parse(text_of("2: OFDLCK ADVISORY  WRITE -1 00:19:1 0 EOF"), &lock));
	g_assert_false(file_lock_parse(text_of("2: OFDLCK ADVISORY  WRITE x 00:19:1"), &lock));
	g_assert_false(file_lock_parse(text_of("x"), &lock));
	g_assert_false(file_lock_parse(text_of(""), &lock));
}

/* ---- a helper that is lost ---------------------------------------------------------- */

/* The last child of this thread. */
static pid_t find_child(void)
{
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents("/proc/thread-self/children", &text, NULL, NULL));
	g_auto(GStrv) children = g_strsplit(g_strchomp(text), " ", -1);
	guint n = g_strv_length(children);
	return n ? (pid_t)g_ascii_strtoll(children[n - 1], NULL, 10) : 0;
}

static guint32 word[FUTEX_WORDS];

static int ask(struct peeker *peeker)
{
	int fds[] = {open("/proc/self/maps", O_RDONLY | O_CLOEXEC),
		     open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
	struct peek peek = {.address = (guint64)(uintptr_t)&word};
	int r = peeker_ask(peeker, getpid(), true, fds, &peek, 1);

	close(fds[0]);
	close(fds[1]);
	return r;
}

/* A lost child costs one deadline, and another takes its place; not more than eight times. */
static void test_lost(void)
{
	FakeHost *fake = fake_host_new(G_DIR_SEPARATOR_S "proc", NULL, NULL, TRUE);
	struct peeker *peeker;

	g_assert_cmpint(peeker_new(fake_host_table(fake), &peeker), ==, 0);
	gint64 began = g_get_monotonic_time();
	for (guint i = 0; i < 8; i++) {
		g_assert_cmpint(ask(peeker), ==, 0);
		g_assert_cmpint(kill(find_child(), SIGSTOP), ==, 0);
		g_assert_cmpint(ask(peeker), ==, -ETIMEDOUT);
	}
	g_assert_cmpint(ask(peeker), ==, -EAGAIN);
	g_test_message("%" G_GINT64_FORMAT " ms", (g_get_monotonic_time() - began) / 1000);
	g_assert_cmpint(g_get_monotonic_time() - began, <, 60 * G_USEC_PER_SEC);
	peeker_free(peeker);
	fake_host_free(fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/locks-parts/words", test_words);
	g_test_add_func("/locks-parts/lines", test_lines);
	g_test_add_func("/locks-parts/lost", test_lost);
	return g_test_run();
}

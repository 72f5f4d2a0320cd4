/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests processes made to attack an observer: they lose their own values, and no other process
 * does. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "owner.h"
#include "rig.h"
#include "traps.h"

static void end_program(const GPid *pid)
{
	kill(*pid, SIGKILL);
	waitpid(*pid, NULL, 0);
}

static void remove_folder(char **folder)
{
	const char *argv[] = {"rm", "-rf", *folder, NULL};

	g_spawn_sync(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		     NULL, NULL, NULL);
	g_free(*folder);
}

static GPid start_program(const char *path)
{
	const char *argv[] = {path, "1000", NULL};
	GError *error = NULL;
	GPid pid;

	g_spawn_async(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
		      &pid, &error);
	g_assert_no_error(error);
	return pid;
}

static void assert_trapped(Rig *rig, const char *tag)
{
	rig_collect_summary(rig);
	g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.dominant_failure"), ==, tag);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.failed"), ==, 1);
}

static void test_trap(gconstpointer data)
{
	const struct trap *trap = data;
	g_autofree char *plain = rig_built("tests/jemalloc-worker-plain");
	g_autofree char *library = rig_built("tests/libtoy-tsd.so");
	const char *argv[] = {plain, "quiet", "3", library, NULL};
	__attribute__((cleanup(remove_folder))) char *folder =
		g_dir_make_tmp("ctprof-hostile-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, TRAP_PROGRAM, NULL);
	g_autofree char *fifo = g_build_filename(folder, "fifo", NULL);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct rusage children;
	char events[4096];

	if (!rig_need(plain, "the build's worker"))
		return;
	trap_lay(trap, folder);
	(void)inotify_add_watch(watch, fifo, IN_OPEN);
	g_autoptr(RigWorker) worker = rig_worker_new(argv, NULL);
	__attribute__((cleanup(end_program))) GPid pid = start_program(path);
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	rig_collect(rig, pid);
	g_assert_cmpuint(rig->tids->len, ==, 1);
	g_assert_cmpuint(fake_host_state(rig->fake, 0, "allocated_bytes"), !=, CTPROF_PRESENT);
	if (trap->tag)
		assert_trapped(rig, trap->tag);
	g_assert_cmpint(read(watch, events, sizeof events), ==, -1); /* no one opened it */
	close(watch);
	rig_collect(rig, worker->pid);
	rig_assert_truth(rig, worker);
	/* The parser is the only child that has exited here. */
	g_clear_pointer(&rig, rig_free);
	g_assert_cmpint(getrusage(RUSAGE_CHILDREN, &children), ==, 0);
	g_assert_cmpint(children.ru_maxrss, <, 128 << 10);
}

/* Returns the CPU time to read such a process, in microseconds; -1: skipped. */
static gint64 cost_of_list(Rig *rig, const char *length)
{
	g_autofree char *program = rig_built("tests/biglist");
	g_autofree char *library = rig_built("tests/libtoy-tsd.so");
	const char *argv[] = {program, length, library, NULL};
	g_autofree char *why = NULL;
	g_autoptr(RigWorker) worker = rig_worker_try(argv, NULL, &why);
	struct rusage before, after;

	if (!worker) {
		g_test_skip(why);
		return -1;
	}
	g_assert_cmpint(getrusage(RUSAGE_SELF, &before), ==, 0);
	rig_collect(rig, worker->pid);
	g_assert_cmpint(getrusage(RUSAGE_SELF, &after), ==, 0);
	return (after.ru_utime.tv_sec + after.ru_stime.tv_sec - before.ru_utime.tv_sec -
		before.ru_stime.tv_sec) *
		       G_USEC_PER_SEC +
	       after.ru_utime.tv_usec + after.ru_stime.tv_usec - before.ru_utime.tv_usec -
	       before.ru_stime.tv_usec;
}

/* A list a thousand times as long, of threads that the kernel does not know, takes about as long to
 * read. */
static void test_list(void)
{
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	/* The first call is needed because it examines the files for all later ones. */
	gint64 first = cost_of_list(rig, "10");
	gint64 small = first < 0 ? -1 : cost_of_list(rig, "1000");
	gint64 large = small < 0 ? -1 : cost_of_list(rig, "1000000");

	if (large < 0)
		return;
	g_test_message("%" G_GINT64_FORMAT " us, %" G_GINT64_FORMAT " us", small, large);
	g_assert_cmpint(large, <, 50 * (small + 1000));
	rig_assert_absent(rig, CTPROF_ABSENT_INVALID);
}

#define MS G_GUINT64_CONSTANT(1000000)

/* The processes of one owner get a second in excess of what is ordinary, 4 ms each. */
static void test_owner(void)
{
	g_autofree char *plain = rig_built("tests/jemalloc-worker-plain");
	g_autofree char *library = rig_built("tests/libtoy-tsd.so");
	const char *argv[] = {plain, "quiet", "3", library, NULL};
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (!rig_need(plain, "the build's worker"))
		return;
	g_autoptr(RigWorker) worker = rig_worker_new(argv, NULL);
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	/* Its files are known afterwards, so that reading it again costs next to nothing. */
	rig_collect(rig, worker->pid);
	owner_again();
	owner_charge(proc, worker->pid, 1004 * MS);
	rig_collect(rig, worker->pid);
	rig_assert_truth(rig, worker);
	owner_charge(proc, worker->pid, 4 * MS + 1);
	rig_collect(rig, worker->pid);
	rig_assert_absent(rig, CTPROF_ABSENT_TIMEOUT);
	owner_again();
	close(proc);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < n_traps; i++) {
		g_autofree char *path = g_strdup_printf("/jemalloc/hostile/%s", traps[i].name);

		g_test_add_data_func(path, &traps[i], test_trap);
	}
	g_test_add_func("/jemalloc/hostile/list of threads", test_list);
	g_test_add_func("/jemalloc/hostile/owner", test_owner);
	return g_test_run();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static struct {
	const char *suffix;
	int err;
} injected;

static gboolean is_live;
static int (*real_open_file)(const struct ctprof_host *host, int dirfd, const char *path);

void run_inject(const char *suffix, int err)
{
	injected.suffix = suffix;
	injected.err = err;
}

void run_set_live(gboolean live)
{
	is_live = live;
}

int run_open_file(const struct ctprof_host *host, int dirfd, const char *path)
{
	return real_open_file(host, dirfd, path);
}

static int host_live(const struct ctprof_host *host)
{
	(void)host;
	return is_live;
}

static int failing_open_file(const struct ctprof_host *host, int dirfd, const char *path)
{
	int fd = real_open_file(host, dirfd, path);

	if (!injected.suffix || !g_str_has_suffix(path, injected.suffix))
		return fd;
	if (fd >= 0)
		close(fd);
	return -injected.err;
}

void run_init(struct run *run, const char *proc, gboolean live)
{
	run_inject(NULL, 0);
	run_set_live(live);
	run->fake = fake_host_new(proc, NULL, NULL, live);
	run->table = *fake_host_table(run->fake);
	real_open_file = run->table.open_file;
	run->table.open_file = failing_open_file;
	run->table.live = host_live;
	run->ops = ctprof_plugin_entry_v1()->ops;
}

void run_begin(struct run *run)
{
	g_assert_cmpint(run->ops->open(&run->table, &run->self), ==, 0);
	g_assert_cmpint(run->ops->start(run->self), ==, 0);
	g_assert_cmpint(run->ops->worker_open(run->self, 0, &run->worker), ==, 0);
}

void run_threads(struct run *run)
{
	struct ctprof_batch *batch = fake_host_batch(run->fake, CTPROF_SCOPE_THREAD);

	g_assert_cmpint(run->ops->collect(run->self, run->worker, batch), ==, 0);
}

void run_close_worker(struct run *run)
{
	run->ops->worker_close(run->self, run->worker);
	run->worker = NULL;
}

void run_summary(struct run *run)
{
	run_close_worker(run);
	struct ctprof_batch *batch = fake_host_batch(run->fake, CTPROF_SCOPE_CAPTURE);
	g_assert_cmpint(run->ops->collect(run->self, NULL, batch), ==, 0);
}

static void remove_tree(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *child = g_build_filename(path, name, NULL);

		remove_tree(child);
	}
	g_remove(path);
}

void run_clear(struct run *run)
{
	run_inject(NULL, 0);
	if (run->worker)
		run_close_worker(run);
	if (run->self)
		run->ops->close(run->self);
	fake_host_free(run->fake);
	if (run->root)
		remove_tree(run->root);
	g_free(run->root);
}

/* ---- trees ------------------------------------------------------------ */

void run_write(struct run *run, const char *path, const char *text)
{
	g_autofree char *whole = g_build_filename(run->root, path, NULL);
	g_autofree char *dir = g_path_get_dirname(whole);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0700), ==, 0);
	g_assert_true(g_file_set_contents(whole, text, -1, NULL));
}

void run_write_thread(struct run *run, int tgid, int tid, const char *file, const char *format, ...)
{
	va_list ap;
	g_autofree char *path = g_strdup_printf("%d/task/%d/%s", tgid, tid, file);

	va_start(ap, format);
	g_autofree char *text = g_strdup_vprintf(format, ap);
	va_end(ap);
	run_write(run, path, text);
}

void run_remove(struct run *run, int tgid, int tid, const char *file)
{
	g_autofree char *path = g_strdup_printf("%s/%d/task/%d/%s", run->root, tgid, tid, file);

	g_assert_cmpint(g_remove(path), ==, 0);
}

void run_add_thread(struct run *run, int tgid, int tid, const char *comm)
{
	run_write_thread(
		run, tgid, tid, "stat",
		"%d (%s) S 1 1 1 0 -1 4194304 %d 0 1 0 30 31 0 0 20 0 2 0 900 0 0 0 0 0 0 0 0 "
		"0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n",
		tid, comm, tid);
	run_write_thread(run, tgid, tid, "comm", "%s\n", comm);
	run_write_thread(run, tgid, tid, "cgroup", "0::/a.slice\n");
	run_write_thread(run, tgid, tid, "schedstat", "%d 2 3\n", tid);
	run_write_thread(run, tgid, tid, "status",
			 "Name:\tx\nState:\tS (sleeping)\nThreads:\t2\nCpus_allowed_list:\t0-1,3\n"
			 "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n");
	run_write_thread(run, tgid, tid, "sched", "%s (%d, #threads: 2)\n%s\nnr_wakeups : %d\n",
			 comm, tid, "--------------------------------------------------", tid);
	run_write_thread(run, tgid, tid, "io", "rchar: %d\nwchar: 2\n", tid);
	run_write_thread(run, tgid, tid, "smaps_rollup",
			 "5-7 ---p 0 00:00 0 [rollup]\nRss: %d kB\n", tid);
	g_autofree char *leader = g_strdup_printf("%d/comm", tgid);
	if (tgid == tid)
		run_write(run, leader, comm);
	fake_host_add_thread(run->fake, tgid, tid);
}

void run_init_tree(struct run *run)
{
	char *root = g_dir_make_tmp("ctprof-run-XXXXXX", NULL);

	g_assert_nonnull(root);
	run_init(run, root, FALSE);
	run->root = root;
}

/* ---- what does not answer --------------------------------------------------- */

/* These are not GLib's, into which thread sanitizers cannot see. */
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_changed = PTHREAD_COND_INITIALIZER;
static gboolean gate_open;

void run_set_gate(gboolean is_open)
{
	pthread_mutex_lock(&gate_lock);
	gate_open = is_open;
	pthread_cond_broadcast(&gate_changed);
	pthread_mutex_unlock(&gate_lock);
}

ssize_t run_gated_read(int fd, void *buf, size_t size)
{
	ssize_t got = read(fd, buf, size);

	if (got < (ssize_t)sizeof RUN_STUCK - 1 ||
	    memcmp(buf, RUN_STUCK, sizeof RUN_STUCK - 1) != 0)
		return got;
	pthread_mutex_lock(&gate_lock);
	while (!gate_open)
		pthread_cond_wait(&gate_changed, &gate_lock);
	pthread_mutex_unlock(&gate_lock);
	return got;
}

guint run_count_own(const char *folder)
{
	g_autofree char *path = g_build_filename(LIVE_PROC, "self", folder, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	guint n = 0;

	while (g_dir_read_name(dir))
		n++;
	return n;
}

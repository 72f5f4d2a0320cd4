/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rig.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

char *rig_built(const char *name)
{
	return g_build_filename(BUILD_DIR, name, NULL);
}

gboolean rig_need(const char *path, const char *what)
{
	if (g_file_test(path, G_FILE_TEST_EXISTS))
		return TRUE;
	g_autofree char *message = g_strdup_printf("no %s: %s is missing", path, what);
	g_test_skip(message);
	return FALSE;
}

/* ---- workers ------------------------------------------------------------ */

static gboolean read_line(int fd, GString *line)
{
	char c;

	g_string_truncate(line, 0);
	while (read(fd, &c, 1) == 1) {
		if (c == '\n')
			return TRUE;
		g_string_append_c(line, c);
	}
	return FALSE;
}

/* Returns the worker, which is the only child of unshare. */
static pid_t inside_unshare(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/children", (int)pid, (int)pid);
	g_autofree char *children = NULL;

	g_assert_true(g_file_get_contents(path, &children, NULL, NULL));
	return (pid_t)g_ascii_strtoll(children, NULL, 10);
}

RigWorker *rig_worker_try(const char *const *argv, const char *preload, char **ret_why)
{
	RigWorker *worker = g_new0(RigWorker, 1);
	g_auto(GStrv) env = g_get_environ();
	g_autoptr(GString) line = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	gboolean ready = FALSE;

	*ret_why = NULL;
	if (preload)
		env = g_environ_setenv(env, "LD_PRELOAD", preload, TRUE);
	g_spawn_async_with_pipes(NULL, (char **)(guintptr)argv, env,
				 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, NULL, NULL,
				 &worker->child, &worker->to, &worker->from, NULL, &error);
	g_assert_no_error(error);
	worker->pid = worker->child;
	worker->truth = g_array_new(FALSE, TRUE, sizeof(struct truth));
	while (!ready && read_line(worker->from, line)) {
		g_auto(GStrv) words = g_strsplit(line->str, " ", -1);

		ready = g_str_equal(line->str, "ready");
		g_free(*ret_why);
		*ret_why = ready ? NULL : g_strdup(line->str);
		if (g_strv_length(words) != 3)
			continue;
		struct truth truth = {
			.tid = (int)g_ascii_strtoll(words[0], NULL, 10),
			.allocated = g_ascii_strtoull(words[1], NULL, 10),
			.deallocated = g_ascii_strtoull(words[2], NULL, 10),
		};
		g_array_append_val(worker->truth, truth);
	}
	if (!ready) {
		g_clear_pointer(&worker, rig_worker_free);
		return NULL;
	}
	if (g_str_equal(argv[0], "unshare"))
		worker->pid = inside_unshare(worker->child);
	return worker;
}

RigWorker *rig_worker_new(const char *const *argv, const char *preload)
{
	g_autofree char *why = NULL;
	RigWorker *worker = rig_worker_try(argv, preload, &why);

	g_assert_nonnull(worker);
	return worker;
}

char *rig_worker_finish(RigWorker *worker)
{
	GString *said = g_string_new(NULL);
	char buf[4096];
	ssize_t got;

	close(worker->to);
	worker->to = -1;
	while ((got = read(worker->from, buf, sizeof buf)) > 0)
		g_string_append_len(said, buf, got);
	return g_string_free(said, FALSE);
}

void rig_worker_free(RigWorker *worker)
{
	if (worker->to >= 0)
		close(worker->to);
	kill(worker->pid, SIGKILL);
	kill(worker->child, SIGKILL);
	while (waitpid(worker->child, NULL, 0) < 0 && errno == EINTR)
		;
	close(worker->from);
	g_array_unref(worker->truth);
	g_free(worker);
}

/* ---- the plugin --------------------------------------------------------- */

Rig *rig_new(const char *mode, const char *helper)
{
	Rig *rig = g_new0(Rig, 1);

	rig->fake = fake_host_new("/proc", "/sys", NULL, TRUE);
	if (mode)
		fake_host_option(rig->fake, "mode", mode);
	if (helper)
		fake_host_option(rig->fake, "helper", helper);
	rig->ops = ctprof_plugin_entry_v1()->ops;
	rig->tids = g_array_new(FALSE, FALSE, sizeof(gint32));
	g_assert_cmpint(rig->ops->open(fake_host_table(rig->fake), &rig->self), ==, 0);
	g_assert_cmpint(rig->ops->start(rig->self), ==, 0);
	g_assert_cmpint(rig->ops->worker_open(rig->self, 0, &rig->context), ==, 0);
	return rig;
}

void rig_free(Rig *rig)
{
	rig->ops->worker_close(rig->self, rig->context);
	rig->ops->close(rig->self);
	fake_host_free(rig->fake);
	g_array_unref(rig->tids);
	g_free(rig);
}

static gint compare_tids(gconstpointer a, gconstpointer b)
{
	return *(const gint32 *)a - *(const gint32 *)b;
}

void rig_collect(Rig *rig, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	g_array_set_size(rig->tids, 0);
	while (dir && (name = g_dir_read_name(dir))) {
		gint32 tid = (gint32)g_ascii_strtoll(name, NULL, 10);

		g_array_append_val(rig->tids, tid);
	}
	g_array_sort(rig->tids, compare_tids);
	for (guint i = 0; i < rig->tids->len; i++)
		fake_host_add_thread(rig->fake, pid, g_array_index(rig->tids, gint32, i));
	struct ctprof_batch *batch = fake_host_batch(rig->fake, CTPROF_SCOPE_THREAD);
	g_assert_cmpint(rig->ops->collect(rig->self, rig->context, batch), ==, 0);
}

void rig_collect_summary(Rig *rig)
{
	struct ctprof_batch *batch = fake_host_batch(rig->fake, CTPROF_SCOPE_CAPTURE);

	g_assert_cmpint(rig->ops->collect(rig->self, NULL, batch), ==, 0);
}

/* Returns the thread's ID in its own namespace. */
static int inner_tid(pid_t pid, gint32 tid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/status", (int)pid, tid);
	g_autofree char *status = NULL;

	g_assert_true(g_file_get_contents(path, &status, NULL, NULL));
	const char *line = strstr(status, "\nNSpid:");
	if (!line)
		return tid;
	g_autofree char *numbers = g_strndup(line + 7, strcspn(line + 7, "\n"));
	const char *last = strrchr(g_strstrip(numbers), '\t');
	return (int)g_ascii_strtoll(last ? last : numbers, NULL, 10);
}

static const struct truth *find_truth(const RigWorker *worker, int tid)
{
	for (guint i = 0; i < worker->truth->len; i++) {
		const struct truth *truth = &g_array_index(worker->truth, struct truth, i);

		if (truth->tid == tid)
			return truth;
	}
	return NULL;
}

gboolean rig_worker_told(const RigWorker *worker, int tid)
{
	return find_truth(worker, tid) != NULL;
}

void rig_assert_truth(Rig *rig, const RigWorker *worker)
{
	g_assert_cmpuint(worker->truth->len, >, 1);
	g_assert_cmpuint(rig->tids->len, ==, worker->truth->len);
	for (guint i = 0; i < rig->tids->len; i++) {
		int tid = inner_tid(worker->pid, g_array_index(rig->tids, gint32, i));
		const struct truth *truth = find_truth(worker, tid);

		g_assert_nonnull(truth);
		g_assert_cmpuint(fake_host_u64(rig->fake, i, "jemalloc_measured"), ==, 1);
		g_assert_cmpuint(fake_host_u64(rig->fake, i, "allocated_bytes"), ==,
				 truth->allocated);
		g_assert_cmpuint(fake_host_u64(rig->fake, i, "deallocated_bytes"), ==,
				 truth->deallocated);
	}
}

void rig_assert_absent(Rig *rig, guint32 why)
{
	g_assert_cmpuint(rig->tids->len, >, 0);
	for (guint i = 0; i < rig->tids->len; i++) {
		g_assert_cmpuint(fake_host_u64(rig->fake, i, "jemalloc_measured"), ==, 0);
		g_assert_cmpuint(fake_host_state(rig->fake, i, "allocated_bytes"), ==, why);
		g_assert_cmpuint(fake_host_state(rig->fake, i, "deallocated_bytes"), ==, why);
	}
}

guint rig_n_measured(Rig *rig)
{
	guint n = 0;

	for (guint i = 0; i < rig->tids->len; i++)
		n += fake_host_state(rig->fake, i, "jemalloc_measured") == CTPROF_PRESENT &&
		     fake_host_u64(rig->fake, i, "jemalloc_measured") == 1;
	return n;
}

gboolean rig_are_measured(Rig *rig)
{
	return rig->tids->len > 1 && rig_n_measured(rig) == rig->tids->len;
}

void rig_wait_for(GPid pid, const char *line)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)pid);
	gboolean found = FALSE;

	while (!found) {
		g_autofree char *status = NULL;

		g_assert_true(g_file_get_contents(path, &status, NULL, NULL));
		found = strstr(status, line) != NULL;
		g_usleep(found ? 0 : 10000);
	}
}

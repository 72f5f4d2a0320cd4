/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests real processes with real jemalloc: the values read must equal those they report. */
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

/* How a worker gets its jemalloc, and the expected result. */
struct worker_case {
	const char *name;
	const char *program;
	const char *preload; /* a library of the system, or NULL */
	const char *library; /* a library that was built, opened at run time, or NULL */
	const char *mode;
	const char *what;      /* missing if program does not exist */
	const char *tag;       /* expected failure; NULL: the true values */
	gboolean in_namespace; /* a PID namespace of its own */
};

static const struct worker_case worker_cases[] = {
	{.name = "shared", .program = "jemalloc-worker-shared", .what = "libjemalloc-dev"},
	{.name = "preloaded", .program = "jemalloc-worker-plain", .preload = "libjemalloc.so.2"},
	{.name = "static", .program = "jemalloc-worker-static", .what = "libjemalloc-dev (static)"},
	{.name = "static with other TLS",
	 .program = "jemalloc-worker-static-tls",
	 .what = "libjemalloc-dev (static)"},
	{.name = "static, stripped",
	 .program = "jemalloc-worker-static-stripped",
	 .what = "libjemalloc-dev (static)"},
	{.name = "static, stripped, with other TLS",
	 .program = "jemalloc-worker-static-tls-stripped",
	 .what = "libjemalloc-dev (static)",
	 .tag = "jemalloc-stripped"},
	{.name = "PID namespace",
	 .program = "jemalloc-worker-shared",
	 .what = "libjemalloc-dev",
	 .in_namespace = TRUE},
	{.name = "dynamic TLS by DWARF",
	 .program = "jemalloc-worker-plain",
	 .library = "libtoy-tsd.so"},
	{.name = "dynamic TLS by a debug file beside it",
	 .program = "jemalloc-worker-plain",
	 .library = "libtoy-linked.so"},
	{.name = "by code",
	 .program = "jemalloc-worker-plain",
	 .library = "libtoy-code-stripped.so"},
	{.name = "code that does not say where its struct is",
	 .program = "jemalloc-worker-plain",
	 .library = "libtoy-stripped.so",
	 .tag = "code-unknown"},
	{.name = "ptrace, shared",
	 .program = "jemalloc-worker-shared",
	 .mode = "ptrace",
	 .what = "libjemalloc-dev"},
	{.name = "ptrace, static",
	 .program = "jemalloc-worker-static",
	 .mode = "ptrace",
	 .what = "libjemalloc-dev (static)"},
	{.name = "ptrace, dynamic TLS",
	 .program = "jemalloc-worker-plain",
	 .library = "libtoy-tsd.so",
	 .mode = "ptrace"},
};

static void skip_unless_preloadable(const char *preload, gboolean *ret_skipped)
{
	g_autofree char *plain = rig_built("tests/jemalloc-worker-plain");
	const char *argv[] = {plain, "quiet", "1", NULL};
	g_auto(GStrv) env = g_environ_setenv(g_get_environ(), "LD_PRELOAD", preload, TRUE);
	int status;

	/* Without mallctl() the worker aborts. */
	g_assert_true(g_spawn_sync(NULL, (char **)(gpointer)argv, env,
				   G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
				   NULL, NULL, NULL, &status, NULL));
	*ret_skipped = status != 0;
	if (*ret_skipped)
		g_test_skip("libjemalloc2 is missing");
}

static gboolean can_run(const struct worker_case *c, const char *program, const char *library)
{
	gboolean skipped = FALSE;

	if (!rig_need(program, c->what ? c->what : "the build's strip") ||
	    (library && !rig_need(library, "the build's strip or objcopy")))
		return FALSE;
	if (c->preload)
		skip_unless_preloadable(c->preload, &skipped);
	if (!skipped && c->in_namespace && geteuid() != 0) {
		g_test_skip("needs root");
		skipped = TRUE;
	}
	return !skipped;
}

/* Every thread's counters are those that mallctl() returns to the thread itself. */
static void test_worker(gconstpointer data)
{
	const struct worker_case *c = data;
	g_autofree char *name = g_build_filename("tests", c->program, NULL);
	g_autofree char *program = rig_built(name);
	g_autofree char *file = c->library ? g_build_filename("tests", c->library, NULL) : NULL;
	g_autofree char *library = file ? rig_built(file) : NULL;

	if (!can_run(c, program, library))
		return;
	const char *plain[] = {program, "quiet", "20", library, NULL};
	const char *inside[] = {"unshare", "--pid", "--fork", "--kill-child", program, "quiet",
				"20",      library, NULL};
	g_autoptr(RigWorker) worker = rig_worker_new(c->in_namespace ? inside : plain, c->preload);
	g_autoptr(Rig) rig = rig_new(c->mode, NULL);
	rig_collect(rig, worker->pid);
	if (c->tag) {
		rig_assert_absent(rig, CTPROF_ABSENT_UNSUPPORTED);
		rig_collect_summary(rig);
		g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.dominant_failure"),
				==, c->tag);
		g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.failed"), ==, 1);
		return;
	}
	rig_assert_truth(rig, worker);
	/* A further batch of the same process uses the results of the first. */
	guint maps = fake_host_opens(rig->fake, "/maps");
	rig_collect(rig, worker->pid);
	rig_assert_truth(rig, worker);
	g_assert_cmpuint(fake_host_opens(rig->fake, "/maps"), ==, maps);
	rig_collect_summary(rig);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.jemalloc_detected"), ==, 2);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.probed_ok"), ==,
			 2 * worker->truth->len);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.failed"), ==, 0);
	g_assert_cmpuint(fake_host_state(rig->fake, 0, "probe_summary.dominant_failure"), ==,
			 CTPROF_ABSENT_UNSUPPORTED);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(worker_cases); i++) {
		g_autofree char *path =
			g_strdup_printf("/jemalloc/live/truth/%s", worker_cases[i].name);

		g_test_add_data_func(path, &worker_cases[i], test_worker);
	}
	return g_test_run();
}

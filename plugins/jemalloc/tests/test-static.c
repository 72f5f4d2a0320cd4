/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests programs with a jemalloc that no table knows; test-static.sh makes them. */
#include <string.h>

#include "rig.h"

struct static_case {
	const char *name;
	const char *mode;
	const char *tag; /* NULL: the true values */
};

static const struct static_case cases[] = {
	{.name = "worker"},
	{.name = "worker-no-pie"},
	{.name = "worker-tls"},
	{.name = "worker-linked"}, /* stripped, with its debug file beside it */
	{.name = "worker-tls-linked"},
	{.name = "worker-stripped"}, /* its TLS block is the struct, of a known size */
	{.name = "worker-tls-stripped", .tag = "jemalloc-stripped"},
	{.name = "worker-all-static"},
	{.name = "worker-all-static", .mode = "ptrace"},
	{.name = "worker-all-static-stripped", .tag = "jemalloc-stripped"},
};

static void test_static(gconstpointer data)
{
	const struct static_case *c = data;
	g_autofree char *program = g_build_filename(g_getenv("CTPROF_TEST_WORKERS"), c->name, NULL);
	const char *argv[] = {program, "quiet", "20", NULL};

	if (!rig_need(program, "a static libc"))
		return;
	g_autoptr(RigWorker) worker = rig_worker_new(argv, NULL);
	g_autoptr(Rig) rig = rig_new(c->mode, BUILD_DIR "/ctprof-jemalloc-examine");
	rig_collect(rig, worker->pid);
	if (!c->tag) {
		rig_assert_truth(rig, worker);
		return;
	}
	rig_assert_absent(rig, CTPROF_ABSENT_UNSUPPORTED);
	rig_collect_summary(rig);
	g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.dominant_failure"), ==,
			c->tag);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.failed"), ==, 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_assert_nonnull(g_getenv("CTPROF_TEST_WORKERS"));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strdup_printf("/jemalloc/static/%s%s%s", cases[i].name,
							cases[i].mode ? " " : "",
							cases[i].mode ? cases[i].mode : "");

		g_test_add_data_func(path, &cases[i], test_static);
	}
	return g_test_run();
}

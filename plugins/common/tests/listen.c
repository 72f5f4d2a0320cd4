/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "listen.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

int listen_begin(struct listen *listen, const char *key, const char *value)
{
	g_autofree char *proc = g_build_filename(G_DIR_SEPARATOR_S, "proc", NULL);
	g_autofree char *sys = g_build_filename(G_DIR_SEPARATOR_S, "sys", NULL);

	listen->host = fake_host_new(proc, sys, NULL, TRUE);
	if (key)
		fake_host_option(listen->host, key, value);
	listen->ops = ctprof_plugin_entry_v1()->ops;
	g_assert_cmpint(listen->ops->open(fake_host_table(listen->host), &listen->self), ==, 0);
	int r = listen->ops->start(listen->self);
	return r < 0 ? r : listen->ops->listen(listen->self);
}

void listen_end(struct listen *listen)
{
	listen->ops->close(listen->self);
	fake_host_free(listen->host);
}

static void collect(struct listen *listen, guint32 scope)
{
	struct ctprof_batch *batch = fake_host_batch(listen->host, scope);

	g_assert_cmpint(listen->ops->collect(listen->self, NULL, batch), ==, 0);
}

void listen_collect(struct listen *listen)
{
	collect(listen, CTPROF_SCOPE_EXIT);
}

guint64 listen_tally(struct listen *listen, const char *name)
{
	collect(listen, CTPROF_SCOPE_CAPTURE);
	return fake_host_u64(listen->host, 0, name);
}

int listen_elsewhere(int (*work)(void))
{
	int status;

	pid_t pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWPID) < 0)
			_exit(SKIPPED);
		pid = fork();
		if (pid == 0)
			_exit(work());
		g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : SKIPPED + 1);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		g_test_skip("no PID namespace can be made here");
	return WEXITSTATUS(status);
}

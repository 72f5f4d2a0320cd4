/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "planted.h"

#include <glib.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- processes that are planted ------------------------------------------ */

void pin(pid_t pid, size_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	(void)sched_setaffinity(pid, sizeof set, &set);
}

pid_t plant(void (*work)(void))
{
	pid_t pid = fork();

	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work();
		_exit(0);
	}
	return pid;
}

void spin(void)
{
	pin(0, 0);
	for (volatile unsigned i = 0;; i++)
		;
}

void sleep_often(void)
{
	const struct timespec nap = {.tv_nsec = 1 * MS};

	pin(0, 0);
	for (;;)
		(void)nanosleep(&nap, NULL);
}

void sleep_long(void)
{
	pin(0, 0);
	for (;;)
		(void)pause();
}

void await_stop(const pid_t *pids, guint n)
{
	siginfo_t info;

	for (guint i = 0; i < n; i++)
		g_assert_cmpint(waitid(P_PID, (id_t)pids[i], &info, WSTOPPED), ==, 0);
	/* Processes are reported as stopped a moment before they are switched out. */
	g_usleep(20000);
}

void stop_all(const pid_t *pids, guint n)
{
	for (guint i = n; i-- > 0;)
		g_assert_cmpint(kill(pids[i], SIGSTOP), ==, 0);
	await_stop(pids, n);
}

void stop(pid_t pid)
{
	stop_all(&pid, 1);
}

void end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

/* ---- the kernel's account -------------------------------------------------- */

static char *read_own(pid_t pid, const char *file)
{
	g_autofree char *path =
		g_strdup_printf(G_DIR_SEPARATOR_S "proc" G_DIR_SEPARATOR_S "%d/%s", (int)pid, file);
	char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		g_error("cannot read %s", path);
	return text;
}

static void number_line(const char *line, const char *key, guint64 *sum)
{
	if (g_str_has_prefix(line, key))
		*sum += g_ascii_strtoull(line + strlen(key), NULL, 10);
}

struct account account_of(pid_t pid)
{
	struct account account = {0};
	g_autofree char *schedstat = read_own(pid, "schedstat");
	g_autofree char *status = read_own(pid, "status");
	g_auto(GStrv) lines = g_strsplit(status, "\n", -1);
	char *at = schedstat;

	account.run_ns = g_ascii_strtoull(at, &at, 10);
	account.wait_ns = g_ascii_strtoull(at, &at, 10);
	account.turns = g_ascii_strtoull(at, &at, 10);
	for (guint i = 0; lines[i]; i++) {
		number_line(lines[i], "voluntary_ctxt_switches:", &account.switches);
		number_line(lines[i], "voluntary_ctxt_switches:", &account.sleeps);
		number_line(lines[i], "nonvoluntary_ctxt_switches:", &account.switches);
	}
	return account;
}

/* ---- a group that is throttled --------------------------------------------- */

#define CGROUP G_DIR_SEPARATOR_S "sys" G_DIR_SEPARATOR_S "fs" G_DIR_SEPARATOR_S "cgroup"

static gboolean write_file(const char *directory, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);
	FILE *file = fopen(path, "w");
	gboolean is_written = file && fputs(text, file) >= 0;

	return file && fclose(file) == 0 && is_written;
}

/* Makes a group by two files, those of v1 or of v2. */
static char *make_by(const char *parent, const char *const files[4])
{
	g_autofree char *path =
		g_strdup_printf("%s" G_DIR_SEPARATOR_S "ctprof-test%d", parent, (int)getpid());

	if (mkdir(path, 0755) < 0)
		return NULL;
	if (write_file(path, files[0], files[1]) && write_file(path, files[2], files[3]))
		return g_steal_pointer(&path);
	(void)rmdir(path);
	return NULL;
}

char *make_group(void)
{
	static const char *const v1[] = {"cpu.cfs_quota_us", "20000", "cpu.shares", "262144"};
	static const char *const v2[] = {"cpu.max", "20000 100000", "cpu.weight", "10000"};
	char *group = make_by(CGROUP G_DIR_SEPARATOR_S "cpu", v1);

	if (group)
		return group;
	(void)write_file(CGROUP, "cgroup.subtree_control", "+cpu");
	return make_by(CGROUP, v2);
}

gboolean join_group(const char *group, pid_t pid)
{
	g_autofree char *text = g_strdup_printf("%d", (int)pid);

	return write_file(group, "cgroup.procs", text);
}

guint64 throttled_in(const char *group)
{
	g_autofree char *path = g_build_filename(group, "cpu.stat", NULL);
	g_autofree char *text = NULL;
	guint64 ns = 0, us = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		number_line(lines[i], "throttled_time ", &ns);
		number_line(lines[i], "throttled_usec ", &us);
	}
	return ns + us * 1000;
}

struct probe *attach_probe(void)
{
	struct probe *probe = NULL;
	int r = probe_load(PROBE_TURNS, 0, &probe);

	if (r < 0)
		g_test_skip(g_strerror(-r));
	return probe;
}

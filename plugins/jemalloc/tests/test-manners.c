/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests how reading processes must not affect them, and what it must not report. */
#include <errno.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

#define BUSY_THREADS 2

static RigWorker *start_worker(const char *mode, const char *threads)
{
	g_autofree char *program = rig_built("tests/jemalloc-worker-shared");
	const char *argv[] = {program, mode, threads, NULL};

	return rig_need(program, "libjemalloc-dev") ? rig_worker_new(argv, NULL) : NULL;
}

/* ---- threads as seen from outside --------------------------------------- */

/* Whether any thread of the process is stopped or traced. */
static gboolean is_touched(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;
	gboolean touched = FALSE;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, "status", NULL);
		g_autofree char *status = NULL;

		if (!g_file_get_contents(file, &status, NULL, NULL))
			continue;
		touched = touched || strstr(status, "State:\tt") || strstr(status, "State:\tT") ||
			  !strstr(status, "TracerPid:\t0\n");
	}
	return touched;
}

static guint64 run_time(pid_t pid, gint32 tid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task/%d/schedstat", (int)pid, tid);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	return g_ascii_strtoull(text, NULL, 10);
}

/* Asserts that every thread except the sleeping main thread gets CPU time. */
static void assert_all_run(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/task", (int)pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;
	guint seen = 0;

	while ((name = g_dir_read_name(dir))) {
		gint32 tid = (gint32)g_ascii_strtoll(name, NULL, 10);
		gboolean ran = FALSE;

		if (tid == pid)
			continue;
		guint64 before = run_time(pid, tid);
		for (int i = 0; i < 500 && !ran; i++) {
			g_usleep(10000);
			ran = run_time(pid, tid) > before;
		}
		g_assert_true(ran);
		seen++;
	}
	g_assert_cmpuint(seen, ==, BUSY_THREADS);
}

/* Forks a process that captures without end. */
static pid_t fork_capturer(const char *mode, pid_t pid, guint pause_us)
{
	pid_t child = fork();

	g_assert_cmpint(child, >=, 0);
	if (child > 0)
		return child;
	Rig *rig = rig_new(mode, NULL);
	for (;;) {
		rig_collect(rig, pid);
		g_usleep(pause_us);
	}
}

static void end_capturer(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	/* It was killed while capturing, and had not ended before. */
	g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* ---- no stop ------------------------------------------------------------ */

/* Checks the worker as often as possible; returns how often a thread was stopped or traced. */
static guint watch(pid_t pid, gint64 microseconds)
{
	gint64 end = g_get_monotonic_time() + microseconds;
	guint seen = 0;

	while (g_get_monotonic_time() < end)
		seen += is_touched(pid) ? 1 : 0;
	return seen;
}

/* Captures every 100 ms, during which the worker is never seen stopped or traced. */
static void test_no_stop(void)
{
	g_autoptr(RigWorker) worker = start_worker("busy", "2");

	if (!worker)
		return;
	pid_t capturer = fork_capturer(NULL, worker->pid, 100000);
	guint seen = watch(worker->pid, 3 * G_USEC_PER_SEC / 2);
	end_capturer(capturer);
	g_assert_cmpuint(seen, ==, 0);
}

/* The same check notices mode=ptrace, so it is able to. */
static void test_ptrace_is_seen(void)
{
	g_autoptr(RigWorker) worker = start_worker("busy", "2");

	if (!worker)
		return;
	pid_t capturer = fork_capturer("ptrace", worker->pid, 0);
	guint seen = 0;
	for (int i = 0; i < 20 && seen == 0; i++)
		seen = watch(worker->pid, G_USEC_PER_SEC / 2);
	end_capturer(capturer);
	g_assert_cmpuint(seen, >, 0);
	assert_all_run(worker->pid);
}

/* Returns the longest pause that a busy worker reports, in nanoseconds. */
static guint64 longest_pause(const char *mode, gboolean capture)
{
	g_autoptr(RigWorker) worker = start_worker("busy", "2");
	guint64 longest = 0;

	if (!worker)
		return 0;
	pid_t capturer = capture ? fork_capturer(mode, worker->pid, 100000) : 0;
	g_usleep(800000);
	if (capture)
		end_capturer(capturer);
	g_autofree char *said = rig_worker_finish(worker);
	g_auto(GStrv) lines = g_strsplit(said, "\n", -1);
	for (guint i = 0; lines[i] && lines[i][0]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);

		g_assert_cmpuint(g_strv_length(words), ==, 3);
		g_assert_cmpuint(g_ascii_strtoull(words[1], NULL, 10), >, 0);
		longest = MAX(longest, g_ascii_strtoull(words[2], NULL, 10));
	}
	return longest;
}

/* Capturing causes no pause that the scheduler would not.  The machine is shared: a pause caused by
 * ctprof occurs every time, any other does not. */
static void test_pause(gconstpointer mode)
{
	gboolean calm = FALSE;

	for (guint tries = 0; !calm && tries < 8; tries++) {
		guint64 alone = longest_pause(NULL, FALSE);

		if (alone == 0)
			return;
		guint64 watched = longest_pause(mode, TRUE);
		g_test_message("longest pause: %" G_GUINT64_FORMAT " us alone, %" G_GUINT64_FORMAT
			       " us while captured",
			       alone / 1000, watched / 1000);
		calm = watched < 3 * alone + 60000000;
	}
	g_assert_true(calm);
}

/* Kills ctprof at random moments: every thread keeps running, nothing is traced. */
static void test_kill(gconstpointer mode)
{
	g_autoptr(RigWorker) worker = start_worker("busy", "2");

	if (!worker)
		return;
	for (int round = 0; round < 20; round++) {
		pid_t capturer = fork_capturer(mode, worker->pid, 0);
		gboolean touched = TRUE;

		g_usleep((gulong)g_test_rand_int_range(0, 20000));
		end_capturer(capturer);
		for (int i = 0; i < 100 && touched; i++) {
			touched = is_touched(worker->pid);
			if (touched)
				g_usleep(10000);
		}
		g_assert_false(touched);
	}
	assert_all_run(worker->pid);
}

/* ---- missing access and processes --------------------------------------- */

static void assert_dominant(Rig *rig, const char *tag, guint privilege)
{
	rig_collect_summary(rig);
	g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.dominant_failure"), ==, tag);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.privilege_dominant"), ==,
			 privilege);
}

/* Runs check in a process of its own, so that it may give up its rights. */
static void run_apart(void (*check)(pid_t pid), pid_t pid)
{
	pid_t child = fork();
	int status;

	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		check(pid);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Refuses access as Yama or another security module does. */
static void refuse_memory(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {G_N_ELEMENTS(code), code};

	g_assert_cmpint(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
	g_assert_cmpint(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), ==, 0);
}

static void check_memory_refused(pid_t pid)
{
	g_autoptr(Rig) rig = rig_new(NULL, NULL);

	refuse_memory();
	rig_collect(rig, pid);
	rig_assert_absent(rig, CTPROF_ABSENT_DENIED);
	assert_dominant(rig, "memory-denied", 1);
	g_assert_nonnull(strstr(fake_host_log(rig->fake), "cap_sys_ptrace"));
	g_assert_nonnull(strstr(fake_host_log(rig->fake), "kernel.yama.ptrace_scope"));
}

/* If memory is refused, values are absent (denied), with a tag of their own and a hint. */
static void test_memory_refused(void)
{
	g_autoptr(RigWorker) worker = start_worker("quiet", "3");

	if (worker)
		run_apart(check_memory_refused, worker->pid);
}

static void check_other_user(pid_t pid)
{
	g_autoptr(Rig) rig = rig_new(NULL, NULL);

	g_assert_cmpint(setresgid(65534, 65534, 65534), ==, 0);
	g_assert_cmpint(setresuid(65534, 65534, 65534), ==, 0);
	rig_collect(rig, pid);
	rig_assert_absent(rig, CTPROF_ABSENT_DENIED);
	rig_collect_summary(rig);
	/* The user can do nothing about another user's process. */
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.failed"), ==, 0);
	g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.failures"), ==,
			"readlink-failure=1");
}

static void test_other_user(void)
{
	g_autoptr(RigWorker) worker = geteuid() == 0 ? start_worker("quiet", "3") : NULL;

	if (worker)
		run_apart(check_other_user, worker->pid);
	else if (geteuid() != 0)
		g_test_skip("needs root, to become another user");
}

/* A process without jemalloc is inapplicable, which is not a failure; for a second process of the
 * same program no library is opened again. */
static void test_no_jemalloc(void)
{
	const char *argv[] = {"sleep", "60", NULL};
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	guint opened[2];

	for (guint i = 0; i < 2; i++) {
		GPid pid;

		g_assert_true(g_spawn_async(NULL, (char **)(gpointer)argv, NULL,
					    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL,
					    NULL, &pid, NULL));
		g_usleep(100000); /* so that it has executed and loaded its libraries */
		rig_collect(rig, pid);
		opened[i] = fake_host_opens(rig->fake, "") - (i ? opened[0] : 0);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		rig_assert_absent(rig, CTPROF_ABSENT_INAPPLICABLE);
	}
	g_assert_cmpuint(opened[1], <=, 3); /* exe twice, maps once */
	rig_collect_summary(rig);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.tgids_walked"), ==, 2);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.failed"), ==, 0);
	g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.failures"), ==,
			"jemalloc-not-found=2");
}

/* ctprof itself is left out and not counted. */
static void test_self(void)
{
	g_autoptr(Rig) rig = rig_new(NULL, NULL);

	rig_collect(rig, getpid());
	rig_assert_absent(rig, CTPROF_ABSENT_SKIPPED);
	rig_collect_summary(rig);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.tgids_walked"), ==, 0);
}

static void test_kernel_thread(void)
{
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	g_autofree char *name = NULL;

	if (!g_file_get_contents("/proc/2/comm", &name, NULL, NULL) ||
	    !g_str_equal(name, "kthreadd\n")) {
		g_test_skip("no kernel threads in this PID namespace");
		return;
	}
	rig_collect(rig, 2);
	rig_assert_absent(rig, CTPROF_ABSENT_INAPPLICABLE);
	rig_collect_summary(rig);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "probe_summary.failed"), ==, 0);
	g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.failures"), ==,
			"readlink-failure=1");
}

/* A process that ended before its batch is read leaves no failure. */
static void test_vanished(void)
{
	g_autoptr(RigWorker) worker = start_worker("quiet", "3");
	g_autoptr(Rig) rig = rig_new(NULL, NULL);

	if (!worker)
		return;
	rig_collect(rig, worker->pid);
	for (guint i = 0; i < rig->tids->len; i++)
		fake_host_add_thread(rig->fake, worker->pid, g_array_index(rig->tids, gint32, i));
	g_free(rig_worker_finish(worker)); /* ends the worker */
	g_assert_cmpint(waitpid(worker->child, NULL, 0), ==, worker->child);
	struct ctprof_batch *batch = fake_host_batch(rig->fake, CTPROF_SCOPE_THREAD);
	g_assert_cmpint(rig->ops->collect(rig->self, rig->context, batch), ==, 0);
	rig_assert_absent(rig, CTPROF_ABSENT_VANISHED);
}

/* If the leader has ended before the other threads, they are read through one another. */
static void test_headless(gconstpointer mode)
{
	g_autoptr(RigWorker) worker = start_worker("headless", "5");

	if (!worker)
		return;
	rig_wait_for(worker->pid, "State:\tZ");
	g_autoptr(Rig) rig = rig_new(mode, NULL);
	for (int round = 0; round < 2; round++) {
		rig_collect(rig, worker->pid);
		g_assert_cmpuint(rig_n_measured(rig), ==, 5);
		g_assert_cmpuint(fake_host_state(rig->fake, 0, "allocated_bytes"), ==,
				 CTPROF_ABSENT_VANISHED);
	}
	rig_collect_summary(rig);
	g_assert_cmpstr(fake_host_string(rig->fake, 0, "probe_summary.failures"), ==,
			"thread-exited=2");
}

/* A thread that does not stop costs a quarter of a second and its own values; it is no longer
 * traced afterwards, and the others are read.  If the machine is so busy that these do not stop in
 * time either, they get a few more chances. */
static void test_stuck(void)
{
	g_autoptr(RigWorker) worker = start_worker("stuck", "5");
	g_autoptr(Rig) rig = rig_new("ptrace", NULL);
	guint present = 0, rounds = 0, timeouts = 0, expected = 0;

	if (!worker)
		return;
	rig_wait_for(worker->pid, "State:\tD"); /* in its vfork() */
	for (; present < 5 && rounds < 10; rounds++) {
		rig_collect(rig, worker->pid);
		/* The kernel detaches when the tracer has exited, a little after it was joined. */
		rig_wait_for(worker->pid, "TracerPid:\t0\n");
		g_assert_false(is_touched(worker->pid));
		for (guint i = 0; i < rig->tids->len; i++)
			if (fake_host_state(rig->fake, i, "allocated_bytes") != CTPROF_PRESENT)
				g_assert_cmpuint(fake_host_state(rig->fake, i, "allocated_bytes"),
						 ==, CTPROF_ABSENT_TIMEOUT);
		g_assert_cmpuint(fake_host_state(rig->fake, 0, "allocated_bytes"), ==,
				 CTPROF_ABSENT_TIMEOUT);
		present = rig_n_measured(rig);
		expected += rig->tids->len - present;
	}
	if (present < 5)
		g_test_skip("too busy here: no thread stopped within a quarter of a second");
	rig_collect_summary(rig);
	const char *failures = fake_host_string(rig->fake, 0, "probe_summary.failures");
	g_assert_cmpint(sscanf(failures, "waitpid=%u", &timeouts), ==, 1);
	g_assert_cmpuint(timeouts, ==, expected);
}

/* Threads come and go while they are read: each value is possible for its thread, and the
 * long-lived threads, which start the others, have values each time. */
static void test_churn(gconstpointer mode)
{
	const guint64 bound = 16 << 20; /* pthread_create() adds to the long-lived ones */
	g_autoptr(RigWorker) worker = start_worker("churn", "4");
	g_autoptr(Rig) rig = rig_new(mode, NULL);
	guint values = 0, lasting = 0;

	if (!worker)
		return;
	for (int round = 0; round < 2000; round++) {
		rig_collect(rig, worker->pid);
		for (guint i = 0; i < rig->tids->len; i++) {
			if (!fake_host_u64(rig->fake, i, "jemalloc_measured"))
				continue;
			guint64 allocated = fake_host_u64(rig->fake, i, "allocated_bytes");
			guint64 freed = fake_host_u64(rig->fake, i, "deallocated_bytes");

			values++;
			lasting += rig_worker_told(worker, g_array_index(rig->tids, gint32, i)) ? 1
												: 0;
			g_assert_cmpuint(allocated, <, bound * (guint64)(round + 1));
			g_assert_cmpuint(freed, <, bound * (guint64)(round + 1));
		}
	}
	g_assert_cmpuint(values, >, 2000);
	if (g_str_equal(mode, "auto"))
		g_assert_cmpuint(lasting, ==, 2000 * worker->truth->len);
	rig_collect_summary(rig);
	const char *failures = fake_host_string(rig->fake, 0, "probe_summary.failures");
	g_test_message("%u values; %s", values, failures);
	/* The threads had ended, were just starting (glibc does not list them yet), or (on a busy
	 * machine) did not stop in time. */
	g_assert_true(g_regex_match_simple(
		"^((thread-(exited|not-listed)|unstable-value|waitpid)=\\d+ ?)*$", failures, 0, 0));
}

static void test_recorded(void)
{
	g_autoptr(FakeHost) fake = fake_host_new("/proc", NULL, NULL, FALSE);
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	void *self;

	g_assert_cmpint(rig->ops->open(fake_host_table(fake), &self), ==, 0);
	g_assert_cmpint(rig->ops->probe(self), ==, 0);
	g_assert_nonnull(strstr(fake_host_findings(fake), "jemalloc 30 recorded root"));
	g_assert_cmpint(rig->ops->start(self), ==, -EOPNOTSUPP);
	g_assert_cmpstr(fake_host_error(fake), ==, "recorded root: no process memory");
	rig->ops->close(self);
}

/* ---- redis-server ------------------------------------------------------- */

struct redis {
	GPid pid;
	char *folder;
	char *socket;
};

static void end_redis(struct redis *redis)
{
	kill(redis->pid, SIGKILL);
	waitpid(redis->pid, NULL, 0);
	g_unlink(redis->socket);
	g_rmdir(redis->folder);
	g_free(redis->folder);
	g_free(redis->socket);
}

static void start_redis(const char *program, struct redis *ret)
{
	ret->folder = g_dir_make_tmp("ctprof-redis-XXXXXX", NULL);
	ret->socket = g_build_filename(ret->folder, "socket", NULL);
	const char *argv[] = {
		program,     "--port", "0", "--unixsocket", ret->socket, "--dir",
		ret->folder, "--save", "",  "--appendonly", "no",        "--daemonize",
		"no",        NULL};

	g_assert_true(g_spawn_async(NULL, (char **)(gpointer)argv, NULL,
				    G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL,
				    NULL, &ret->pid, NULL));
	for (int i = 0; i < 500 && !g_file_test(ret->socket, G_FILE_TEST_EXISTS); i++)
		g_usleep(10000);
}

/* Sends one command with a long value; waits for its +OK. */
static void set_value(const char *path, gsize size)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_autofree char *value = g_malloc(size);
	g_autofree char *head =
		g_strdup_printf("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%" G_GSIZE_FORMAT "\r\n", size);
	char answer[5];

	memset(value, 'v', size);
	g_strlcpy(address.sun_path, path, sizeof address.sun_path);
	g_assert_cmpint(connect(fd, (struct sockaddr *)&address, sizeof address), ==, 0);
	g_assert_cmpint(write(fd, head, strlen(head)), ==, (gssize)strlen(head));
	for (gsize done = 0; done < size;) {
		gssize wrote = write(fd, value + done, size - done);

		g_assert_cmpint(wrote, >, 0);
		done += (gsize)wrote;
	}
	g_assert_cmpint(write(fd, "\r\n", 2), ==, 2);
	g_assert_cmpint(recv(fd, answer, sizeof answer, MSG_WAITALL), ==, sizeof answer);
	g_assert_cmpint(memcmp(answer, "+OK\r\n", sizeof answer), ==, 0);
	close(fd);
}

/* The packaged redis-server, with the packaged stripped libjemalloc: all threads are measured, and
 * the main one grows by what a client stores. */
static void test_redis(void)
{
	const gsize size = 4 << 20;
	g_autofree char *program = g_find_program_in_path("redis-server");

	if (!program) {
		g_test_skip("redis-server is missing");
		return;
	}
	__attribute__((cleanup(end_redis))) struct redis redis;
	start_redis(program, &redis);
	g_autoptr(Rig) rig = rig_new(NULL, NULL);
	rig_collect(rig, redis.pid);
	/* redis listens before it starts its other threads. */
	for (guint i = 0; i < 1000 && !rig_are_measured(rig); i++) {
		g_usleep(10000);
		rig_collect(rig, redis.pid);
	}
	g_assert_true(rig_are_measured(rig));
	guint64 before = fake_host_u64(rig->fake, 0, "allocated_bytes");
	g_assert_cmpuint(before, >=, fake_host_u64(rig->fake, 0, "deallocated_bytes"));
	set_value(redis.socket, size);
	rig_collect(rig, redis.pid);
	g_assert_cmpuint(fake_host_u64(rig->fake, 0, "allocated_bytes"), >=, before + size);
}

int main(int argc, char **argv)
{
	static char ptrace_mode[] = "ptrace", auto_mode[] = "auto";

	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/jemalloc/manners/never stopped", test_no_stop);
	g_test_add_func("/jemalloc/manners/ptrace is seen", test_ptrace_is_seen);
	g_test_add_data_func("/jemalloc/manners/pause", auto_mode, test_pause);
	g_test_add_data_func("/jemalloc/manners/pause with ptrace", ptrace_mode, test_pause);
	g_test_add_data_func("/jemalloc/manners/kill -9", auto_mode, test_kill);
	g_test_add_data_func("/jemalloc/manners/kill -9 with ptrace", ptrace_mode, test_kill);
	g_test_add_func("/jemalloc/absent/memory refused", test_memory_refused);
	g_test_add_func("/jemalloc/absent/other user", test_other_user);
	g_test_add_func("/jemalloc/absent/no jemalloc", test_no_jemalloc);
	g_test_add_func("/jemalloc/absent/self", test_self);
	g_test_add_func("/jemalloc/absent/kernel thread", test_kernel_thread);
	g_test_add_func("/jemalloc/absent/vanished", test_vanished);
	g_test_add_func("/jemalloc/absent/recorded root", test_recorded);
	g_test_add_data_func("/jemalloc/threads/leader gone", auto_mode, test_headless);
	g_test_add_data_func("/jemalloc/threads/leader gone, ptrace", ptrace_mode, test_headless);
	g_test_add_func("/jemalloc/threads/stuck, ptrace", test_stuck);
	g_test_add_data_func("/jemalloc/threads/churn", auto_mode, test_churn);
	g_test_add_data_func("/jemalloc/threads/churn, ptrace", ptrace_mode, test_churn);
	g_test_add_func("/jemalloc/redis", test_redis);
	return g_test_run();
}

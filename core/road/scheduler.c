/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/ui.h"
#include "guard/capabilities.h"
#include "guard/crash.h"

#define STATE "kernel/sched_ext/state"
#define OPS "kernel/sched_ext/root/ops"
/* Counts the schedulers that were enabled since boot. */
#define SEQUENCE "kernel/sched_ext/enable_seq"
#define MAX_WORD 128
#define NAP_US 5000
/* Time for the kernel to enable the scheduler, or to remove it. */
#define DEADLINE_US (10 * G_USEC_PER_SEC)
/* Time between SIGTERM and SIGKILL. */
#define GRACE_US (5 * G_USEC_PER_SEC)

/* The scheduler's state in the kernel's words; "" if a file cannot be read. */
struct facts {
	char state[MAX_WORD], ops[MAX_WORD], sequence[MAX_WORD];
};

struct scheduler {
	const Root *root;
	char **command;
	const char *line;  /* owned by the caller */
	struct facts host; /* the host's own scheduler, without ours */
	struct facts seen; /* state when the run began; "": no run has begun */
	pid_t keeper;      /* 0: none, or it has ended */
	gboolean has_started;
	int status; /* exit status of the scheduler's program, once the keeper has ended */
};

/* ---- the state of the kernel ---------------------------------------------------- */

static void read_word(const Root *root, const char *path, char ret[MAX_WORD])
{
	AUTO_FD fd = openat(root_fd(root, CTPROF_ROOT_SYS), path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, ret, MAX_WORD - 1) : 0;

	ret[MAX(n, 0)] = '\0';
	g_strstrip(ret);
}

static struct facts read_facts(const Scheduler *self)
{
	struct facts facts;

	/* Read this file first: it is the last to change when a scheduler is enabled, so if it is
	 * new, the others are new, too. */
	read_word(self->root, SEQUENCE, facts.sequence);
	read_word(self->root, STATE, facts.state);
	read_word(self->root, OPS, facts.ops);
	return facts;
}

static gboolean is_same(const struct facts *a, const struct facts *b)
{
	return strcmp(a->state, b->state) == 0 && strcmp(a->ops, b->ops) == 0;
}

static gboolean is_same_start(const struct facts *a, const struct facts *b)
{
	return is_same(a, b) && strcmp(a->sequence, b->sequence) == 0;
}

static gboolean is_host(const Scheduler *self)
{
	const struct facts now = read_facts(self);

	return is_same(&now, &self->host);
}

static gboolean is_in_force(const Scheduler *self)
{
	const struct facts now = read_facts(self);
	gboolean is_new = now.sequence[0] ? strcmp(now.sequence, self->host.sequence) != 0
					  : !is_same(&now, &self->host);

	return is_new && strcmp(now.state, "enabled") == 0 && now.ops[0];
}

/* ---- the keeper --------------------------------------------------------------- */

static G_NORETURN void become(char **command, pid_t keeper, const sigset_t *mask)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != keeper || nothing < 0)
		_exit(EXIT_FAILED);
	setpgid(0, 0);
	/* Standard output is reserved for the report. */
	dup2(nothing, STDIN_FILENO);
	dup2(nothing, STDOUT_FILENO);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(command[0], command);
	ui_error("cannot run '%s': %s", command[0], g_strerror(errno));
	_exit(errno == ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_RUN);
}

/* Sends a signal to the scheduler's process group, and to processes that have left the group and
 * lost their parent. */
static void send_all(pid_t leader, int number)
{
	g_autoptr(GArray) pids = root_list_own_children();

	if (leader > 0)
		kill(-leader, number);
	for (guint i = 0; i < pids->len; i++)
		if (g_array_index(pids, pid_t, i) != leader)
			kill(g_array_index(pids, pid_t, i), number);
}

/* Reaps children that have ended; FALSE: there are no more children. */
static gboolean reap(pid_t *leader, int *status)
{
	int of_child;
	pid_t pid;

	while ((pid = waitpid(-1, &of_child, WNOHANG)) > 0) {
		if (pid != *leader)
			continue;
		*leader = 0;
		*status = WIFSIGNALED(of_child) ? COMMAND_SIGNAL + WTERMSIG(of_child)
						: WEXITSTATUS(of_child);
	}
	return pid == 0 || errno != ECHILD;
}

/* Runs the keeper.  SIGTERM comes from ctprof, or from the kernel if ctprof has ended.  Signals
 * from the keyboard do not reach a session without a terminal. */
static G_NORETURN void keep(char **command, pid_t parent, const sigset_t *mask)
{
	const struct timespec nap = {.tv_nsec = NAP_US * 1000};
	int status = EXIT_FAILED;
	gint64 end = 0;
	sigset_t awaited;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	setsid();
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	sigaddset(&awaited, SIGTERM);
	pid_t me = getpid(), leader = fork();
	if (leader == 0)
		become(command, me, mask);
	if (leader > 0)
		setpgid(leader, leader);
	while (reap(&leader, &status)) {
		int number = end ? sigtimedwait(&awaited, NULL, &nap) : sigwaitinfo(&awaited, NULL);

		if (number == SIGTERM && end == 0) {
			end = g_get_monotonic_time() + GRACE_US;
			send_all(leader, SIGTERM);
		}
		if (end && g_get_monotonic_time() >= end)
			send_all(leader, SIGKILL);
	}
	_exit(status);
}

/* ---- in ctprof ---------------------------------------------------------------- */

static gboolean start(Scheduler *self, GError **error)
{
	sigset_t all, before;
	pid_t me = getpid();

	fflush(NULL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	self->keeper = fork();
	if (self->keeper == 0)
		keep(self->command, me, &before);
	int err = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	self->has_started = self->keeper > 0;
	if (self->has_started)
		return TRUE;
	self->keeper = 0;
	return error_set_errno(error, err, "cannot run '%s'", self->command[0]);
}

/* Whether the scheduler, and all that it started, has ended. */
static gboolean has_ended(Scheduler *self)
{
	int status = 0;

	if (self->keeper == 0 || waitpid(self->keeper, &status, WNOHANG) == 0)
		return self->keeper == 0;
	self->keeper = 0;
	self->status =
		WIFSIGNALED(status) ? COMMAND_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
	return TRUE;
}

static void sleep_briefly(void)
{
	gpointer before = capabilities_suspend();

	g_usleep(NAP_US);
	capabilities_resume(before);
}

static gboolean wait_until_in_force(Scheduler *self, GError **error)
{
	gint64 end = g_get_monotonic_time() + DEADLINE_US;

	while (!is_in_force(self)) {
		if (crash_fail_interrupted(error))
			return FALSE;
		if (has_ended(self))
			return error_set_failed(
				error,
				"scheduler '%s': ended with status %d before the kernel enabled it",
				self->line, self->status);
		if (g_get_monotonic_time() >= end)
			return error_set_failed(
				error,
				"scheduler '%s': expected it in %s/" OPS " within %d s, and state "
				"'enabled'; the state is '%s'",
				self->line, root_path(self->root, CTPROF_ROOT_SYS),
				(int)(DEADLINE_US / G_USEC_PER_SEC), read_facts(self).state);
		sleep_briefly();
	}
	return TRUE;
}

/* Ends the scheduler; FALSE: it still runs, or the kernel still uses it. */
static gboolean stop(Scheduler *self)
{
	gint64 end = g_get_monotonic_time() + GRACE_US + DEADLINE_US;

	if (self->keeper > 0)
		kill(self->keeper, SIGTERM);
	while (!has_ended(self) || !is_host(self)) {
		if (g_get_monotonic_time() >= end)
			return FALSE;
		sleep_briefly();
	}
	return TRUE;
}

Scheduler *scheduler_new(const Root *root, const char *line, gboolean replace, GError **error)
{
	g_autoptr(Scheduler) self = g_new0(Scheduler, 1);
	g_autoptr(GError) cause = NULL;

	self->root = root;
	self->line = line;
	if (!g_shell_parse_argv(line, NULL, &self->command, &cause)) {
		error_set_usage(error, "--versus-scheduler '%s': %s", line, cause->message);
		return NULL;
	}
	self->host = read_facts(self);
	if (!self->host.state[0]) {
		error_set_failed(error,
				 "--versus-scheduler: cannot read %s/" STATE
				 ": this kernel has no sched_ext (CONFIG_SCHED_CLASS_EXT)",
				 root_path(root, CTPROF_ROOT_SYS));
		return NULL;
	}
	if (!replace && strcmp(self->host.state, "disabled") != 0) {
		error_set_failed(error,
				 "--versus-scheduler: a scheduler that ctprof did not start is "
				 "running: '%s', %s; end it, or use --replace if '%s' replaces "
				 "and restores it",
				 self->host.ops, self->host.state, line);
		return NULL;
	}
	return g_steal_pointer(&self);
}

void scheduler_free(Scheduler *self)
{
	if (self->keeper > 0)
		(void)stop(self);
	g_strfreev(self->command);
	g_free(self);
}

gboolean scheduler_enter(Scheduler *self, gboolean with, GError **error)
{
	struct facts now = read_facts(self);

	self->seen.state[0] = '\0';
	self->has_started = FALSE;
	if (!is_same(&now, &self->host))
		return error_set_failed(
			error, "scheduler of the host: was '%s' (%s), and is '%s' (%s) now",
			self->host.ops, self->host.state, now.ops, now.state);
	/* Each start increments the sequence number. */
	self->host = now;
	if (with && (!start(self, error) || !wait_until_in_force(self, error)))
		return FALSE;
	self->seen = read_facts(self);
	return TRUE;
}

gboolean scheduler_leave(Scheduler *self, GError **error)
{
	const struct facts now = read_facts(self), seen = self->seen;
	gboolean ended = self->has_started && has_ended(self);

	self->seen.state[0] = '\0';
	if (self->has_started && !stop(self)) {
		const struct facts left = read_facts(self);

		return error_set_failed(
			error,
			"scheduler '%s': %s, and the host's own scheduler is not as before: it was '%s' "
			"(%s), and is '%s' (%s)",
			self->line, self->keeper > 0 ? "does not end" : "ended", self->host.ops,
			self->host.state, left.ops, left.state);
	}
	if (seen.state[0] && ended)
		return error_set_failed(error,
					"scheduler '%s': ended during the run, with status %d; "
					"the run does not count",
					self->line, self->status);
	if (seen.state[0] && !is_same_start(&now, &seen))
		return error_set_failed(error,
					"the scheduler changed during the run, from '%s' (%s) to "
					"'%s' (%s); the run does not count",
					seen.ops, seen.state, now.ops, now.state);
	return TRUE;
}

pid_t scheduler_keeper(const Scheduler *self)
{
	return self->keeper;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "capture-ahead.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/fd.h"
#include "base/ui.h"
#include "guard/crash.h"
#include "guard/supervise.h"

#define WHY_BYTES 248
#define POLL_MS 1000
/* A wait is a series of short sleeps: an interrupt may come just before one begins. */
#define NAP_MS 5
/* An upper bound for the processes that can replace each other. */
#define MAX_READY 1000
#define AGAIN "a plugin failed while it listened"

/* Sent by a process that is about to wait. */
struct ready {
	gint32 pid;
	char why[WHY_BYTES];
};

/* Shared by all these processes. */
struct shared {
	guint runs;       /* number of supervised processes so far */
	guint may_sample; /* the capture before this one has been made */
};

struct capture_ahead {
	Globals *globals;
	const CapturingRequest *request;
	GArray *own;
	char *why;
	pid_t pid;   /* PID of the supervisor; 0: it has ended */
	int line[2]; /* a socket pair: our end, and that of the processes */
	struct shared *shared;
};

/* ---- in the supervised process ------------------------------------------------- */

/* Waits for the message to continue; FALSE: it will not come.  The message stays in the socket, for
 * a process that repeats the work. */
static gboolean await_release(const CaptureAhead *self)
{
	struct pollfd line = {.fd = self->line[1], .events = POLLIN};
	char word;

	while (!crash_interrupted()) {
		if (poll(&line, 1, POLL_MS) <= 0)
			continue;
		return recv(self->line[1], &word, sizeof word, MSG_PEEK | MSG_DONTWAIT) > 0;
	}
	return FALSE;
}

static gboolean wait_for_word(gpointer data, const char *why)
{
	const CaptureAhead *self = data;
	struct ready ready = {.pid = getpid()};

	if (self->shared->runs > 1)
		why = AGAIN;
	g_strlcpy(ready.why, why ? why : "", sizeof ready.why);
	if (send(self->line[1], &ready, sizeof ready, MSG_NOSIGNAL) >= 0)
		return await_release(self);
	/* An answer cannot arrive either. */
	ui_error("cannot reach the process that waits for this capture: %s", g_strerror(errno));
	return FALSE;
}

static int step_capture(gpointer data, GError **error)
{
	CaptureAhead *self = data;
	CapturingRequest request = *self->request;

	/* Be quiet: the previous capture lacks the same values. */
	ui_set_verbosity(-1);
	request.listens = ++self->shared->runs == 1;
	request.may_sample = &self->shared->may_sample;
	request.wait = wait_for_word;
	request.data = self;
	return EXIT_OF(capturing_run(self->globals, &request, error));
}

/* ---- its supervisor --------------------------------------------------------------- */

/* Ignores signals from the keyboard: they are for the command, or for the parent, which then ends
 * this process. */
static G_NORETURN void supervise(CaptureAhead *self, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	close(self->line[0]);
	crash_init_page();
	int status = supervise_status(supervise_run(step_capture, self, NULL));
	/* End in the same way as the process that captures. */
	crash_reraise();
	_exit(status);
}

/* ---- in the process that begins it -------------------------------------------------- */

/* Whether the supervisor has ended; does not reap it. */
static gboolean has_ended(const CaptureAhead *self)
{
	siginfo_t info = {.si_pid = 0};

	return self->pid == 0 ||
	       waitid(P_PID, (id_t)self->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid != 0;
}

/* Receives the message of the process that is running now; FALSE: none, or interrupted.  No message
 * comes after the end of the supervisor, although a process that it abandoned may hold the
 * socket. */
static gboolean take_ready(CaptureAhead *self, struct ready *ret_ready)
{
	struct pollfd line = {.fd = self->line[0], .events = POLLIN};
	ssize_t got = -1;

	while (got < 0 && !crash_interrupted()) {
		gboolean is_last = has_ended(self);

		got = recv(self->line[0], ret_ready, sizeof *ret_ready, MSG_DONTWAIT);
		/* ECONNRESET: the other side has ended without taking our message, at which it only
		 * peeks; its own messages can still be received. */
		if (got >= 0 || errno == ECONNRESET || errno == EINTR)
			continue;
		if (errno != EAGAIN)
			ui_error("cannot read from the process that captures: %s",
				 g_strerror(errno));
		if (is_last || errno != EAGAIN)
			return FALSE;
		(void)poll(&line, 1, NAP_MS);
	}
	if (got != sizeof *ret_ready)
		return FALSE;
	g_array_append_val(self->own, ret_ready->pid);
	return TRUE;
}

static int reap(CaptureAhead *self)
{
	/* -1 before Linux 5.3. */
	AUTO_FD pidfd = (int)syscall(SYS_pidfd_open, self->pid, 0);
	struct pollfd end = {.fd = pidfd, .events = POLLIN};
	gboolean is_killed = FALSE;
	int status = 0;

	/* Release a process that still waits for a message. */
	(void)shutdown(self->line[0], SHUT_WR);
	while (waitpid(self->pid, &status, WNOHANG) == 0) {
		if (crash_interrupted() && !is_killed)
			is_killed = kill(self->pid, SIGTERM) == 0;
		(void)poll(&end, 1, NAP_MS);
	}
	self->pid = 0;
	if (WIFSIGNALED(status) && !crash_interrupted())
		ui_error("the process that captures was ended by a signal: %s",
			 g_strsignal(WTERMSIG(status)));
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

static gboolean start(CaptureAhead *self)
{
	pid_t parent = getpid();

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, self->line) < 0)
		return FALSE;
	self->shared = mmap(NULL, sizeof *self->shared, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (self->shared == MAP_FAILED)
		return FALSE;
	fflush(NULL);
	self->pid = fork();
	if (self->pid == 0)
		supervise(self, parent);
	close(self->line[1]);
	self->line[1] = -1;
	return self->pid > 0;
}

CaptureAhead *capture_ahead_begin(Globals *globals, const CapturingRequest *request, GArray *own,
				  int *ret_status)
{
	g_autoptr(CaptureAhead) self = g_new0(CaptureAhead, 1);
	struct ready ready;

	*self = (CaptureAhead){
		.globals = globals, .request = request, .own = own, .line = {-1, -1}};
	*ret_status = EXIT_FAILED;
	if (!start(self)) {
		ui_error("cannot start a process: %s", g_strerror(errno));
		return NULL;
	}
	gint32 pid = self->pid;
	g_array_append_val(own, pid);
	if (!take_ready(self, &ready)) {
		*ret_status = MAX(reap(self), EXIT_FAILED);
		return NULL;
	}
	if (ready.why[0])
		self->why = g_strndup(ready.why, sizeof ready.why - 1);
	*ret_status = EXIT_DONE;
	return g_steal_pointer(&self);
}

const char *capture_ahead_exits_failure(const CaptureAhead *self)
{
	return self->why;
}

void capture_ahead_begin_window(CaptureAhead *self)
{
	if (self)
		__atomic_store_n(&self->shared->may_sample, 1, __ATOMIC_RELEASE);
}

int capture_ahead_finish(CaptureAhead *self)
{
	struct ready ready;
	gboolean is_released = send(self->line[0], "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;

	if (!is_released)
		ui_error("cannot reach the process that captures: %s", g_strerror(errno));
	int status = reap(self);
	/* A process that replaced the first one did not listen. */
	for (guint i = 0; i < MAX_READY && take_ready(self, &ready); i++) {
		g_free(self->why);
		self->why = g_strdup(AGAIN);
	}
	return is_released ? status : EXIT_FAILED;
}

void capture_ahead_free(CaptureAhead *self)
{
	if (self->pid > 0)
		reap(self);
	for (guint i = 0; i < G_N_ELEMENTS(self->line); i++)
		fd_close(&self->line[i]);
	if (self->shared)
		munmap(self->shared, sizeof *self->shared);
	g_free(self->why);
	g_free(self);
}

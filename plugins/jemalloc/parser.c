/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parser.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async.h"
#include "cleanup.h"
#include "clock.h"
#include "message.h"
#include "newer-host.h"
#include "thread-file.h"

#define NS_PER_MS UINT64_C(1000000)
/* The interval at which progress is reported to the worker that waits. */
#define TICK_MS 1u
/* The parser may be neither running nor runnable for at most this long: then it waits for the file,
 * whose server may never answer. */
#define MAX_IDLE_NS (3 * NS_PER_S)

int parser_check(const char *program)
{
	struct stat st;

	if (stat(program, &st) != 0)
		return -errno;
	return S_ISREG(st.st_mode) && (st.st_uid == 0 || st.st_uid == geteuid()) &&
			       (st.st_mode & (S_IWGRP | S_IWOTH)) == 0
		       ? 0
		       : -EPERM;
}

/* ---- its life ----------------------------------------------------------- */

/* Runs the program, with the socket as descriptor 0 and no others. */
static void become(const char *program, int socket)
{
	char name[] = "ctprof-jemalloc-examine";
	char *argv[] = {name, NULL}, *envp[] = {NULL};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (dup2(socket, 0) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2)
		(void)execve(program, argv, envp);
	_exit(EXIT_FAILURE);
}

/* Starts the program with vfork(), which waits until the program runs; on a busy host that takes
 * long.  If ctprof raises its priority, its first thread has SCHED_RESET_ON_FORK from the
 * beginning: then use fork(), though it costs more. */
static pid_t launch(const char *program, int socket)
{
	int policy = sched_getscheduler(getpid());
	pid_t pid = policy >= 0 && (policy & SCHED_RESET_ON_FORK) ? fork() : vfork();

	if (pid == 0)
		become(program, socket);
	return pid;
}

static int start(struct parser *parser, uid_t owner)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return -errno;
	AUTO_FD ours = ends[0];
	AUTO_FD low = ends[1];
	/* Above 2, so that the child's dup2() calls do not overwrite it. */
	AUTO_FD theirs = fcntl(low, F_DUPFD_CLOEXEC, 3);
	async_set_waiting(true);
	pid_t pid = theirs < 0 ? -1 : launch(parser->program, theirs);
	async_set_waiting(false);
	if (pid < 0)
		return -errno;
	running_raise(parser->host, pid, true);
	parser->pid = pid;
	parser->owner = owner;
	parser->fd = ours;
	ours = -1;
	return 0;
}

/* Kills the parser; wait: also waits for its end, unless it is stuck in the kernel.  In that case
 * it ends when the kernel releases it, and is reaped by init. */
static void stop(struct parser *parser, bool wait)
{
	int how = WEXITED | WNOWAIT | (wait ? 0 : WNOHANG);
	siginfo_t info;

	if (parser->pid == 0)
		return;
	(void)close(parser->fd);
	(void)kill(parser->pid, SIGKILL);
	async_set_waiting(true);
	while (waitid(P_PID, (id_t)parser->pid, &info, how) < 0 && errno == EINTR)
		continue;
	running_raise(parser->host, parser->pid, false);
	(void)waitpid(parser->pid, NULL, WNOHANG);
	async_set_waiting(false);
	parser->pid = 0;
}

void parser_stop(struct parser *parser)
{
	stop(parser, true);
}

/* ---- a question --------------------------------------------------------- */

/* Whether the parser is running or runnable; on a busy host it may be runnable for long. */
static bool is_runnable(const struct parser *parser)
{
	int proc = parser->host->root(parser->host, CTPROF_ROOT_PROC);
	struct stat_line stat;

	return stat_line_read(parser->host, proc, parser->pid, &stat) == 0 && stat.state == 'R';
}

/* Waits for the parser's answer: 0, -ETIME or -ETIMEDOUT.  The CPU time used cannot exceed the time
 * passed, so the parser's clock is not read before it could have used up its budget. */
static int await(const struct parser *parser, uint64_t begun, uint64_t budget_ns)
{
	uint64_t used = 0, moved_ns = clock_now();

	while (clock_now() - moved_ns < MAX_IDLE_NS) {
		uint64_t left_ms = (budget_ns - used) / NS_PER_MS + 1;
		struct pollfd poll_fd = {.fd = parser->fd, .events = POLLIN};

		if (poll(&poll_fd, 1, (int)(left_ms < TICK_MS ? left_ms : TICK_MS)) > 0)
			return 0;
		uint64_t before = used;
		used = clock_cpu_ns_of(parser->pid) - begun;
		if (used >= budget_ns)
			return -ETIME;
		if (used == before && !is_runnable(parser))
			continue;
		moved_ns = clock_now();
		async_note_progress();
		if (parser->moved_ns)
			atomic_store(parser->moved_ns, moved_ns);
	}
	return -ETIMEDOUT;
}

static int receive(const struct parser *parser, struct examine_answer *ret)
{
	return recv(parser->fd, ret, sizeof *ret, 0) == (ssize_t)sizeof *ret &&
			       facts_are_sound(&ret->facts)
		       ? 0
		       : -EBADMSG;
}

int parser_ask(struct parser *parser, int fd, const struct examine_request *request,
	       uint64_t *budget_ns, struct examine_answer *ret)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (parser->pid != 0 && parser->owner != st.st_uid)
		stop(parser, true);
	int rc = parser->pid ? 0 : start(parser, st.st_uid);
	if (rc < 0)
		return rc;
	uint64_t begun = clock_cpu_ns_of(parser->pid);
	rc = message_send(parser->fd, request, sizeof *request, &fd, 1) < 0 ? -EBADMSG : 0;
	rc = rc < 0 ? rc : await(parser, begun, *budget_ns);
	rc = rc < 0 ? rc : receive(parser, ret);
	uint64_t used = rc == -ETIME ? *budget_ns : clock_cpu_ns_of(parser->pid) - begun;
	*budget_ns -= used < *budget_ns ? used : *budget_ns;
	if (rc == 0)
		return 0;
	stop(parser, rc != -ETIMEDOUT);
	*ret = (struct examine_answer){.rc = rc};
	return 0;
}

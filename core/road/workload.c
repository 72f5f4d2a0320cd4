/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/ui.h"

struct workload {
	pid_t pid;
	int pidfd;
	int go[2]; /* a pipe: a byte starts the command */
};

static G_NORETURN void become(const Workload *workload, char **command)
{
	char word;

	close(workload->go[1]);
	if (read(workload->go[0], &word, 1) != 1)
		_exit(EXIT_DONE);
	execvp(command[0], command);
	ui_error("cannot run '%s': %s", command[0], g_strerror(errno));
	_exit(errno == ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_RUN);
}

Workload *workload_new(char **command, GError **error)
{
	g_autofree Workload *workload = g_new0(Workload, 1);
	gboolean ok = pipe2(workload->go, O_CLOEXEC) == 0;

	fflush(NULL);
	workload->pid = ok ? fork() : -1;
	if (workload->pid == 0)
		become(workload, command);
	workload->pidfd = workload->pid > 0 ? (int)syscall(SYS_pidfd_open, workload->pid, 0) : -1;
	if (workload->pidfd < 0) {
		/* Before Linux 5.3, only the parent is notified of its end. */
		error_set_errno(error, errno, "cannot run '%s' to record it", command[0]);
		return NULL;
	}
	close(workload->go[0]);
	return g_steal_pointer(&workload);
}

void workload_begin(Workload *workload)
{
	while (write(workload->go[1], "", 1) < 0 && errno == EINTR)
		continue;
	close(workload->go[1]);
}

gboolean workload_has_ended(const Workload *workload, int timeout_ms)
{
	struct pollfd end = {.fd = workload->pidfd, .events = POLLIN};

	return poll(&end, 1, timeout_ms) > 0;
}

int workload_wait(Workload *workload)
{
	int status = 0;

	/* From now on, no other process can start the command. */
	close(workload->go[1]);
	while (waitpid(workload->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) ? COMMAND_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

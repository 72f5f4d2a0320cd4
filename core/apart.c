/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "apart.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "ui.h"

int apart_run(int (*step)(gpointer data), gpointer data, pid_t *ret_pid)
{
	int status;

	fflush(NULL);
	pid_t child = fork();
	if (child < 0) {
		ui_error("cannot start a process: %s", g_strerror(errno));
		return EXIT_FAILED;
	}
	if (child == 0) {
		int result = step(data);

		fflush(NULL);
		_exit(result);
	}
	if (ret_pid)
		*ret_pid = child;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

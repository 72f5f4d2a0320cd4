/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ctprof-jemalloc-examine: reads ELF and DWARF that other users wrote.  It first gives up all its
 * rights: a file that takes control of it can only give wrong answers on descriptor 0.  ctprof
 * bounds its time (parser.c).
 */
#include <libelf.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cleanup.h"
#include "examine.h"
#include "message.h"
#include "sandbox.h"

/* A file is mapped, not read: only inflated sections and tables of pointers count towards
 * MAX_MEMORY. */
#define MAX_ADDRESSES ((rlim_t)2 << 30)
#define MAX_MEMORY ((rlim_t)320 << 20)

/* Keeps a lower limit set by the user: raising it needs a right that ctprof has given up. */
static bool limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit both;

	if (getrlimit(resource, &both) < 0)
		return false;
	if (both.rlim_max > value)
		both.rlim_max = value;
	both.rlim_cur = both.rlim_max;
	return setrlimit(resource, &both) == 0;
}

int main(void)
{
	static struct examine_request request;
	static struct examine_answer answer;
	sigset_t none;
	int file;

	/* The signal mask is inherited from the thread that started this process. */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	elf_version(EV_CURRENT);
	/* Closes descriptors that another plugin failed to mark close-on-exec. */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
	if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, 0) || !limit(RLIMIT_AS, MAX_ADDRESSES) ||
	    !limit(RLIMIT_DATA, MAX_MEMORY) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 ||
	    sandbox_enter() < 0)
		return EXIT_FAILURE;
	while (message_receive(STDIN_FILENO, &request, sizeof request, &file, 1)) {
		AUTO_FD fd = file;

		examine(fd, &request, &answer);
		if (send(STDIN_FILENO, &answer, sizeof answer, MSG_NOSIGNAL) !=
		    (ssize_t)sizeof answer)
			break;
	}
	return EXIT_SUCCESS;
}

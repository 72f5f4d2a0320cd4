/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cost COMMAND [ARGUMENT...]: runs it without output and prints the CPU time and wall time it took
 * in microseconds, and its peak RSS in KiB.  The kernel counts the memory of the caller of exec()
 * in the peak of the new program (exec_mmap), so a big interpreter cannot measure a small program
 * itself.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define US_PER_S INT64_C(1000000)
#define NS_PER_US 1000

static int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * US_PER_S + now.tv_nsec / NS_PER_US;
}

static int64_t us_of(struct timeval time)
{
	return time.tv_sec * US_PER_S + time.tv_usec;
}

static void run(char **command)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0)
		err(126, "standard output");
	execvp(command[0], command);
	err(127, "%s", command[0]);
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status;

	if (argc < 2)
		errx(2, "expected a command");
	int64_t begun = now_us();
	pid_t pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid == 0)
		run(argv + 1);
	while (wait4(pid, &status, 0, &used) < 0)
		if (errno != EINTR)
			err(1, "wait4");
	int64_t wall = now_us() - begun;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		errx(1, "%s: status %d", argv[1], status);
	printf("%jd %jd %ld\n", (intmax_t)(us_of(used.ru_utime) + us_of(used.ru_stime)),
	       (intmax_t)wall, used.ru_maxrss);
	return 0;
}

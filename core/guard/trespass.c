/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "trespass.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/lock.h"

/* Enough for the roots, an output and standard error. */
#define MAX_HELD 16
/* The time to wait for a copy of the process to return from an op. */
#define MAX_COPY_MS 10000

static pid_t own_pid; /* 0: nothing is checked, as no supervisor would report a trespass */
static struct stat own_directory;
static struct held {
	int fd; /* -1: free */
	dev_t device;
	ino_t inode;
	off_t offset; /* expected, if ctprof does not move it itself; otherwise -1 */
} held[MAX_HELD];
/* Protects held: a listener thread ends ops while other threads open and close.  fork() takes
 * it, as otherwise a copy of the process might find it locked for ever. */
static GMutex held_lock;
/* A pipe for the current op, whose writing end is held by the copies that the op has forked. */
static _Thread_local int copies[2] = {-1, -1};
static _Thread_local gboolean in_op;

/* Makes the pipe before any fork(): a copy that returns from the op writes to it. */
static void before_fork(void)
{
	if (in_op && copies[0] < 0 && pipe2(copies, O_CLOEXEC) < 0)
		copies[0] = copies[1] = -1;
	g_mutex_lock(&held_lock);
}

static void after_fork(void)
{
	g_mutex_unlock(&held_lock);
}

/* Works without the right to search the directory, which the process may lack. */
static gboolean find_directory(struct stat *ret)
{
	return fstatat(AT_FDCWD, "", ret, AT_EMPTY_PATH) == 0;
}

void trespass_watch(void)
{
	own_pid = getpid();
	for (guint i = 0; i < MAX_HELD; i++)
		held[i].fd = -1;
	if (!find_directory(&own_directory))
		own_directory = (struct stat){0};
	pthread_atfork(before_fork, after_fork, after_fork);
	trespass_hold(STDERR_FILENO);
}

void trespass_hold(int fd)
{
	struct stat st;

	HOLD(&held_lock);
	for (guint i = 0; own_pid && i < MAX_HELD; i++) {
		if (held[i].fd >= 0 || fd < 0 || fstat(fd, &st) < 0)
			continue;
		/* Standard error may be a file, whose offset messages move. */
		gboolean is_still = S_ISREG(st.st_mode) && fd != STDERR_FILENO;
		held[i] = (struct held){fd, st.st_dev, st.st_ino,
					is_still ? lseek(fd, 0, SEEK_CUR) : -1};
		return;
	}
}

void trespass_release(int fd)
{
	HOLD(&held_lock);
	for (guint i = 0; i < MAX_HELD; i++)
		if (held[i].fd == fd && fd >= 0)
			held[i].fd = -1;
}

/* Whether a forked copy of the process has returned from the op, too. */
static gboolean has_returned_twice(void)
{
	struct pollfd end = {.fd = copies[0], .events = POLLIN};
	char byte;

	if (copies[0] < 0)
		return FALSE;
	close(copies[1]);
	/* The pipe hangs up if the copy executes a program, ends, or closes all descriptors. */
	gboolean twice = poll(&end, 1, MAX_COPY_MS) == 1 && read(copies[0], &byte, 1) == 1;
	close(copies[0]);
	copies[0] = copies[1] = -1;
	return twice;
}

static gboolean has_closed(void)
{
	struct stat st;

	HOLD(&held_lock);
	for (guint i = 0; i < MAX_HELD; i++)
		if (held[i].fd >= 0 && (fstat(held[i].fd, &st) < 0 || st.st_ino != held[i].inode ||
					st.st_dev != held[i].device))
			return TRUE;
	return FALSE;
}

static gboolean has_written(void)
{
	HOLD(&held_lock);
	for (guint i = 0; i < MAX_HELD; i++)
		if (held[i].fd >= 0 && held[i].offset >= 0 &&
		    lseek(held[i].fd, 0, SEEK_CUR) != held[i].offset)
			return TRUE;
	return FALSE;
}

static gboolean has_moved(void)
{
	struct stat st;

	return own_directory.st_ino && (!find_directory(&st) || st.st_ino != own_directory.st_ino ||
					st.st_dev != own_directory.st_dev);
}

static gboolean has_timer(void)
{
	struct itimerval timer;

	return getitimer(ITIMER_REAL, &timer) == 0 &&
	       (timer.it_value.tv_sec || timer.it_value.tv_usec);
}

gboolean trespass_in_copy(void)
{
	return own_pid && getpid() != own_pid;
}

void trespass_begin(void)
{
	in_op = own_pid != 0;
}

enum trespass trespass_end(void)
{
	if (!in_op)
		return TRESPASS_NONE;
	if (trespass_in_copy()) {
		(void)!write(copies[1], "", copies[1] >= 0);
		_exit(EXIT_FAILURE);
	}
	in_op = FALSE;
	return has_returned_twice() ? TRESPASS_FORKED
	       : has_closed()       ? TRESPASS_CLOSED
	       : has_written()      ? TRESPASS_FILE
	       : has_moved()        ? TRESPASS_DIRECTORY
	       : has_timer()        ? TRESPASS_TIMER
				    : TRESPASS_NONE;
}

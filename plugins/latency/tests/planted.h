/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that a test plants, and the kernel's own account of them. */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "../probe.h"

#define MS 1000000u

/* Binds a process to one CPU. */
void pin(pid_t pid, size_t cpu);
/* Forks a process that does work, and ends with the test at the latest. */
pid_t plant(void (*work)(void));
/* Waits until all of the processes have stopped. */
void await_stop(const pid_t *pids, guint n);
/* Sends SIGSTOP, and waits until the process no longer runs. */
void stop(pid_t pid);
/* Stops all of the processes, the last one first. */
void stop_all(const pid_t *pids, guint n);
void end(pid_t pid);

/* Work for plant(), on the first CPU: a thread that is moved while it falls asleep has time in its
 * wait that is sleep.  Runs all the time. */
void spin(void);
/* Sleeps, 1 ms at a time. */
void sleep_often(void);
/* Sleeps until it is killed. */
void sleep_long(void);

struct account {
	guint64 run_ns, wait_ns, turns, switches;
	guint64 sleeps; /* the voluntary switches among them */
};

struct account account_of(pid_t pid);

/* Makes a group whose threads may use a fifth of a CPU; NULL: that is not possible. */
char *make_group(void);
gboolean join_group(const char *group, pid_t pid);
/* Returns for how long the group was throttled, in ns. */
guint64 throttled_in(const char *group);

/* Attaches the programs that count turns.  Returns NULL, after skipping the test, if this kernel or
 * user permits none. */
struct probe *attach_probe(void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that a test plants, and the kernel's own account of them. */
#pragma once

#include <glib.h>
#include <sys/types.h>

#define MS 1000000u

/* To one CPU. */
void pin(pid_t pid, size_t cpu);
/* Ends with the test at the latest. */
pid_t plant(void (*work)(void));
/* Until all of them have stopped. */
void await_stop(const pid_t *pids, guint n);
/* SIGSTOP, until it does not run any more. */
void stop(pid_t pid);
/* All of them, the last one first. */
void stop_all(const pid_t *pids, guint n);
void end(pid_t pid);

/* Works: on the first CPU, always; */
void spin(void);
/* 1 ms at a time; */
void sleep_often(void);
/* until it is killed. */
void sleep_long(void);

struct account {
	guint64 run_ns, wait_ns, turns, switches;
};

struct account account_of(pid_t pid);

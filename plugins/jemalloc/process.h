/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of one process, opened through its task directory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "maps.h"

/* via: a living thread of the process.  The leader's own directory tells
 * nothing once the leader has exited before the others. */
struct parser;

struct process {
	const struct ctprof_host *host;
	struct parser *parser; /* for what its files hold */
	int task_fd;
	int32_t via;
};

/* The executable, or -errno.  As all that follow, a regular file (foreign.h). */
int process_open_exe(const struct process *process);

/* An absolute path in the process's mount namespace: a regular file, or -errno. */
int process_open_path(const struct process *process, const char *path);

/* An absolute path in ctprof's own namespace: a regular file, or -errno. */
int process_open_own_path(const struct process *process, const char *path);

/* The very file that is mapped, also when it was deleted or renamed. */
int process_open_mapped(const struct process *process, const struct maps_file *file);

/* 0 while the process (and via) exists, or -ESRCH. */
int process_check_alive(const struct process *process);

/* Whether the thread has not begun to end: one that has keeps its place in the
 * directory until it is reaped, the leader until the others have ended. */
bool process_thread_lives(const struct process *process, int32_t tid);

/* Whether it has an address space: a kernel thread has none.  Everybody may know,
 * so that a refusal for want of rights can be told from there being nothing. */
bool process_has_memory(const struct process *process);

/* 1 when the process lives in a PID namespace below ctprof's, 0, or -errno. */
int process_is_nested(const struct process *process);

/* The number thread tid has in the process's own PID namespace, or -errno. */
int32_t process_inner_tid(const struct process *process, int32_t tid);

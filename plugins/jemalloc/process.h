/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of one process, opened through its task directory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "foreign.h"
#include "maps.h"

/* files.via: a living thread of the process.  The leader's own directory shows
 * nothing if the leader has exited before the others. */
struct process {
	struct foreign files;
	struct parser *parser; /* the parser, for the contents of its files */
};

/* Opens the executable; returns the descriptor or -errno.  Here and below, only a regular file is
 * opened (foreign.h). */
int process_open_exe(const struct process *process);

/* Opens the mapped file itself, even if it was deleted or renamed; -ESTALE: it could only be opened
 * by name, and the name leads to another file. */
int process_open_mapped(const struct process *process, const struct maps_file *file);

/* Returns 0 while the process (and via) exists, or -ESRCH. */
int process_check_alive(const struct process *process);

/* Whether the thread has not begun to exit: an exited thread stays in the directory until it is
 * reaped, and the leader until all others have exited. */
bool process_thread_lives(const struct process *process, int32_t tid);

/* Whether it has an address space, which kernel threads do not have.  Every user may see this, so
 * missing rights can be distinguished from a missing address space. */
bool process_has_memory(const struct process *process);

/* Returns the number of threads that the kernel counts; 1 if that cannot be read. */
uint64_t process_count_threads(const struct process *process);

/* Returns 1 if the process is in a PID namespace below ctprof's, 0, or -errno. */
int process_is_nested(const struct process *process);

/* Returns the ID of thread tid in the process's own PID namespace, or -errno. */
int32_t process_inner_tid(const struct process *process, int32_t tid);

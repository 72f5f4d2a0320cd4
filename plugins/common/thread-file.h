/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a thread, below the descriptor of its process's task directory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/plugin.h"

/* "TID/NAME". */
#define THREAD_FILE_PATH_MAX 64
void thread_file_path(char ret[THREAD_FILE_PATH_MAX], int32_t tid, const char *name);

/* Whether the process has no such thread any more. */
bool thread_file_gone(const struct ctprof_host *host, int task_fd, int32_t tid);

/* Up to max other threads of the process; returns how many. */
unsigned thread_file_siblings(const struct ctprof_host *host, int task_fd, int32_t tid,
			      int32_t *ret_tids, unsigned max);

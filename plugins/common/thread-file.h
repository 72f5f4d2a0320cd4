/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a thread, below the descriptor of its process's task directory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ctprof/plugin.h"
#include "text.h"

/* "TID/NAME". */
#define THREAD_FILE_PATH_MAX 64
void thread_file_path(char ret[THREAD_FILE_PATH_MAX], int32_t tid, const char *name);

/* Whether the process has no such thread any more. */
bool thread_file_gone(const struct ctprof_host *host, int task_fd, int32_t tid);

/* Up to max other threads of the process; returns how many. */
unsigned thread_file_siblings(const struct ctprof_host *host, int task_fd, int32_t tid,
			      int32_t *ret_tids, unsigned max);

/* What stat tells.  The name is cut at what stat_line holds; the kernel's own are
 * shorter. */
struct stat_line {
	uint64_t start_ticks;
	char state;
	bool kernel_thread;
	uint8_t name_len;
	char name[255];
};

/* false when the text is not a stat file. */
bool stat_line_parse(struct text text, struct stat_line *ret);

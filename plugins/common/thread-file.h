/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a thread, below the descriptor of its process's task directory. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/plugin.h"
#include "text.h"

/* Writes "TID/NAME". */
#define THREAD_FILE_PATH_MAX 64
void thread_file_path(char ret[THREAD_FILE_PATH_MAX], int32_t tid, const char *name);
/* Reads that file as file_read_at() does: the bytes read, or -errno. */
ssize_t thread_file_read(const struct ctprof_host *host, int task_fd, int32_t tid, const char *name,
			 char *buf, size_t size);
/* Reads that file below the proc root: TGID/task/TID/NAME. */
ssize_t thread_file_read_root(const struct ctprof_host *host, int32_t tgid, int32_t tid,
			      const char *name, char *buf, size_t size);

/* Returns the next entry whose name is the number of a process or thread; false: no more. */
bool thread_file_next(DIR *dir, int32_t *ret);
/* Calls visit for each process, with its task directory, which is closed afterwards.  0 or
 * -errno. */
int thread_file_each_process(const struct ctprof_host *host,
			     void (*visit)(void *data, int32_t tgid, DIR *task), void *data);

/* Whether the process no longer has that thread. */
bool thread_file_gone(const struct ctprof_host *host, int task_fd, int32_t tid);

/* Finds up to max other threads of the process; returns their number. */
unsigned thread_file_siblings(const struct ctprof_host *host, int task_fd, int32_t tid,
			      int32_t *ret_tids, unsigned max);

/* The values of stat.  The name is cut at the size of stat_line; the kernel's names are shorter. */
struct stat_line {
	uint64_t start_ticks;
	char state;
	bool kernel_thread;
	bool exiting; /* true before its memory is released and its tid is cleared */
	uint8_t name_len;
	char name[255];
};

/* Returns false if the text is not a stat file. */
bool stat_line_parse(struct text text, struct stat_line *ret);
/* Reads the stat of a thread: 0, -errno, or -EBADMSG if it is not a stat file. */
int stat_line_read(const struct ctprof_host *host, int task_fd, int32_t tid, struct stat_line *ret);

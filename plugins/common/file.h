/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads small kernel files below a directory descriptor. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ctprof/plugin.h"

/*
 * Opens dirfd/path through the host and reads it into buf, at most size bytes.  dirfd may also be
 * the -errno of host->root(), which is then returned.  For files of one record (the kernel's
 * single_open()), which a single read() returns completely if they fit: a short read means the end.
 * Not for files of many records (maps, mountinfo), which come in pieces.  Returns the bytes read or
 * -errno; -EFBIG if the file does not fit.
 */
ssize_t file_read_at(const struct ctprof_host *host, int dirfd, const char *path, char *buf,
		     size_t size);

/* Reads such a file by its path below a root (enum ctprof_root). */
ssize_t file_read_root(const struct ctprof_host *host, uint32_t root, const char *path, char *buf,
		       size_t size);

/* Whether a path below a root can be opened: 0 or -errno. */
int file_check_root(const struct ctprof_host *host, uint32_t root, const char *path);

/* Whether a switch below the proc root, such as a sysctl, is on; missing: the result if the kernel
 * does not have it. */
bool file_is_on(const struct ctprof_host *host, const char *path, bool missing);

/* Whether procfs shows only processes (mount option subset=pid), so that a missing file proves
 * nothing about the kernel.  Never true for a recorded tree. */
bool file_proc_is_partial(const struct ctprof_host *host);
#define FILE_PROC_PARTIAL "proc is mounted with subset=pid, which hides it"
#define FILE_PROC_WHOLE "mount proc without subset=pid"

/*
 * Like file_read_at(), for files of many records (mountinfo, sysvipc), which come in pieces of any
 * size: reads until the end, or until buf is full.
 */
ssize_t file_read_records_at(const struct ctprof_host *host, int dirfd, const char *path, char *buf,
			     size_t size);

/* Reads on in an open file, from its current position. */
ssize_t file_read_records(int fd, char *buf, size_t size);

/*
 * Reads a file of many records below a root (enum ctprof_root) into fresh memory of size bytes,
 * which the caller frees.  Returns the bytes read or -errno.
 */
ssize_t file_load_records(const struct ctprof_host *host, uint32_t root, const char *path,
			  size_t size, char **ret_text);

/* Opens dirfd/path through the host as a directory, which the caller closes; 0 or -errno. */
int file_open_dir(const struct ctprof_host *host, int dirfd, const char *path, DIR **ret);
/* Closes a directory, for a cleanup attribute. */
void file_close_dir(DIR **dir);

/*
 * Whether the IDs below the proc root are those that system calls take: false for a recorded root,
 * and for the /proc of another PID namespace, where they may belong to other threads.
 */
bool file_shows_own_pids(const struct ctprof_host *host);
#define FILE_FOREIGN_PIDS                                                                          \
	"/proc shows another PID namespace, in which the IDs are those of other threads"
#define FILE_FOREIGN_PIDS_REMEDY "mount the /proc of the PID namespace that ctprof runs in"

/* Returns the absence (enum ctprof_absence) for a failed open or read of a kernel file; err is a
 * positive errno. */
uint32_t file_absence(int err);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trees a capture reads: the running kernel's, or recorded ones. */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"

typedef struct root Root;

/*
 * Opens the three trees.  All NULL: the running kernel's.  As soon as one is
 * given the root is a recorded one: trees not given are missing, and nothing
 * may ask the running kernel.
 */
Root *root_open(const char *proc, const char *sys, const char *cgroup, GError **error);
void root_free(Root *root);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Root, root_free)

/* Directory descriptor of an enum ctprof_root, owned by root, or -errno. */
int root_fd(const Root *root, guint32 which);
/* Where that tree was opened, for messages; "" when it is missing. */
const char *root_path(const Root *root, guint32 which);
/* Whether the trees show the running kernel. */
gboolean root_is_live(const Root *root);

/* Reads a small file below the proc tree, NUL-terminated and without the final
 * line end; NULL when it cannot be read. */
char *root_read(const Root *root, const char *path);

/* The time of the trees: now, or when they were recorded. */
typedef struct root_time {
	guint64 realtime_ns; /* of CLOCK_REALTIME; a recorded tree that lacks it: now */
	guint64 boottime_ns; /* of CLOCK_BOOTTIME; 0: a recorded tree that lacks it */
} RootTime;

RootTime root_time(const Root *root);

/* Writes a small file below the proc tree. */
gboolean root_write(const Root *root, const char *path, const char *text, GError **error);

/* The build tree that the running executable lies in; NULL: it is installed. */
char *root_build_tree(void);
/* Peak resident memory of this process, bytes. */
guint64 root_own_peak_rss(const Root *root);
/* Address space of this process, bytes; 0: unknown. */
guint64 root_own_address_space(void);
/* Whether the user exists in the user namespace this process lives in; one that does not
 * looks like user 65534 there. */
gboolean root_maps_user(guint32 uid);

/* A file's path as CTPROF_NEED_FILE has them, "proc/12/task/13/io": what the
 * calling thread opens as path below dirfd.  NULL: it lies in none of the trees. */
char *root_name_file(const Root *root, int dirfd, const char *path);
/* The path by which what is open as fd can be opened again, or linked to; returns ret. */
#define ROOT_FD_PATH_MAX 48
const char *root_fd_path(char ret[ROOT_FD_PATH_MAX], int fd);
/* Open descriptors of the calling thread, and threads of this process, to be
 * compared with an earlier count; 0 when unknown. */
int root_own_descriptors(void);
int root_own_threads(void);
/* Thread ids of this process (pid_t); none when /proc shows another PID namespace, in
 * which these are other threads' numbers. */
GArray *root_list_own_threads(void);

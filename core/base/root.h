/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trees a capture reads: the running kernel's, or recorded ones. */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"

typedef struct root Root;

/*
 * Opens the three trees.  All NULL: the running kernel's.  If any is given, the
 * root is a recorded one: the other trees are missing, and the running kernel
 * must not be queried.
 */
Root *root_open(const char *proc, const char *sys, const char *cgroup, GError **error);
void root_free(Root *root);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Root, root_free)

/* Directory descriptor of an enum ctprof_root, owned by root, or -errno. */
int root_fd(const Root *root, guint32 which);
/* Where that tree was opened, for messages; "" if it is missing. */
const char *root_path(const Root *root, guint32 which);
/* Whether the trees show the running kernel. */
gboolean root_is_live(const Root *root);

/* Reads a small file below the proc tree, NUL-terminated and without the final
 * line end; NULL if it cannot be read. */
char *root_read(const Root *root, const char *path);

/* The time of the trees: now, or when they were recorded. */
typedef struct root_time {
	guint64 realtime_ns; /* of CLOCK_REALTIME; a recorded tree that lacks it: now */
	guint64 boottime_ns; /* of CLOCK_BOOTTIME; 0: a recorded tree that lacks it */
} RootTime;

RootTime root_time(const Root *root);

/* Writes a small file below the proc tree. */
gboolean root_write(const Root *root, const char *path, const char *text, GError **error);

/* The directory of the running executable; NULL: unknown. */
char *root_program_dir(void);
/* The build tree that contains the running executable; NULL: it is
 * installed. */
char *root_build_tree(void);
/* Peak resident memory of this process, bytes. */
guint64 root_own_peak_rss(const Root *root);
/* The same, whatever tree is read. */
guint64 root_own_rss(void);
/* Address space of this process, bytes; 0: unknown. */
guint64 root_own_address_space(void);
/* Whether the user is mapped in the user namespace of this process; an unmapped one
 * appears there as user 65534. */
gboolean root_maps_user(guint32 uid);

/* Returns the path of a file in the form of CTPROF_NEED_FILE, "proc/12/task/13/io",
 * given how the calling thread opens it: path below dirfd.  NULL: it is in none of
 * the trees. */
char *root_name_file(const Root *root, int dirfd, const char *path);
/* Writes the path by which the file open as fd can be reopened or linked; returns ret. */
#define ROOT_FD_PATH_MAX 48
const char *root_fd_path(char ret[ROOT_FD_PATH_MAX], int fd);
/* The number of open descriptors of the calling thread, and of threads of this
 * process, for comparison with an earlier count; 0 if unknown. */
int root_own_descriptors(void);
int root_own_threads(void);
/* The letter of status below a directory of a process or thread, 'R', 'D', 'Z'; '?': it cannot
 * be known.  Unlike stat, it takes no lock that the process may hold. */
char root_state(int proc, const char *directory);
/* The same of a thread of a process of our own; '?' too if /proc shows another PID namespace. */
char root_thread_state(pid_t pid, pid_t tid);
/* Calls each for the threads of this process; for none if /proc shows another PID namespace,
 * where these IDs belong to other threads.  Takes no memory, since that takes locks: for a thread
 * that must not wait for another of them. */
void root_each_own_thread(void (*each)(pid_t tid, gconstpointer data), gconstpointer data);
/* The children of this thread; none where the kernel does not list them
 * (CONFIG_PROC_CHILDREN), or as above. */
GArray *root_list_own_children(void);

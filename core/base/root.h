/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trees that a capture reads: those of the running kernel, or recorded ones. */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"

typedef struct root Root;

/*
 * Opens the three trees.  All paths NULL: the trees of the running kernel.  If any
 * path is given, the root is a recorded one: the other trees are missing, and the
 * running kernel must not be queried.
 */
Root *root_open(const char *proc, const char *sys, const char *cgroup, GError **error);
void root_free(Root *root);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Root, root_free)

/* Returns the directory descriptor of an enum ctprof_root, owned by root, or -errno. */
int root_fd(const Root *root, guint32 which);
/* Returns the path of that tree, for messages; "" if it is missing. */
const char *root_path(const Root *root, guint32 which);
/* Whether the trees show the running kernel. */
gboolean root_is_live(const Root *root);

/* Reads a small file below the proc tree, NUL-terminated and without the final
 * line end; NULL if it cannot be read. */
char *root_read(const Root *root, const char *path);

/* The time of the trees: now, or when they were recorded. */
typedef struct root_time {
	guint64 realtime_ns; /* CLOCK_REALTIME; if a recorded tree lacks it: now */
	guint64 boottime_ns; /* CLOCK_BOOTTIME; 0: a recorded tree lacks it */
} RootTime;

RootTime root_time(const Root *root);

/* Writes a small file below the proc tree. */
gboolean root_write(const Root *root, const char *path, const char *text, GError **error);

/* Returns the directory of the running executable; NULL: unknown. */
char *root_program_dir(void);
/* Returns the build tree that contains the running executable; NULL: the executable
 * is installed. */
char *root_build_tree(void);
/* Returns the peak resident memory of this process, in bytes. */
guint64 root_own_peak_rss(const Root *root);
/* Returns that peak as /proc of the running kernel shows it, whatever the root; 0: unknown. */
guint64 root_own_rss(void);
/* Returns the size of this process's address space, in bytes; 0: unknown. */
guint64 root_own_address_space(void);
/* Whether the user is mapped in the user namespace of this process; an unmapped one
 * appears there as user 65534. */
gboolean root_maps_user(guint32 uid);

/* Returns the path of a file in the form of CTPROF_NEED_FILE, "proc/12/task/13/io",
 * given how the calling thread opens it: path below dirfd.  NULL: the file is not in
 * any of the trees. */
char *root_name_file(const Root *root, int dirfd, const char *path);
/* Writes the path by which the calling thread can reopen or link the file fd; returns ret. */
#define ROOT_FD_PATH_MAX 48
const char *root_fd_path(char ret[ROOT_FD_PATH_MAX], int fd);
/* Return the number of open descriptors of the calling thread, and of threads of this
 * process, for comparison with an earlier count; 0 if unknown. */
int root_own_descriptors(void);
int root_own_threads(void);
/* Returns the state ('R', 'D', 'Z', ...) of the process or thread with that directory below proc;
 * '?': unknown.  Reads status, which unlike stat takes no lock that the process may hold. */
char root_state(int proc, const char *directory);
/* Returns the state of a thread of our processes; '?' also if /proc shows another PID namespace. */
char root_thread_state(pid_t pid, pid_t tid);
/* Calls each() for every thread of this process, but for none if /proc shows another PID
 * namespace, in which the IDs belong to other threads.  Allocates no memory, since that takes
 * locks, and the caller may be a thread that must not wait for the others. */
void root_each_own_thread(void (*each)(pid_t tid, gconstpointer data), gconstpointer data);
/* Returns the children of this thread (pid_t); empty if the kernel does not list them
 * (CONFIG_PROC_CHILDREN), or if /proc shows another PID namespace. */
GArray *root_list_own_children(void);

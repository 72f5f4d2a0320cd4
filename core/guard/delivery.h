/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that appear whole or not at all.  A file has no name until it is committed, or a
 * temporary name if the file system does not support unnamed files.  Committing takes the
 * rights of the user who runs ctprof, which a process that runs plugins has given up by then: its
 * supervisor holds the directory and the name from the beginning, and commits on request.  A
 * process without a supervisor commits by itself.
 */
#pragma once

#include <glib.h>

/*
 * Creates a file, to be called name in the directory dir (an O_PATH descriptor, which the caller
 * still owns).  The caller has the user's rights (AS_USER).  Returns the number of the delivery, or
 * -errno. *ret_fd is for writing to the file; the caller closes it.  Only before delivery_seal().
 */
int delivery_begin(int dir, const char *name, int *ret_fd);
/* Makes the file appear, replacing any file of that name: 0 or -errno. */
int delivery_commit(int number);
void delivery_discard(int number);

/* ---- the process that runs plugins, and its supervisor -------------------------- */

/* From now on this process has a supervisor at the other end of line (close-on-exec); -1: its
 * supervisor delivers nothing. */
void delivery_attend(int line);
gboolean delivery_is_attended(void);
/* No file can be begun after this: the process then has the rights of plugins only. */
void delivery_seal(void);

/* While they are lent, the terminal's keys that interrupt are for a pager, not for ctprof. */
void delivery_lend_keys(gboolean lent);
/* In the supervisor: whether those keys are lent. */
gboolean delivery_keys_are_lent(void);

/* In the supervisor: serves the next request of the process.  FALSE: the process has hung
 * up.  After the seal, no new file is accepted. */
gboolean delivery_serve(int line);
/* Once the process has ended: serves its remaining requests, forgets all deliveries, and removes
 * the files that have a temporary name. */
void delivery_end(int line);
/* Removes those files; may be called in a signal handler. */
void delivery_remove_unfinished(void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that appear whole or not at all.  A file has no name (on a file system that has
 * only files with names: a temporary one) until it is committed.  That takes the rights
 * of the user who runs ctprof, which a process that runs plugins has given up by then: so
 * its supervisor holds the directory and the name from the beginning, and is only told
 * when.  A process without a supervisor does it by itself.
 */
#pragma once

#include <glib.h>

/*
 * Makes the file that will be name in the directory dir, an O_PATH descriptor, which
 * stays the caller's, as do the user's rights.  Returns its number, or -errno; ret_fd:
 * to write to it, the caller's to close.  Only before delivery_seal().
 */
int delivery_begin(int dir, const char *name, int *ret_fd);
/* Lets the file appear, in the place of another of that name: 0 or -errno. */
int delivery_commit(int number);
void delivery_discard(int number);

/* ---- the process that runs plugins, and its supervisor -------------------------- */

/* From now on this process has a supervisor, at the other end of line; -1: one that
 * delivers nothing.  Closed by exec. */
void delivery_attend(int line);
gboolean delivery_is_attended(void);
/* Nothing can be begun any more: what follows runs with the rights of plugins. */
void delivery_seal(void);

/* Until told otherwise, keys of the terminal that interrupt are a pager's. */
void delivery_lend_keys(gboolean lent);
/* In the supervisor: whether they are. */
gboolean delivery_keys_are_lent(void);

/* In the supervisor: does the next thing that the process asks for.  FALSE: it has hung
 * up.  Trusts nothing that comes after the seal. */
gboolean delivery_serve(int line);
/* Once the process has ended: does what it still asked for, forgets all, and removes what
 * has a temporary name. */
void delivery_end(int line);
/* Removes that, for a handler of signals. */
void delivery_remove_unfinished(void);

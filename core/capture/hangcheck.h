/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds processes whose files, even small ones, cannot be read.
 *
 * A process in execve() holds its exec_update_lock, and may never release it: the kernel closes
 * files meanwhile, and a file system in user space need not respond.  A reader of its io, maps or,
 * since Linux 6.18, stat waits for the lock.  So the hangcheck has threads of its own, which can be
 * abandoned, and which ask each process before the workers read it.
 */
#pragma once

#include <glib.h>

#include "base/root.h"

typedef struct hangcheck HangCheck;

/* Begins to ask processes below a live root, in this order; NULL: no thread can be started. */
HangCheck *hangcheck_new(const Root *root, const GArray *pids);
/* Ends the hangcheck; abandons those of its threads that do not return. */
void hangcheck_free(HangCheck *hangcheck);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HangCheck, hangcheck_free)

enum hangcheck_answer {
	HANGCHECK_ANSWERS,
	HANGCHECK_STUCK,
	HANGCHECK_UNKNOWN, /* still being asked */
};

/* Returns what is known about process number i of the array; may_wait: waits until it is
 * known.  Callers take turns, and go through the processes in order. */
enum hangcheck_answer hangcheck_ask(HangCheck *hangcheck, guint i, gboolean may_wait);

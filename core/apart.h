/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps that run in a process of their own. */
#pragma once

#include <glib.h>
#include <sys/types.h>

/*
 * Runs step and waits for it; returns its exit status, EXIT_FAILED when it
 * did not end by itself.  A capture gives capabilities up for good, and ends with
 * threads and plugins behind it: what follows shall not notice.  ret_pid: the
 * process's; NULL: nobody asks.
 */
int apart_run(int (*step)(gpointer data), gpointer data, pid_t *ret_pid);

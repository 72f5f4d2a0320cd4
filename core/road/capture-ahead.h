/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Captures that listen for ended threads before they read any: they are started ahead of time, in a
 * process of their own, which then waits for a message to continue.  A plugin that fails there is
 * left out and the work is repeated, as in any supervised process, but then without records of
 * ended threads.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "capturing.h"

typedef struct capture_ahead CaptureAhead;

/*
 * Begins a capture; returns when it listens, or has failed to.  NULL: the process failed before
 * that, and has reported it; ret_status is its exit status.  The request must stay valid until
 * capture_ahead_finish(); the PIDs of the processes that run are added to own (gint32).
 */
CaptureAhead *capture_ahead_begin(Globals *globals, const CapturingRequest *request, GArray *own,
				  int *ret_status);
/* Returns why ended threads are not recorded, one clause; NULL: they are. */
const char *capture_ahead_exits_failure(const CaptureAhead *ahead);
/* Call once the previous capture has been made: samples that sources take afterwards belong to the
 * window.  Does nothing if ahead is NULL. */
void capture_ahead_begin_window(CaptureAhead *ahead);
/* Makes the process capture; returns its exit status, EXIT_LOST if a plugin was lost. */
int capture_ahead_finish(CaptureAhead *ahead);
/* Ends the process if it still runs. */
void capture_ahead_free(CaptureAhead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CaptureAhead, capture_ahead_free)

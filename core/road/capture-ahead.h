/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Captures that listen for ended threads before they read any: they are started
 * ahead of time, in a process of their own, which waits for a word to go on.  A
 * plugin that fails there is left out and the work repeated, as in any
 * supervised process, but then without records of ended threads.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "capturing.h"

typedef struct capture_ahead CaptureAhead;

/*
 * Begins a capture; returns once it listens, or cannot.  NULL: it failed before
 * that, and has reported it; ret_status is its exit status.  The request must stay
 * valid until capture_ahead_finish(); processes that run are added to own
 * (gint32).
 */
CaptureAhead *capture_ahead_begin(Globals *globals, const CapturingRequest *request, GArray *own,
				  int *ret_status);
/* Why ended threads are not recorded, one clause; NULL: they are. */
const char *capture_ahead_why(const CaptureAhead *ahead);
/* The capture before it has been made: what sources sample from now on is of the window.
 * NULL: does nothing. */
void capture_ahead_begin_window(CaptureAhead *ahead);
/* Makes it capture; returns the exit status, EXIT_LOST if a plugin was lost. */
int capture_ahead_finish(CaptureAhead *ahead);
/* Ends it, if it still runs. */
void capture_ahead_free(CaptureAhead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CaptureAhead, capture_ahead_free)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Captures that listen for threads that end before they read any: they are begun
 * ahead, in a process of their own, which goes on when it is told to.  A plugin
 * that fails there is left out and the work done again, as in any supervised
 * process, but then without the ends.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "capture-options.h"

typedef struct capture_ahead CaptureAhead;

/*
 * Begins a capture; returns once it listens, or cannot.  NULL: it failed before
 * that, which it has said; ret_status is its exit status.  The request must
 * stay until capture_ahead_finish(); processes that run are added to own (gint32).
 */
CaptureAhead *capture_ahead_begin(Globals *globals, const CapturingRequest *request, GArray *own,
				  int *ret_status);
/* Why it does not know who ended, one clause; NULL: it does. */
const char *capture_ahead_why(const CaptureAhead *ahead);
/* Has it capture; the exit status, EXIT_LOST without a plugin. */
int capture_ahead_finish(CaptureAhead *ahead);
/* Ends it, if it is still there. */
void capture_ahead_free(CaptureAhead *ahead);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CaptureAhead, capture_ahead_free)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The windows of a recording between the two samples that are compared. */
#pragma once

#include "filling.h"

/* Maximum windows into which a recording is cut: those of all threads, and those of the host alone,
 * which are cheap and give the first screen its typical values. */
#define PAST_WINDOWS 16
#define PAST_HOST_WINDOWS 1024

/* Returns the sample, counted from the first, at which a window begins; length: the number of
 * samples from the first to the last. */
guint past_boundary(guint length, guint window, guint n_windows);
/* Sets the past in the filling's options: the values of up to PAST_WINDOWS windows, and those of
 * the host in up to PAST_HOST_WINDOWS. */
gboolean past_read(Recording *recording, guint from, guint to, Filling *filling, GError **error);

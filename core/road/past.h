/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The windows of a recording between the two samples that are compared. */
#pragma once

#include "filling.h"

/* Windows a recording is cut into, at most: of all its threads, and of the host alone, which
 * costs little and is what the first screen calls typical. */
#define PAST_WINDOWS 16
#define PAST_HOST_WINDOWS 1024

/* The sample, counted from the first, at which a window begins; length: from the first sample to
 * the last. */
guint past_boundary(guint length, guint window, guint n_windows);
/* Sets the past of its options: what was in each of up to PAST_WINDOWS windows, and
 * that of the host in up to PAST_HOST_WINDOWS. */
gboolean past_read(Recording *recording, guint from, guint to, Filling *filling, GError **error);

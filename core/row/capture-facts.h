/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a capture was made, and what it lacks. */
#pragma once

#include <glib.h>

typedef struct capture_facts {
	guint64 now;         /* the start tick of a thread that starts with it; 0: unknown */
	gdouble taken_s;     /* how long it took; 0: unknown */
	guint64 realtime_ns; /* CLOCK_REALTIME when it began; 0: unknown */
	guint64 unseen;      /* processes that could not be listed; G_MAXUINT64: unknown */
} CaptureFacts;

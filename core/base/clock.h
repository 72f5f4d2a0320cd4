/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a clock of the system. */
#pragma once

#include <glib.h>
#include <time.h>

static inline guint64 clock_ns(clockid_t clock)
{
	struct timespec now = {0};

	(void)clock_gettime(clock, &now);
	return (guint64)now.tv_sec * G_GUINT64_CONSTANT(1000000000) + (guint64)now.tv_nsec;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors: misuse (exit status 2) apart from what goes wrong at run time (1). */
#pragma once

#include <glib.h>

#define USAGE_ERROR (error_usage_quark())

GQuark error_usage_quark(void);

/* Sets "TEXT: what err means" in the domain of GIO; err is a positive errno.
 * Returns FALSE, for functions that end with it. */
gboolean error_set_errno(GError **error, int err, const char *format, ...) G_GNUC_PRINTF(3, 4);

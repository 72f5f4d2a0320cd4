/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Error domains: usage errors (exit status 2) and failures at run time (1). */
#pragma once

#include <gio/gio.h>

#include "exit.h"

#define USAGE_ERROR (error_usage_quark())

GQuark error_usage_quark(void);

/* Each returns FALSE, so that a function can return its result. */
#define error_set_usage(error, ...) error_set_text(error, USAGE_ERROR, 0, __VA_ARGS__)
#define error_set_failed(error, ...)                                                               \
	error_set_text(error, G_IO_ERROR, G_IO_ERROR_FAILED, __VA_ARGS__)
gboolean error_set_text(GError **error, GQuark domain, gint code, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

/* Prints the error, and returns its exit status. */
int error_report(const GError *error);

/* Sets "TEXT: what err means" in the domain of GIO; err is a positive errno. */
gboolean error_set_errno(GError **error, int err, const char *format, ...) G_GNUC_PRINTF(3, 4);

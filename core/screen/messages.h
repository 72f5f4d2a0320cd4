/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps standard error while the screen is drawn, until the terminal is given back. */
#pragma once

#include <glib.h>

/* From now on standard error is kept, also that of processes that are forked. */
gboolean messages_begin(GError **error);
/* The newest line; NULL: none since the last call, or the one that it returned.  The caller
 * frees it. */
char *messages_take_last(void);
/* Standard error is again what it was, and gets what was kept. */
void messages_end(void);

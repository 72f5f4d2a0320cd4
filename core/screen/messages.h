/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds back standard error while the screen is drawn, until the terminal is restored. */
#pragma once

#include <glib.h>

/* From now on, standard error is held back, including that of forked processes. */
gboolean messages_begin(GError **error);
/* Returns the newest line; NULL: there is no new one since the last call, or it repeats the last
 * one.  The caller frees it. */
char *messages_take_last(void);
/* Restores standard error, and writes the lines that were held back to it. */
void messages_end(void);

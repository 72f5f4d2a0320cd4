/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of files and memory, and what is said when they are reached. */
#pragma once

#include <glib.h>

/* From now on a limit that is reached is an error in one line; once, from main.  Ends the
 * process when the stack is too small for anything. */
void limits_init(void);

/* "out of memory", and what sets the limit. */
const char *limits_why(void);

/* Bounds what this process may take from now on; 0: by its own limits only.  For what
 * reads files of others: a small one may hold any number of threads. */
void limits_set_memory(guint64 bytes);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of files and memory, and what is said when they are reached. */
#pragma once

#include <glib.h>

/* From now on a limit that is reached is an error in one line; once, from main.  Ends the
 * process when the stack is too small for anything. */
void limits_init(void);

/* "out of memory", and what sets the limit. */
const char *limits_why(void);

/* Whether plugins can be loaded at all: libraries that have no memory end the process in ways
 * of their own. */
gboolean limits_check_memory(GError **error);

/* Whether there is room to read threads, once they are. */
gboolean limits_check_room(GError **error);

/* What may be taken to read files of others; 0: any; G_MAXUINT64: what is usual. */
extern guint64 limits_memory;
/* Bounds what this process may take from now on, to that: a small file may hold any number of
 * threads. */
void limits_set_memory(void);

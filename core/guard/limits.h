/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of files and memory, and the messages when they are reached. */
#pragma once

#include <glib.h>

/* From now on a reached limit causes a one-line error.  Call once, from main.  Ends the process
 * if the stack is too small to go on. */
void limits_init(void);

/* Returns "out of memory" and what sets the limit. */
const char *limits_describe(void);

/* Whether there is memory to load plugins: without it, libraries end the process in ways of their
 * own. */
gboolean limits_check_memory(GError **error);

/* Whether there is memory to read threads, once the plugins are loaded. */
gboolean limits_check_room(GError **error);

/* Bytes of memory that reading others' files may take; 0: no limit; G_MAXUINT64: the default. */
extern guint64 limits_memory;
/* Limits further growth of this process's address space to limits_memory: a small file may hold any
 * number of threads. */
void limits_set_memory(void);

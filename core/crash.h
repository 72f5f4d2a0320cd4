/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What must still happen when the program is interrupted, or when a plugin
 * brings it down: no partial file stays, and one line names the culprit.
 */
#pragma once

#include <glib.h>

/* Installs the handlers; once, from main. */
void crash_init(void);
/* Gives the calling thread a stack on which a stack overflow can be told. */
void crash_init_thread(void);

/* From now on a crash of this thread is plugin's, in op; NULL: nobody's. */
void crash_blame(const char *plugin, const char *op);
/* The file to remove when the process ends early; NULL: none. */
void crash_unlink(const char *path);

/* Whether SIGINT, SIGTERM or SIGHUP came; a second one ends the process. */
gboolean crash_interrupted(void);
/* Ends the process as that signal would have; returns if none came. */
void crash_reraise(void);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that an op of a plugin left alone what it must not change. */
#pragma once

#include <glib.h>

enum trespass {
	TRESPASS_NONE,
	TRESPASS_FORKED,    /* forked, and returned from the op in both processes */
	TRESPASS_CLOSED,    /* closed, or replaced, a descriptor that is not its own */
	TRESPASS_DIRECTORY, /* changed the working directory */
	TRESPASS_TIMER,     /* left an alarm() that would end the process */
	TRESPASS_FILE,      /* moved the offset of a file that is not its own: wrote to it */
	TRESPASS_PIPE,      /* wrote to a pipe or socket that has no reader */
	TRESPASS_LAST = TRESPASS_PIPE,
};

/* From now on, ops are checked in this process. */
void trespass_watch(void);
/* Plugins must leave fd alone until trespass_release(). */
void trespass_hold(int fd);
void trespass_release(int fd);

/* Whether the caller is in a copy of that process, which a plugin has forked. */
gboolean trespass_in_copy(void);

/* Called around each op.  trespass_end() does not return in a copy of the process. */
void trespass_begin(void);
enum trespass trespass_end(void);

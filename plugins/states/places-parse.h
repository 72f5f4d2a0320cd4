/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsers for the files of a waiting thread.  Pure; any bytes are fine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* The number of frames of a stack to keep, from the top. */
#define WAIT_FRAMES 3u
#define WAIT_SYMBOL_MAX 128u
#define WAIT_PLACE_MAX (WAIT_FRAMES * (WAIT_SYMBOL_MAX + 3))

struct wait_stat {
	bool waits; /* state S or D */
	/* The kernel hides where it waits, as the addresses in the same file show. */
	bool denied;
};

/* false if the text is not a stat file. */
bool wait_stat_parse(struct text text, struct wait_stat *ret);

/* Whether the text is the name of a function, as in wchan. */
bool wait_is_symbol(struct text name);

/* "vfs_read < ksys_read < do_syscall_64": the top frames of a stack file, innermost first; returns
 * the length, 0 if the stack is empty. */
size_t wait_stack_parse(struct text text, char ret_place[WAIT_PLACE_MAX]);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of a process, as one text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What a text value holds at most. */
#define CMDLINE_MAX 65535u

/* Fed with the bytes of cmdline: the parts that are not empty, a blank between
 * each two.  Grows on demand; zeroes make an empty one. */
struct cmdline {
	char *text; /* len bytes */
	size_t len, room;
	bool gap; /* a part has ended */
};

void cmdline_add(struct cmdline *cmdline, const char *text, size_t len);
void cmdline_reset(struct cmdline *cmdline);
void cmdline_free(struct cmdline *cmdline);

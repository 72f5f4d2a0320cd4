/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of a process, as one text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The maximum size of a text value. */
#define CMDLINE_MAX 65535u

/* The non-empty arguments, separated by blanks and cut at CMDLINE_MAX.  A struct of all zeros is
 * empty; to reset one, set len and gap to 0. */
struct cmdline {
	size_t len;
	bool gap; /* an argument has ended */
	char text[CMDLINE_MAX];
};

/* take() of an async_consumer: adds the next bytes of the file to a struct
 * cmdline. */
size_t cmdline_take(void *data, const char *text, size_t len, bool last);

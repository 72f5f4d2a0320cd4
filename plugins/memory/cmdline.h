/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of a process, as one text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What a text value holds at most. */
#define CMDLINE_MAX 65535u

/* The parts that are not empty, a blank between each two; cut at the maximum.
 * Zeroes make an empty one, and len and gap of 0 do. */
struct cmdline {
	size_t len;
	bool gap; /* a part has ended */
	char text[CMDLINE_MAX];
};

/* A struct cmdline takes the next bytes of the file: a lane_consumer's take(). */
size_t cmdline_take(void *data, const char *text, size_t len, bool last);

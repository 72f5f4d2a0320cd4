/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connection to a scheduler's server of statistics: a line asks, a line answers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LINK_BYTES (4u << 20) /* of an answer */

struct link {
	int fd; /* -1: none */
	char *answer;
	size_t room;
	uint64_t deadline_ns; /* for one answer */
};

/* All take at most deadline_ns.  0 or -errno: ENAMETOOLONG, ETIMEDOUT, ECONNREFUSED, ENOENT, ... */
int link_open(struct link *ret, const char *path, uint64_t deadline_ns);
/* Sends a line, and sets *ret_length to the length of the line received, which is
 * link->answer without its end.  -EMSGSIZE: it is too long; -ECONNRESET: the server closed the
 * connection.  After a failure, answers would not belong to requests: the link is closed. */
int link_ask(struct link *link, const char *line, size_t *ret_length);
void link_close(struct link *link);

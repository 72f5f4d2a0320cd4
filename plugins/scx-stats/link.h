/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connection to a scheduler's statistics server: each request is a line, and so is each
 * answer. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LINK_BYTES (4u << 20) /* limit for an answer */

struct link {
	int fd; /* -1: none */
	char *answer;
	size_t room;
	uint64_t deadline_ns; /* for one answer */
};

/* Each function takes at most deadline_ns.  They return 0 or -errno: ENAMETOOLONG, ETIMEDOUT,
 * ECONNREFUSED, ENOENT, ... */
int link_open(struct link *ret, const char *path, uint64_t deadline_ns);
/* Sends a line and receives one, as link->answer: *ret_length bytes without the line end.
 * -EMSGSIZE: the answer is too long; -ECONNRESET: the server closed the connection. After a failure
 * the link is closed, as later answers could not be matched to requests. */
int link_ask(struct link *link, const char *line, size_t *ret_length);
void link_close(struct link *link);

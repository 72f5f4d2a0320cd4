/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Questions about files of other users, answered by a process without rights. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "ctprof/plugin.h"
#include "examine.h"

/* One worker's.  Starts with its first question; restarted when a file has ended
 * it, and before it sees a file of another owner than the last. */
struct parser {
	const struct ctprof_host *host;
	const char *program; /* ctprof-jemalloc-examine */
	pid_t pid;           /* 0: none runs */
	int fd;              /* our end of the socket */
	uid_t owner;
};

/* Whether the program may be run: root's or the user's own, and nobody else's to
 * write.  0 or -errno. */
int parser_check(const char *program);

/*
 * Asks about the file.  0, or the -errno of starting a parser.  ret->rc may also
 * be -ETIME: it took *budget_ns of CPU time, from which what was used is taken;
 * -ETIMEDOUT: reading the file takes forever; or -EBADMSG: it has ended the
 * parser, or made it lie.  facts_are_sound() holds for what it says.
 */
int parser_ask(struct parser *parser, int fd, const struct examine_request *request,
	       uint64_t *budget_ns, struct examine_answer *ret);

void parser_stop(struct parser *parser);

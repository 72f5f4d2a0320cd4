/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks questions about files of other users, which a process without rights answers. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "ctprof/plugin.h"
#include "examine.h"

/* Each worker has one. It starts with the first question, and is restarted if a file has killed it,
 * and before a file whose owner differs from that of the previous file. */
struct parser {
	const struct ctprof_host *host;
	struct foreign_mounts *mounts; /* of the host */
	const char *program;           /* ctprof-jemalloc-examine */
	pid_t pid;                     /* 0: not running */
	int fd;                        /* our end of the socket */
	uid_t owner;
	_Atomic uint64_t *moved_ns; /* set on progress; may be NULL */
};

/* Whether the program may be run: owned by root or the user, and not writable by
 * others.  0 or -errno. */
int parser_check(const char *program);

/*
 * Asks about the file.  0, or the -errno of starting a parser.  ret->rc may also be -ETIME: it used
 * up *budget_ns of CPU time, from which the used time is subtracted; -ETIMEDOUT: reading the file
 * does not end; or -EBADMSG: the file has killed the parser, or made it answer wrongly.
 * facts_are_sound() is true for the facts returned.
 */
int parser_ask(struct parser *parser, int fd, const struct examine_request *request,
	       uint64_t *budget_ns, struct examine_answer *ret);

void parser_stop(struct parser *parser);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A source of threads that end under test, on this machine's own kernel. */
#pragma once

#include "fakehost.h"

struct listen {
	FakeHost *host;
	const struct ctprof_source_ops *ops;
	void *self;
};

/* Opens the source and starts it, with an option (key NULL: none), and listens: 0 or -errno. */
int listen_begin(struct listen *listen, const char *key, const char *value);
void listen_end(struct listen *listen);

/* The next batch of rows. */
void listen_collect(struct listen *listen);
guint64 listen_tally(struct listen *listen, const char *name);
/* The exit status of work() as the first process of a PID namespace; 77, and the test is
 * skipped, where none can be made. */
int listen_elsewhere(int (*work)(void));

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a source of exiting threads, on this machine's own kernel. */
#pragma once

#include "fakehost.h"

struct listen {
	FakeHost *host;
	const struct ctprof_source_ops *ops;
	void *self;
};

/* Opens and starts the source, with an option (key NULL: none), and listens: 0 or -errno. */
int listen_begin(struct listen *listen, const char *key, const char *value);
void listen_end(struct listen *listen);

/* Collects the next batch of rows. */
void listen_collect(struct listen *listen);
guint64 listen_tally(struct listen *listen, const char *name);
/* Returns the exit status of work() as the first process of a PID namespace; 77, after skipping the
 * test, if none can be made. */
int listen_elsewhere(int (*work)(void));

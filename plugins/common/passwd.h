/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of users, only from /etc/passwd: a library might wait for a server. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/source.h"

struct passwd_user {
	uint64_t uid;
	char *name; /* NULL: out of memory */
};

struct passwd_names {
	struct passwd_user *users;
	size_t n;
	bool is_read;
};

/* Reads the names; none for a recorded tree, or if the file cannot be read. */
void passwd_read(const struct ctprof_host *host, struct passwd_names *ret);
void passwd_clear(struct passwd_names *names);
/* Puts the name of that user into a row, unless the file lacks it. */
void passwd_put(const struct passwd_names *names, const struct ctprof_host *host,
		struct ctprof_batch *batch, uint64_t row, uint32_t slot, uint64_t uid);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether BPF programs can run on this host, for the sources that load some. */
#pragma once

#include <stdbool.h>

#include "ctprof/plugin.h"

/* The kernel's own types, below the sys root. */
#define BPF_TYPES_FILE "kernel/btf/vmlinux"

struct condition_advice {
	int err; /* what start() returns */
	const char *why;
	const char *remedy; /* NULL: none known */
};

/* What stands in the way, found out without loading anything; false: nothing does. */
bool condition_examine(const struct ctprof_host *host, struct condition_advice *ret);
/* What a failure to load the programs means. */
struct condition_advice condition_explain(int err);

/* Tells it as the error of start(), and returns that. */
int condition_refuse(const struct ctprof_host *host, const struct condition_advice *advice);

/* Whether numbers and times of the kernel are those of this process, too: it is in the
 * initial PID and time namespace. */
bool condition_is_outermost(const struct ctprof_host *host);

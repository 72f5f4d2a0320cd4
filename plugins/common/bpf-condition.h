/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Examines whether BPF programs can run on this host, for the sources that load some. */
#pragma once

#include <stdbool.h>

#include "ctprof/plugin.h"

/* The BTF of the running kernel, below the sys root. */
#define BPF_TYPES_FILE "kernel/btf/vmlinux"

/* Rows of the table of needs. */
#define BPF_NEEDS                                                                                  \
	NEED_ALWAYS(KCONFIG, "CONFIG_BPF_SYSCALL", "to load programs into the kernel"),            \
		NEED_ALWAYS(KCONFIG, "CONFIG_DEBUG_INFO_BTF", "the layout of the kernel's types"), \
		NEED_ALWAYS(FILE, "sys/kernel/btf/vmlinux", "the layout of the kernel's types"),   \
		NEED_PARTLY(FILE, "sys/kernel/security/lockdown",                                  \
			    "whether the kernel is locked down"),                                  \
		NEED_PARTLY(FILE, "proc/self/stat", "whether /proc is of this PID namespace"),     \
		NEED_PARTLY(FILE, "proc/self/status", "the capabilities of ctprof")

struct condition_advice {
	int err; /* the return value of start() */
	const char *why;
	const char *remedy; /* NULL: none known */
};

/* Finds a reason why programs cannot run, without loading any; false: no reason found. */
bool condition_examine(const struct ctprof_host *host, struct condition_advice *ret);
/* For programs that follow threads: another PID or time namespace than the initial one is a reason,
 * too.  Always sets *ret. */
bool condition_examine_outer(const struct ctprof_host *host, struct condition_advice *ret);
/* Explains a failure to load the programs. */
struct condition_advice condition_explain(int err);

/* Reports the advice as the error of start(), and returns its err. */
int condition_refuse(const struct ctprof_host *host, const struct condition_advice *advice);

/* Whether thread numbers and times in the kernel are the same as in this process: it is in the
 * initial PID and time namespaces. */
bool condition_is_outermost(const struct ctprof_host *host);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in an object's TLS block the counters are: every way to find out. */
#pragma once

#include "facts.h"
#include "known.h"
#include "process.h"
#include "tally.h"

/* An object that contains jemalloc, and what may be asked about it. */
struct layout_job {
	const struct process *process;
	const struct elf_facts *facts;
	const char *path; /* in the process's namespace; "" if none */
	int fd;
	uint64_t *budget_ns; /* CPU time left for it */
};

/* Offsets in the TLS block, or the tag with the reason. */
enum tag layout_find(const struct layout_job *job, struct offsets *ret);

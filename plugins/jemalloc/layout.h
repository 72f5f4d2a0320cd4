/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in an object's TLS block the counters are: every way to find out. */
#pragma once

#include <libelf.h>

#include "calibrate.h"
#include "elfobj.h"
#include "known.h"
#include "process.h"
#include "tally.h"

/* An object that holds jemalloc, and what may be asked about it. */
struct layout_job {
	const struct process *process;
	struct calibrations *calibrations;
	const struct elf_facts *facts;
	const char *path; /* in the process's namespace; "" when it has none */
	int fd;
	Elf *elf;
	bool is_exe;
};

/* Offsets in the TLS block, or the tag that says why not. */
enum tag layout_find(const struct layout_job *job, struct offsets *ret);

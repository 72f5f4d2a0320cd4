/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the counters in an object's TLS block, in every known way. */
#pragma once

#include "facts.h"
#include "known.h"
#include "process.h"
#include "tally.h"

/* The facts about a file; they never change once returned. */
struct object {
	enum tag tag;            /* TAG_OK: offsets are valid; TAG_JEMALLOC_NOT_FOUND; or the reason
				  * why they are not */
	struct offsets offsets;  /* in the object's TLS block */
	bool is_static;          /* an executable that maps no library */
	struct elf_facts *facts; /* NULL unless jemalloc or the thread list needs them */
};

/* An object that contains jemalloc, and the means to examine it. */
struct layout_job {
	const struct process *process;
	const struct elf_facts *facts;
	int fd;              /* of the object, or of its debug file */
	uint64_t *budget_ns; /* CPU time left for the object */
};

/* Finds the offsets in the TLS block, or returns the tag with the reason.  Only the object itself
 * and the host's files about it are used, never files that the process names. */
enum tag layout_find(const struct layout_job *job, struct offsets *ret);

/* Whether the offsets are missing and a debug file could have them. */
bool layout_lacks_debug(const struct object *object);
/* Asks a debug file.  0; -ENODATA: it does not contain the offsets; -EINVAL: it is not a debug file
 * of that object; or another -errno. */
int layout_ask_debug(const struct layout_job *job, struct offsets *ret);

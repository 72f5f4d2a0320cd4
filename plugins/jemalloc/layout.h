/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in an object's TLS block the counters are: every way to find out. */
#pragma once

#include "facts.h"
#include "known.h"
#include "process.h"
#include "tally.h"

/* The facts about a file; they never change once returned. */
struct object {
	enum tag tag;            /* TAG_OK: offsets are good; TAG_JEMALLOC_NOT_FOUND; or why not */
	struct offsets offsets;  /* in the object's TLS block */
	bool is_static;          /* an executable that maps no library */
	struct elf_facts *facts; /* if jemalloc or the thread list needs them; otherwise NULL */
};

/* An object that contains jemalloc, and what may be asked about it. */
struct layout_job {
	const struct process *process;
	const struct elf_facts *facts;
	int fd;              /* of the object, or of its debug file */
	uint64_t *budget_ns; /* CPU time left for it */
};

/* Offsets in the TLS block, or the tag with the reason; by the object itself and what the
 * host has about it, never by what the process says. */
enum tag layout_find(const struct layout_job *job, struct offsets *ret);

/* Whether only a debug file could tell more. */
bool layout_lacks_debug(const struct object *object);
/* The debug file of that number (debugfile.h) below the process's root, or -errno; path: the
 * object's, as the process has it. */
int layout_open_debug(const struct process *process, const struct elf_facts *facts,
		      const char *path, size_t which);
/* 0, -ENODATA: it does not tell; -EINVAL: it is no debug file of that object; or -errno. */
int layout_ask_debug(const struct layout_job *job, struct offsets *ret);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process, and the place of its threads' counters. */
#pragma once

#include "objects.h"
#include "parser.h"
#include "process.h"
#include "remote.h"
#include "rtld.h"
#include "tally.h"
#include "threads.h"

struct target {
	int32_t tgid;      /* 0: none yet */
	uint64_t task_ino; /* inode of the task directory, which identifies the process */
	struct process process;
	struct remote remote;

	/* The result; absence is the reason if there are no values. */
	enum tag tag;
	uint32_t absence;

	/* With TAG_OK: */
	const struct object *holder; /* of jemalloc */
	struct tls_place place;
	bool nested; /* thread numbers differ from ours */

	/* How to find thread pointers; db is NULL if they cannot be found. */
	const struct elf_thread_db *db;
	struct thread_lists lists;
	struct rtld rtld;
	struct threads threads; /* of the last walk */
};

#define TARGET_INIT ((struct target){.remote.pagemap = -1})

/*
 * Makes target the process of this row, unless it is already.  Afterwards
 * process and remote are valid until the row's call returns. other: another
 * thread of the process, in case its leader has exited. needs_threads: fail
 * with TAG_THREAD_LIST_UNSUPPORTED if db would be NULL.
 */
void target_enter(struct target *target, struct objects *objects, struct parser *parser,
		  const struct ctprof_target *row, int32_t other, bool needs_threads);
void target_clear(struct target *target);

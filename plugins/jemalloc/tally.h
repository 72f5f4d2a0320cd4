/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results for processes and threads: the failure tags and their counts. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result for a process or a thread; the words are in tally.c. */
enum tag {
	TAG_OK = 0,
	TAG_PID_MISSING,
	TAG_READLINK_FAILURE,
	TAG_MAPS_READ_FAILURE,
	TAG_OBJECT_UNREADABLE,
	TAG_OBJECT_UNPARSED,
	TAG_JEMALLOC_NOT_FOUND,
	TAG_JEMALLOC_STRIPPED,
	TAG_ARCH_MISMATCH,
	TAG_DWARF_PARSE_FAILURE,
	TAG_CODE_UNKNOWN,
	TAG_TLS_UNRESOLVED,
	TAG_TLS_ARITHMETIC,
	TAG_THREAD_LIST_UNSUPPORTED,
	TAG_THREAD_NOT_LISTED,
	TAG_THREAD_EXITED,
	TAG_MEMORY_DENIED,
	TAG_PROCESS_VM_READV,
	TAG_UNSTABLE_VALUE,
	TAG_PTRACE_SEIZE,
	TAG_PTRACE_INTERRUPT,
	TAG_WAITPID,
	TAG_GET_REGSET,
	TAG_PROCESS_STUCK,
	TAG_COUNT
};

extern const struct tag_row {
	const char *name;
	bool actionable;  /* the user could do something about it */
	bool privilege;   /* more privilege would have avoided it */
	uint32_t absence; /* enum ctprof_absence of its counters */
} tag_rows[TAG_COUNT];

/* Shared by all workers; every count on its own is exact. */
struct tally {
	_Atomic uint64_t walked;
	_Atomic uint64_t detected;
	_Atomic uint64_t ok;
	_Atomic uint64_t tags[TAG_COUNT];
};

void tally_process(struct tally *tally, enum tag tag);
void tally_thread(struct tally *tally, enum tag tag);

/* The summary at the end. */
struct tally_summary {
	uint64_t walked;
	uint64_t detected;
	uint64_t ok;
	uint64_t failed;   /* actionable ones */
	enum tag dominant; /* most frequent actionable one; TAG_OK: none */
	bool by_privilege; /* at least half of them for lack of privilege */
};

struct tally_summary tally_summarise(const struct tally *tally);

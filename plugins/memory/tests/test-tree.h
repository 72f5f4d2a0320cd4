/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes to be read, written as files by the tests. */
#pragma once

#include "../../common/tests/run.h"
#include "../memory.h"

#define HEADING "5-7 ---p 00000000 00:00 0    [rollup]\n"
#define ROLLUP                                                                                     \
	HEADING "Rss: 884 kB\nPss: 385 kB\nPss_Dirty: 40 kB\nPss_Anon: 300 kB\nPss_File: 80 kB\n"  \
		"Pss_Shmem: 5 kB\nShared_Clean: 7 kB\nShared_Dirty: 8 kB\nPrivate_Clean: 20 kB\n"  \
		"Private_Dirty: 30 kB\nAnonymous: 301 kB\nKSM: 0 kB\nShared_Hugetlb: 4096 kB\n"    \
		"Private_Hugetlb: 2048 kB\nSwap: 9 kB\nSwapPss: 0 kB\nLocked: 3 kB\n"
#define MAPPING                                                                                    \
	"5-7 r--p 00000000 00:00 0  /x\nSize: 8 kB\nRss: 4 kB\nPss: 3 kB\nKernelPageSize: 4 kB\n"
#define MM                                                                                         \
	"VmHWM: 120 kB\nVmRSS: 100 kB\nRssAnon: 70 kB\nRssFile: 20 kB\nRssShmem: 10 kB\n"          \
	"VmSwap: 5 kB\n"
#define STATUS "PPid: 1\nUid: 4242 0 0 0\nThreads: 2\n"

#define USER 4194560u
#define KTHREAD 2129984u

#define DENIED CTPROF_ABSENT_DENIED
#define UNSUPPORTED CTPROF_ABSENT_UNSUPPORTED
#define INAPPLICABLE CTPROF_ABSENT_INAPPLICABLE
#define ABSENT G_MAXUINT64

struct memory *instance(const struct run *run);

void write_stat(struct run *run, int tgid, int tid, char state, unsigned flags, int start);
/* Writes a process of one thread that has all files, and adds it to the host. */
void add_process(struct run *run, int pid);

/* number ABSENT, word NULL: there must be no value. */
void assert_number(struct run *run, guint64 row, const char *name, guint64 number);
void assert_word(struct run *run, guint64 row, const char *name, const char *word);

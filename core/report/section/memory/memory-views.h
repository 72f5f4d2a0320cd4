/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The views, each a function from data to tables. */
#pragma once

#include <glib.h>

#include "memory-data.h"
#include "memory-table.h"
#include "memory.h"

/* What a view works with. */
typedef struct memory_draft {
	MemoryData *data;
	const MemoryOptions *options;
	GRegex *filter; /* NULL: none */
	guint sort;     /* which of the view's orders */
	MemoryTables *tables;
} MemoryDraft;

gboolean memory_draft_matches(const MemoryDraft *draft, const char *text);
/* How many live processes' memory could not be read in full. */
guint64 memory_draft_n_unread(const MemoryDraft *draft);

/* The host's RAM; 0: not known. */
guint64 memory_draft_ram(const MemoryDraft *draft);

/* How a process's memory was read. */
enum memory_coverage { MEMORY_EXACT, MEMORY_APPROXIMATE, MEMORY_MISSING, MEMORY_NONE };
enum memory_coverage memory_coverage_of(const MemoryRow *process);

/* A view's order i, by name; NULL behind the last. */
typedef const char *(*MemorySorts)(guint i);

const char *memory_ledger_sort(guint i);
const char *memory_processes_sort(guint i);
const char *memory_process_sort(guint i);
const char *memory_shared_sort(guint i);
const char *memory_tmpfs_sort(guint i);
const char *memory_sysv_sort(guint i);
const char *memory_categories_sort(guint i);

void memory_draft_ledger(MemoryDraft *draft);
void memory_draft_processes(MemoryDraft *draft);
void memory_draft_process(MemoryDraft *draft);
void memory_draft_shared(MemoryDraft *draft);
void memory_draft_tmpfs(MemoryDraft *draft);
void memory_draft_sysv(MemoryDraft *draft);
void memory_draft_categories(MemoryDraft *draft);

/* ChromeOS's smaps_rollup.json; the caller frees it. */
char *memory_format_artifact(const MemoryData *data, gboolean swap_by_name);

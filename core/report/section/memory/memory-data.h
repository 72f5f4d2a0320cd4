/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a snapshot tells of memory: its rows, by what they are about. */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "ctprof/sink.h"
#include "row/registry.h"

/* What rows are about: processes, or the objects of one slot group. */
enum memory_group {
	MEMORY_PROCESSES,
	MEMORY_LEDGER,
	MEMORY_TMPFS,
	MEMORY_FILES,
	MEMORY_SYSV,
	MEMORY_SHARED,
	MEMORY_SWAP,
	MEMORY_MAPPINGS,
	N_MEMORY_GROUPS,
};

/* The cells of each group's rows; memory-data.c has the metrics they hold. */
enum process_cell {
	PROCESS_PSS,
	PROCESS_USS,
	PROCESS_RSS,
	PROCESS_SWAP,
	PROCESS_SWAP_PSS,
	PROCESS_PSS_ANON,
	PROCESS_PSS_FILE,
	PROCESS_PSS_SHMEM,
	PROCESS_ANONYMOUS,
	PROCESS_MEMORY_STATE,
	PROCESS_MEMORY_SOURCE,
	PROCESS_PPID,
	PROCESS_USER,
	PROCESS_CMDLINE,
	PROCESS_CWD,
	PROCESS_PCOMM,
	PROCESS_STATE,
	PROCESS_THREADS,
	PROCESS_ROLLUP, /* KiB */
	N_PROCESS_CELLS,
};

enum ledger_cell { LEDGER_BYTES, LEDGER_ESTIMATE, N_LEDGER_CELLS };

enum tmpfs_cell {
	TMPFS_USED,
	TMPFS_LIMIT,
	TMPFS_DEVICE,
	TMPFS_FILES,
	TMPFS_SOURCE,
	N_TMPFS_CELLS,
};

enum file_cell {
	FILE_MOUNT,
	FILE_KIND,
	FILE_ALLOCATED,
	FILE_LOGICAL,
	FILE_DEPTH,
	FILE_LINKED,
	FILE_UNREADABLE,
	N_FILE_CELLS,
};

enum sysv_cell {
	SYSV_OWNER,
	SYSV_ATTACHES,
	SYSV_SIZE,
	SYSV_RSS,
	SYSV_SWAP,
	SYSV_KEY,
	N_SYSV_CELLS,
};

enum shared_cell {
	SHARED_KIND,
	SHARED_DEVICE,
	SHARED_INODE,
	SHARED_PSS,
	SHARED_RSS,
	SHARED_USS,
	SHARED_SWAP,
	SHARED_SIZE,
	SHARED_VMAS,
	SHARED_PROCESSES,
	SHARED_CONSUMERS,
	SHARED_SHMID,
	SHARED_ATTACHES,
	N_SHARED_CELLS,
};

enum swap_cell { SWAP_BY_OBJECT, SWAP_BY_NAME, SWAP_UNREADABLE, SWAP_READABLE, N_SWAP_CELLS };

enum mapping_cell {
	MAPPING_PID,
	MAPPING_KIND,
	MAPPING_LABEL,
	MAPPING_DEVICE,
	MAPPING_INODE,
	MAPPING_VMAS,
	MAPPING_SIZE,
	MAPPING_RSS,
	MAPPING_PSS,
	MAPPING_USS,
	MAPPING_SWAP,
	MAPPING_ANONYMOUS,
	MAPPING_READ_NS,
	N_MAPPING_CELLS,
};

/* A value as a snapshot has it. */
typedef struct memory_cell {
	guint32 state; /* enum ctprof_absence */
	guint32 type;  /* enum ctprof_type: U64 and TEXT; of MAP the entries */
	union {
		guint64 number;
		const char *text;
		const GArray *map; /* MemoryEntry, largest first */
	};
} MemoryCell;

typedef struct memory_entry {
	const char *key;
	guint64 number;
} MemoryEntry;

typedef struct memory_row {
	const char *name; /* of an object; NULL: a process */
	gint32 pid;       /* of a process; else 0 */
	MemoryCell cells[];
} MemoryRow;

typedef struct memory_data {
	GStringChunk *strings;
	GPtrArray *maps;                    /* GArray, owned */
	GPtrArray *rows[N_MEMORY_GROUPS];   /* MemoryRow, owned, in the snapshot's order */
	gboolean captured[N_MEMORY_GROUPS]; /* whether the snapshot was made to have them */
	GArray *bindings;                   /* struct binding */
	const Registry *registry;           /* NULL: not bound */
} MemoryData;

void memory_data_init(MemoryData *data);
void memory_data_clear(MemoryData *data);

/* Takes the metrics of a snapshot; once, before its rows. */
void memory_data_bind(MemoryData *data, const Registry *registry);
/* Takes rows of any scope; those about something else are left alone. */
void memory_data_add(MemoryData *data, const struct ctprof_rows *rows);

/* A row with every cell absent, and text that lives as long as the data. */
MemoryRow *memory_data_new_row(MemoryData *data, enum memory_group group, const char *name,
			       gint32 pid);
const char *memory_data_keep(MemoryData *data, const char *text);

guint memory_data_n_cells(enum memory_group group);
/* The slot group's name, as --groups takes it. */
const char *memory_data_group(enum memory_group group);
/* The metric a cell holds. */
const char *memory_data_metric(enum memory_group group, guint cell);

/* Whether the cell has a number. */
gboolean memory_row_number(const MemoryRow *row, guint cell, guint64 *ret_number);
/* The cell's text; NULL: it has none. */
const char *memory_row_text(const MemoryRow *row, guint cell);
/* As a report has it: UINT64_MAX of a limit is none. */
struct ctprof_value memory_row_value(const MemoryRow *row, guint cell);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows as they arrive, folded into the records of their side. */
#pragma once

#include <glib.h>

#include "measure.h"
#include "record.h"
#include "report/join/pair.h"
#include "report/name/axis.h"
#include "report/section/objects.h"
#include "roster.h"

/* For a name that is not there; no cgroup and hardly a thread is called so. */
#define NO_NAME "-"

/* What rows are folded into. */
enum intake_table {
	TABLE_THREADS,
	TABLE_EXITS, /* one by one, for a window */
	TABLE_SMAPS,
	TABLE_CGROUPS,
	TABLE_HOST,
	TABLE_OBJECTS,
	TABLE_PROCESSES, /* one by one */
	TABLE_THINGS,    /* objects one by one, by slot group and name */
	N_TABLES
};

/* What both sides go by. */
typedef struct intake {
	const Axis *axis;
	gboolean literal_processes; /* smaps by "pcomm[tgid]" */
	gboolean one_by_one;        /* threads are kept for a window */
	GHashTable *pids;           /* tgids that count, borrowed; NULL: all */
	NameKeys *names;            /* of threads and their processes */
	const Plan *plan;           /* which metrics of threads and objects are folded */
	GArray *objects;            /* ObjectGroup, of both sides */
	Measures measures[N_TABLES];
	Store *store;
} Intake;

void intake_init(Intake *intake, Store *store);
void intake_clear(Intake *intake);

typedef struct side {
	const Registry *registry; /* NULL: no row has come */
	Layout layouts[N_TABLES];
	RecordSet sets[N_TABLES];
	Roster *roster;             /* of the threads, one by one; NULL: they are folded at once */
	Roster *exits;              /* of those that ended; NULL likewise */
	gint labels[N_LABELS];      /* their index in a thread's row, or -1 */
	const char *last[N_LABELS]; /* of the row before: mostly the next one's */
	gint start, ppid;           /* index of the start tick, and of the parent, or -1 */
	/* The same of rows of threads that ended, and of their names. */
	gint exit_start, exit_ppid, exit_comm;
	gint smaps;             /* index of the memory map, or -1 */
	guint64 newest;         /* the highest start tick */
	gboolean has_exits;     /* somebody listened for threads that end */
	guint64 exits_received; /* then: their records, and those that were lost */
	guint64 exits_lost;
	ObjectCategories *categories;
} Side;

void side_init(Side *side);
void side_clear(Side *side);
/* Takes the metrics of the side's registry; before its rows, once.  Names that
 * the other side defines otherwise are appended to clashes. */
void side_bind(Side *side, Intake *intake, const Registry *registry, GPtrArray *clashes);
/* Whether --pid leaves the row out. */
gboolean intake_leaves_out(const Intake *intake, const struct ctprof_rows *rows, guint64 i);
void side_add(Side *side, Intake *intake, const struct ctprof_rows *rows);
/* Folds the threads that were kept, as if they came now. */
void side_fold_roster(Side *side, Intake *intake);

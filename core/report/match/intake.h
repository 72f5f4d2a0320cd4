/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folds rows, as they arrive, into the records of their side. */
#pragma once

#include <glib.h>

#include "frame/moment.h"
#include "layered.h"
#include "objectset.h"
#include "report/fold/measure.h"
#include "report/fold/record.h"
#include "report/join/pair.h"
#include "report/name/axis.h"
#include "state-side.h"

/* Stands for a missing name; no cgroup and hardly any thread has this name. */
#define NO_NAME "-"

/* The tables that rows are folded into. */
enum intake_table {
	TABLE_THREADS,
	TABLE_EXITS, /* one by one, for a window */
	TABLE_SMAPS,
	TABLE_CGROUPS, /* each by its path */
	TABLE_HOST,
	TABLE_OBJECTS,
	TABLE_PROCESSES, /* one by one */
	TABLE_THINGS,    /* objects one by one, by slot group and name */
	N_TABLES
};

/* The metrics that sections choose from their own tables; defined in sections.c. */
extern const MeasureChoice section_choices[N_TABLES];

/* The names in the key of a process's map. */
enum { SMAPS_CGROUP, SMAPS_PROCESS, SMAPS_PCOMM };

/* The names in the record of a thread's end, for every axis; NULL: missing. */
enum exit_name { EXIT_NAME_COMM, EXIT_NAME_PCOMM, EXIT_NAME_CGROUP };

/* Shared by both sides. */
typedef struct intake {
	const Axis *axis;
	gboolean literal_processes; /* smaps by "pcomm[tgid]" */
	gboolean one_by_one;        /* threads are kept for a window */
	GHashTable *pids;           /* selected tgids, borrowed; NULL: all */
	GHashTable *tids;           /* the same of threads */
	NameKeys *names;            /* names of threads and their processes */
	const Plan *plan;           /* which metrics of threads and objects are folded */
	GArray *objects;            /* ObjectGroup, of both sides */
	Measures measures[N_TABLES];
	Store *store;
} Intake;

void intake_init(Intake *intake, Store *store);
void intake_clear(Intake *intake);

typedef struct side {
	const Registry *registry; /* NULL: no rows yet */
	Layout layouts[N_TABLES];
	RecordSet sets[N_TABLES];
	/* In a window, the threads one by one, and those that ended; NULL: threads are folded at
	 * once. */
	Roster *roster, *exits;
	gint labels[N_LABELS];      /* their index in a thread's row, or -1 */
	const char *last[N_LABELS]; /* of the previous row: mostly the same */
	/* The labels made from it, for that process; and by tgid those of leaders'
	 * rows. */
	const char *made[N_LABELS];
	gint32 made_tgid;
	GHashTable *of_process;
	Layered *layered;           /* NULL: no layer was asked for */
	gint exit_labels[N_LABELS]; /* the same for rows of ended threads */
	gint start, smaps;          /* index of the start tick, and of the memory map, or -1 */
	guint64 newest;             /* the highest start tick */
	gboolean has_exits;         /* a source listened for ended threads */
	guint64 exits_received;     /* then: records received, and lost */
	guint64 exits_lost;
	const char *exits_source; /* that has them; NULL: unknown */
	StateSide states;
	ObjectCategories *categories;
} Side;

void side_init(Side *side);
void side_clear(Side *side);
/* Takes the metrics of the side's registry; call once, before its rows.  Names
 * that the other side defines differently are appended to clashes. */
void side_bind(Side *side, Intake *intake, const Registry *registry, GPtrArray *clashes);
void side_add(Side *side, Intake *intake, const struct ctprof_rows *rows);
/* Takes all rows of a moment, which must outlive the side, instead, but of threads of ctprof
 * itself. */
void side_hold(Side *side, Intake *intake, const Moment *moment);
/* Folds the kept threads as if they arrived now. */
void side_fold_roster(Side *side, Intake *intake);
/* Reads what a thread's row must have to be named. */
void side_read_names(const Side *side, const RosterEntry *thread, RosterRow *row);
/* The names that row i of a thread is grouped by; FALSE: it is in no group. */
gboolean side_name_thread(Side *side, Intake *intake, const struct ctprof_rows *rows, guint64 i,
			  RecordKey *ret_key);
/* The names in row i of a thread that ended, by enum exit_name. */
void side_name_exit(const Side *side, Intake *intake, const struct ctprof_rows *rows, guint64 i,
		    const char *ret_names[KEY_NAMES]);

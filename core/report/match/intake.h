/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folds rows, as they arrive, into the records of their side. */
#pragma once

#include <glib.h>

#include "frame/moment.h"
#include "layered.h"
#include "objectset.h"
#include "own.h"
#include "report/fold/measure.h"
#include "report/fold/record.h"
#include "report/join/pair.h"
#include "report/name/axis.h"

/* A missing name is replaced by this; no cgroup and hardly any thread has this name. */
#define NO_NAME "-"

/* The tables that rows are folded into. */
enum intake_table {
	TABLE_THREADS,
	TABLE_EXITS, /* single rows, for a window */
	TABLE_SMAPS,
	TABLE_CGROUPS, /* each by its path */
	TABLE_HOST,
	TABLE_OBJECTS,
	TABLE_PROCESSES,      /* one by one */
	TABLE_SINGLE_OBJECTS, /* single objects, by slot group and name */
	N_TABLES
};

/* How each table chooses the metrics that its sections need; defined in sections.c. */
extern const MeasureChoice section_choices[N_TABLES];

/* The names in the key of a process's memory map. */
enum { SMAPS_CGROUP, SMAPS_PROCESS, SMAPS_PCOMM };

/* The names in an exit record, the same for every axis; NULL: missing. */
enum exit_name { EXIT_NAME_COMM, EXIT_NAME_PCOMM, EXIT_NAME_CGROUP };

/* Shared by both sides. */
typedef struct intake {
	const Plan *plan;           /* which rows and metrics are folded, and by which names */
	gboolean literal_processes; /* smaps by "pcomm[tgid]" */
	gboolean one_by_one;        /* threads are kept for a window */
	GHashTable *users;          /* names, by number */
	NameKeys *names;            /* names of threads and their processes */
	GArray *objects;            /* ObjectGroup, of both sides */
	Own *own;                   /* the cost of ctprof itself, whose rows are not folded */
	Measures measures[N_TABLES];
	Store *store;
} Intake;

void intake_init(Intake *intake, const Plan *plan, Store *store);
void intake_clear(Intake *intake);

typedef struct side {
	Intake *intake;
	guint index;              /* 0: baseline, show; 1: candidate */
	const Registry *registry; /* NULL: no rows yet */
	Layout layouts[N_TABLES];
	RecordSet sets[N_TABLES];
	/* In a window, the threads and the exit records, ungrouped; NULL: threads are folded as
	 * they arrive. */
	Roster *roster, *exits;
	gint labels[N_LABELS];      /* indexes of the labels in a thread's row, or -1 */
	const char *last[N_LABELS]; /* labels of the previous row, mostly the same again */
	/* made: the labels derived from last, for the process made_tgid.  of_process: by tgid, the
	 * labels of leaders' rows. */
	const char *made[N_LABELS];
	gint32 made_tgid;
	GHashTable *of_process;
	Layered *layered;           /* NULL: layers were not requested */
	gint exit_labels[N_LABELS]; /* as labels, for exit records */
	gint uid, exit_uid;         /* index of the user's number, if users are the groups; or -1 */
	gint start, smaps;          /* index of the start tick, and of the memory map, or -1 */
	guint64 newest;             /* the highest start tick */
	gboolean has_exits;         /* a source listened for ended threads */
	guint64 exits_received;     /* if a source listened: records received, and lost */
	guint64 exits_lost;
	const char *exits_source; /* the source that recorded; NULL: unknown */
	guint64 instants;         /* instants at which threads were sampled so far; 0: none */
	guint64 instants_ns;      /* the first of these instants, since boot */
	GHashTable *ended;        /* "TGID:TID:START" -> samples of the thread, both in the store */
	ObjectCategories *categories;
} Side;

void side_init(Side *side, Intake *intake, guint index);
void side_clear(Side *side);
/* Binds the metrics of the side's registry; call once, before its rows.  Names that the other side
 * defines differently are appended to clashes. */
void side_bind(Side *side, const Registry *registry, GPtrArray *clashes);
void side_add(Side *side, const struct ctprof_rows *rows);
/* Instead of side_add(): takes all rows of a moment, which must outlive the side, except those of
 * ctprof's own threads. */
void side_add_moment(Side *side, const Moment *moment);
/* Returns the user's name, if some process has it, or else the number. */
const char *intake_user(const Intake *intake, guint64 uid);
/* Folds the kept threads as if they arrived now. */
void side_fold_roster(Side *side);
/* Reads the part of a thread's row that is needed to name it. */
void side_read_names(const Side *side, const RosterEntry *thread, RosterRow *row);
/* Makes the names by which the thread in row i is grouped; FALSE: it is in no group. */
gboolean side_name_thread(Side *side, const struct ctprof_rows *rows, guint64 i,
			  RecordKey *ret_key);
/* Makes the names of the ended thread in row i, by enum exit_name. */
void side_name_exit(const Side *side, const struct ctprof_rows *rows, guint64 i,
		    const char *ret_names[KEY_NAMES]);

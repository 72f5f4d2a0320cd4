/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sections of a report.  A new one is a const Section in the file that
 * drafts its tables, and a row of the table in sections.c.
 */
#pragma once

#include <glib.h>

/* The input of a section: report/draft.h. */
typedef struct draft Draft;

/* Names of sections that others refer to. */
#define SECTION_FINDINGS "findings"
#define SECTION_FINDINGS_HISTORY "findings-history" /* of a recording; drafted by history */
#define SECTION_HISTORY "history"
#define SECTION_POOLS "pools"
#define SECTION_HOST "host"                 /* the lines of the first screen */
#define SECTION_HOST_METRICS "host-metrics" /* its table */
#define SECTION_CATEGORIES "memory-categories"
#define SECTION_WAIT "wait"
#define SECTION_STATES "states"
#define SECTION_SMAPS "smaps-rollup"
#define WAIT_GROUP "wait"
#define LOCK_GROUP "lock"
#define TURN_GROUP "latency"
#define MATRIX_GROUP "latency-matrix"
#define DISK_GROUP "system-disks"
#define TMPFS_GROUP "memory-tmpfs"
/* A group of metrics that the first screen uses, more expensive than its others. */
#define PSS_GROUP "smaps"

#define SECTION_OF_CGROUPS 1u       /* only with --group-by cgroup */
#define SECTION_SHOW_NAMED 2u       /* in show only if --sections names it */
#define SECTION_NAMED 4u            /* in show and compare only if an option requests it */
#define SECTION_VIEW 8u             /* a view of ctprof memory only */
#define SECTION_TAKES_PID 16u       /* about one process */
#define SECTION_OF_DIGEST 32u       /* a part of the first screen */
#define SECTION_TAKES_NAME 128u     /* about one object */
#define SECTION_TOLD_IN_DIGEST 256u /* the first screen shows a part of it */
#define SECTION_OF_HOST 64u         /* a view that reads no processes */

typedef struct section {
	const char *name;    /* as given to --sections */
	const char *heading; /* as drawn */
	const char *help;    /* one clause */
	guint flags;         /* SECTION_* */
	gint place[2];       /* position in the report of show, and of compare */
	void (*draft)(const Draft *draft, const struct section *section);
	/* Metrics of threads it needs even if no other section shows them; NULL: none. */
	const char *const *metrics;
	/* For views: */
	const char *const *orders; /* values of --sort, the default first; NULL after the last */
	const char *groups;        /* slot groups it needs, in the format of --groups */
	const char *optional;      /* optional slot groups that it uses if captured; or NULL */
	/* Metrics, in the format of --groups, one of which a snapshot must have
	 * to be shown; NULL: any snapshot. */
	const char *needs;
	const char *what;              /* the missing data, for the error message */
	const char *capture;           /* options of capture that add it */
	const struct listing *listing; /* its listing; NULL: draft() makes the table */
	/* Whether a side has the data; NULL: decided by needs. */
	gboolean (*check)(const Draft *draft, guint side, GError **error);
} Section;

/* Returns the name of the i-th rule for findings; NULL: no more. */
const char *finding_name(guint i);
/* All sections, in the order of lists of their names; NULL after the last. */
extern const Section *const sections[];

/* Returns the bit for the section's index in the table. */
guint32 section_bit(const Section *section);
/* Returns NULL if there is no such section; view: search views, otherwise the other sections. */
const Section *section_find(const char *name, gboolean view);

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
#define SECTION_HOST "host"
#define SECTION_CATEGORIES "memory-categories"
#define SECTION_WAIT "wait"
#define SECTION_STATES "states"
#define SECTION_SMAPS "smaps-rollup"
#define WAIT_GROUP "wait"
#define LOCK_GROUP "lock"
#define MATRIX_GROUP "latency-matrix"
/* Groups of metrics that the first screen is made of, and that cost more than the others. */
#define PSS_GROUP "smaps"

#define SECTION_OF_CGROUPS 1u       /* only with --group-by cgroup */
#define SECTION_SHOW_NAMED 2u       /* in show only if --sections names it */
#define SECTION_NAMED 4u            /* in show and compare only if an option requests it */
#define SECTION_VIEW 8u             /* a view of ctprof memory only */
#define SECTION_TAKES_PID 16u       /* about one process */
#define SECTION_OF_DIGEST 32u       /* of the first screen */
#define SECTION_TAKES_NAME 128u     /* about one object */
#define SECTION_TOLD_IN_DIGEST 256u /* the first screen has a column of it */
#define SECTION_OF_HOST 64u         /* a view for which no process is read */

typedef struct section {
	const char *name;    /* as --sections takes it */
	const char *heading; /* as drawn */
	const char *help;    /* one clause */
	guint flags;         /* SECTION_* */
	gint place[2];       /* position in the report of show, and of compare */
	void (*draft)(const Draft *draft, const struct section *section);
	/* Metrics of threads it needs even where no other shows them; NULL: none. */
	const char *const *metrics;
	/* For views: */
	const char *const *orders; /* words of --sort, the default first; NULL after the last */
	const char *groups;        /* slot groups it needs, as --groups takes them */
	const char *optional;      /* those it also uses if captured; or NULL */
	/* Metrics, in the format of --groups, one of which a snapshot must have
	 * to be shown; NULL: any snapshot. */
	const char *needs;
	const char *what;              /* what a snapshot without these lacks */
	const char *capture;           /* options of capture that add it */
	const struct listing *listing; /* what is listed; NULL: draft() says it */
	/* Whether a side has the data; NULL: decided by needs. */
	gboolean (*check)(const Draft *draft, guint side, GError **error);
} Section;

/* The names of the rules of what stands out; NULL: no more. */
const char *finding_name(guint i);
/* In the order of lists; NULL after the last. */
extern const Section *const sections[];

/* Its index in the table, as a bit. */
guint32 section_bit(const Section *section);
/* NULL: no such section; view: search views, otherwise the other sections. */
const Section *section_find(const char *name, gboolean view);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sections a report is made of.  A new one is a const Section in the file
 * that drafts its tables, and a row of the table in sections.c.
 */
#pragma once

#include <glib.h>

/* What sections are drafted from: report/draft.h. */
typedef struct draft Draft;

/* Sections that others refer to. */
#define SECTION_PRIMARY "primary"
#define SECTION_DELAY "taskstats-delay"
#define SECTION_DERIVED "derived"
#define SECTION_CATEGORIES "memory-categories"

#define SECTION_OF_CGROUPS 1u /* only with --group-by cgroup */
#define SECTION_SHOW_NAMED 2u /* in show only when --sections names it */
#define SECTION_NAMED 4u      /* in show and compare only when an option asks for it */
#define SECTION_VIEW 8u       /* a view of ctprof memory, and of no other command */
#define SECTION_TAKES_PID 16u /* about one process */

typedef struct section {
	const char *name;    /* as --sections takes it */
	const char *heading; /* as drawn */
	const char *help;    /* one clause */
	guint flags;         /* SECTION_* */
	guint place[2];      /* in the report: of show, of compare */
	void (*draft)(const Draft *draft, const struct section *section);
	/* Of views: */
	const char *const *orders; /* words of --sort, the default first; NULL after the last */
	const char *groups;        /* slot groups it is made of, as --groups takes them */
	const char *optional;      /* those it also uses where they were captured; or NULL */
	/* Metrics of which a snapshot has one only if it holds what is shown, as
	 * --groups takes groups; NULL: any. */
	const char *needs;
	const char *what;    /* it lacks otherwise */
	const char *capture; /* options of capture that have it read */
	/* Whether a side has what is to be shown; NULL: needs tells. */
	gboolean (*check)(const Draft *draft, guint side, GError **error);
} Section;

/* In the order they are listed; NULL after the last.  At most 32. */
extern const Section *const sections[];

/* Its place in the table, as a bit. */
guint32 section_bit(const Section *section);
/* NULL: there is none of that name; view: among views, else among the others. */
const Section *section_find(const char *name, gboolean view);

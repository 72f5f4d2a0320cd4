/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first screen: what the host does, what stands out, and the pools of threads by
 * what they cost.  Made once for its three sections.
 */
#pragma once

#include "cost.h"

/* A group of threads as the first screen has it. */
typedef struct cost_line {
	const Group *group;
	const char *name;
	Costs costs[SIDES]; /* of a window and in show the newest side's alone */
	const char *cgroup; /* that has its quota: of most of its threads; NULL: unknown */
	const char *unit;   /* the service, scope or container of most; NULL: unknown */
	const char *pinned; /* to these CPUs, all its threads; NULL: to none, or not to the same */
	gdouble n_pinned;   /* the number of them */
	guint64 threads[SIDES];
	guint64 n_born, n_gone; /* in a window: also those that neither side has */
	guint64 n_short;        /* of these: threads that neither side has, as recorded */
	gdouble short_cpu;      /* CPUs that these used */
} CostLine;

/* The subject of a rule and, where it stands out, the finding. */
typedef struct subject {
	const struct digest *digest;
	const struct rule *rule;
	const CostLine *line;        /* a pool, ... */
	const struct limits *limits; /* a cgroup, ... */
	const Pool *lock;            /* or a lock; none of them: the host */
	const char *name;            /* for machines */
	guint32 role;                /* enum ctprof_line_role */
	gdouble value;               /* what the rule measured */
	gdouble cost;                /* CPUs, threads held up and the like: what comes first */
	gdouble worst_at;            /* CLOCK_REALTIME in s, of a recording; 0: unknown */
	Sentence *sentence;          /* owned; NULL: another subject's names it */
} Subject;

struct digest {
	const Draft *draft;
	Costing costing;
	gboolean has_sides;     /* two, of two boots: what they cost is compared */
	guint newest;           /* side */
	gdouble seconds;        /* of the window; 0: there is no window */
	GArray *lines;          /* CostLine, in the order to be shown */
	guint64 threads[SIDES]; /* of all of them */
	GArray *limits;         /* Limits: what held cgroups back */
	GHashTable *blames;     /* what ran while pools waited for a CPU (blame.h) */
	Costs total;            /* of all of them, of the newest side, where costs add up */
	HostState host;
	GArray *findings;            /* Subject, what costs most first */
	GArray *met;                 /* all that stand out; they borrow their sentences */
	Subject nearest;             /* of --explain, below the limit; rule NULL: none is */
	GPtrArray *titles, *footers; /* Sentence, owned */
	GPtrArray *host_lines;       /* the same: what the section host says */
	guint n_pools;               /* that have a line of their own */
	guint n_findings;            /* in sentences */
	/* Titles and footers as notes of tables, and the section of pools with fewer of them. */
	Tables *tables;
};

typedef struct digest Digest;

/* draft must outlive it. */
Digest *digest_new(const Draft *draft);
void digest_free(Digest *digest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Digest, digest_free)

static inline const CostLine *digest_line(const Digest *digest, guint i)
{
	return &g_array_index(digest->lines, CostLine, i);
}

/* The cost if it is there, else 0. */
static inline gdouble digest_cost(const CostLine *line, guint side, enum cost cost)
{
	const struct ctprof_value *value = &line->costs[side].of[cost];

	return value->type == CTPROF_VALUE_REAL ? value->real : 0;
}

/* For the digest while it is made: what the host was and did, ... */
void host_state_read(Digest *digest);
/* ... what stands out, ... */
void findings_find(Digest *digest);
/* ... and the lines of text above and below. */
void digest_add_titles(Digest *digest);
void digest_add_footers(Digest *digest);

/* Notes what it says as that of another window. */
void digest_note(const Digest *digest, Series *series);
/* Seconds since 1970 as text for machines, "2026-11-22T03:12:05Z"; 0: absent. */
struct ctprof_value digest_time(const Draft *draft, gdouble seconds);
/* One of host_quantities; NAN: not known. */
gdouble host_state_value(const Digest *digest, const Quantity *quantity);
/* A label of the host in the newest capture; NULL: it has none. */
const char *host_state_text(const Digest *digest, const char *name);
/* Sentences that say it, up to three; the caller unrefs. */
GPtrArray *host_state_tell(const Digest *digest);

/* The CPUs that ctprof itself used; 0: none is known as such. */
gdouble digest_own(const Digest *digest);
/* Puts what is above and below the sections into the report, and how it folds. */
void digest_put(Digest *digest, struct ctprof_report *report);
/* The section of pools with at most n of them, and a line for the others. */
const struct ctprof_report_section *digest_fold_pools(Digest *digest, guint64 n);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first screen: the state of the host, the findings, and the pools of threads by cost.  The
 * digest is made once for all three sections.
 */
#pragma once

#include "cost.h"

/* A group of threads, as shown on the first screen. */
typedef struct cost_line {
	const Group *group;
	const char *name;
	Costs costs[SIDES]; /* in a window and in show, only that of the newest side */
	const char *cgroup; /* the cgroup of most threads, where quotas apply; NULL: unknown */
	const char *unit;   /* the service, scope or container of most threads; NULL: unknown */
	const char *pinned; /* the CPUs all its threads are pinned to; NULL: none, or they differ */
	gdouble n_pinned;   /* the number of these CPUs */
	guint64 threads[SIDES];
	guint64 n_born, n_gone; /* in a window, including threads that neither side has */
	guint64 n_short;        /* of these, threads that neither side has, from the exit records */
	gdouble short_cpu;      /* CPUs that the short-lived threads used */
} CostLine;

/* The subject of a rule and, if it reaches the rule's limit, the finding. */
typedef struct subject {
	const struct digest *digest;
	const struct rule *rule;
	const CostLine *line;        /* a pool, ... */
	const struct limits *limits; /* a cgroup, ... */
	const Pair *object;          /* or a lock or a disk; if all are NULL, the host */
	const char *name;            /* for machines */
	guint32 role;                /* enum ctprof_line_role */
	gdouble value;               /* what the rule measured */
	gdouble cost;                /* CPUs, threads held up and the like; the sort key */
	gdouble worst_at;            /* CLOCK_REALTIME in s, in a recording; 0: unknown */
	Sentence *sentence;          /* owned; NULL: another subject's sentence names this one */
} Subject;

struct digest {
	const Draft *draft;
	CostInputs cost_inputs;
	gboolean has_sides;     /* two captures that are not a window: costs are compared */
	guint newest;           /* side */
	gdouble seconds;        /* length of the window; 0: there is no window */
	GArray *lines;          /* CostLine, in the order of display */
	guint64 threads[SIDES]; /* of all lines */
	GArray *limits;         /* CgroupLimits: what held cgroups back */
	GHashTable *blames;     /* what ran while pools waited for a CPU (blame.h) */
	Costs total;            /* sums of all lines on the newest side, of costs that add up */
	gdouble most_cpu;       /* CPUs of the pool that uses most, shown or not */
	HostState host;
	GArray *findings;            /* Subject, the most costly first */
	GArray *met;                 /* all subjects that stand out; sentences borrowed */
	Subject nearest;             /* for --explain: closest to the limit; rule NULL: none */
	GPtrArray *titles, *footers; /* Sentence, owned */
	GPtrArray *host_lines;       /* Sentence, owned: the lines of the section host */
	guint n_pools;               /* number of pools with a line of their own */
	guint n_findings;            /* shown as sentences */
	/* Titles and footers as notes of tables, and sections of pools with fewer lines. */
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

/* Returns the cost, 0 if it is absent. */
static inline gdouble digest_cost(const CostLine *line, guint side, enum cost cost)
{
	const CostValue *value = &line->costs[side].of[cost];

	return value->type == CTPROF_VALUE_REAL ? value->real : 0;
}

/* Whether all threads of the host were captured; the filter may still leave out pools. */
gboolean digest_is_whole(const Digest *digest);
/* Whether the end of each thread was recorded: only then is it known which of them also began in
 * the window. */
gboolean digest_has_exits(const Digest *digest);
/* Returns the growth of a level in the window.  NAN: not known, or the pool is new or consists of
 * other processes. */
gdouble digest_growth(const Digest *digest, const CostLine *line, enum cost cost);

/* Steps of making the digest: read the state of the host, ... */
void host_state_read(Digest *digest);
/* ... and what devices in memory or on top of others read, ... */
void disk_read_upper(Digest *digest);
/* ... find what stands out, ... */
void findings_find(Digest *digest);
/* ... and add the lines of text above and below the sections. */
void digest_add_titles(Digest *digest);
void digest_add_footers(Digest *digest);

/* Appends the digest's values to the series, as those of the next window. */
void digest_note(const Digest *digest, Series *series);
/* Formats seconds since 1970 for machines, "2026-11-22T03:12:05Z"; 0: absent. */
struct ctprof_value digest_time(const Draft *draft, gdouble seconds);
/* Returns the value of one of host_quantities; NAN: not known. */
gdouble host_state_value(const Digest *digest, const Quantity *quantity);
/* Returns the host's number in the newest capture; NAN: absent. */
gdouble host_state_number(const Digest *digest, const char *name);
/* Returns a label of the host in the newest capture; NULL: absent. */
const char *host_state_text(const Digest *digest, const char *name);
/* Returns up to three sentences about the state of the host; the caller unrefs. */
GPtrArray *host_state_lines(const Digest *digest);

/* Returns the CPUs that ctprof itself used; 0: not known separately. */
gdouble digest_own(const Digest *digest);
/* Sets the report's titles, footers and fold function. */
void digest_put(Digest *digest, struct ctprof_report *report);
/* Drafts the section of pools again with at most n of them, and a line for the others. */
const struct ctprof_report_section *digest_fold_pools(Digest *digest, guint64 n);

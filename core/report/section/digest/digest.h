/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first screen: what the host does, what stands out, and the pools of threads by
 * what they cost.  Made once for its three sections.
 */
#pragma once

#include "cost.h"
#include "past.h"

/* A group of threads as the first screen has it. */
typedef struct cost_line {
	const Group *group;
	const char *name;
	Costs costs[SIDES]; /* of a window and in show the newest side's alone */
	const char *unit;   /* the commonest of its threads; NULL: unknown */
	guint64 threads[SIDES];
	guint64 n_born, n_gone; /* in a window: also those that neither side has */
} CostLine;

/* What is known of the host; NAN: it is not. */
typedef struct host_state {
	gdouble cpus;    /* that are online */
	gdouble busy;    /* of them */
	gdouble waiting; /* threads that wait for one */
	gdouble load[3];
	gdouble runnable;            /* threads, running ones included */
	gdouble read, written;       /* by block devices, bytes/s */
	gdouble faults, refaults;    /* 1/s: major faults, pages read back after reclaim */
	gdouble memory, memory_used; /* bytes */
	gdouble swap, swap_used;     /* bytes */
	gdouble cpu_pressure, io_pressure, memory_pressure; /* percent of the time: some */
	gdouble forks;                                      /* 1/s: processes and threads */
	gdouble oom_kills;                                  /* in the window */
	gdouble accounted, exited; /* CPUs: of threads, of those that ended */
	gdouble own;               /* likewise: of ctprof itself; NAN: none is known as such */
} HostState;

/* Something that stands out. */
typedef struct finding {
	const char *name;     /* of the rule */
	const CostLine *line; /* the pool it is about; NULL: the host, or a cgroup */
	const char *subject;  /* what it is about, for machines */
	gdouble value, limit; /* what was measured, and from where on it stands out */
	const char *unit;
	gdouble cost;   /* CPUs, threads held up and the like: what comes first */
	char *sentence; /* owned; as wide as it gets */
} Finding;

struct digest {
	const Draft *draft;
	gboolean has_sides; /* two, of two boots: what they cost is compared */
	guint newest;       /* side */
	gdouble seconds;    /* of the window; 0: it is none */
	GArray *lines;      /* CostLine, in the order to be shown */
	Costs total;        /* of all of them, of the newest side, where costs add up */
	HostState host;
	GArray *findings;            /* Finding, what costs most first */
	GPtrArray *titles, *footers; /* char *, owned */
	GPtrArray *host_lines;       /* the same: what the section host says */
	gboolean is_dense;           /* blank lines would cost pools */
	guint n_pools;               /* that are shown */
	guint n_findings;            /* in sentences */
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

/* Whether it is ctprof itself: no load of the host's. */
gboolean digest_is_own(const CostLine *line);

/* Of the digest in the making: what the host was and did, ... */
void host_state_read(Digest *digest);
/* ... what stands out, ... */
void findings_find(Digest *digest);
/* ... and the lines of text above and below. */
void digest_add_titles(Digest *digest);
void digest_add_footers(Digest *digest);

/* Notes what it says in the window begun last. */
void digest_note_past(const Digest *digest, Past *past);
/* When a window ended, for machines: "2026-11-22T03:12:05Z"; NULL: unknown.  The caller frees
 * it. */
char *digest_past_time(const Past *past, guint window);
/* The same for people, by the local clock: "03:12:05 UTC". */
char *digest_past_clock(const Past *past, guint window);

/* A label of the host in the newest capture; NULL: it has none. */
const char *host_state_text(const Digest *digest, const char *name);
/* Lines that say it, up to three; the caller unrefs. */
GPtrArray *host_state_tell(const Digest *digest);

/* Pieces of a line, joined as long as they fit: those behind the first one that does
 * not fit are left out.  width 0: all fit. */
char *digest_join(const GPtrArray *pieces, guint width);
G_GNUC_PRINTF(2, 3) void digest_add(GPtrArray *pieces, const char *format, ...);
/* The CPUs that ctprof itself used; 0: none is known as such. */
gdouble digest_own(const Digest *digest);
/* A name, without its middle if it is long and the screen is not wide; of the store. */
const char *digest_name(const Digest *digest, const char *name);
/* A number with three digits; of the store. */
const char *digest_number(const Draft *draft, guint32 ladder, gdouble value);

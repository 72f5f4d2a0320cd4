/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of quantities: what users can ask of threads, under which names, in which unit,
 * and how it is made of metrics.  No other table has them: the sections, -m, --sort, --fail-on,
 * export, metric-list, the first screen and its footers read this one.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

#define QUANTITY_INPUTS 8
#define QUANTITY_ALIASES 2
#define QUANTITY_FORMULAS 2

/* The sections that show metrics of threads. */
#define SECTION_PRIMARY "primary"
#define SECTION_DELAY "taskstats-delay"
#define SECTION_DERIVED "derived"

/* How a formula combines its inputs. */
enum form {
	FORM_NONE,       /* no formula */
	FORM_SUM,        /* all of them */
	FORM_DELAYS,     /* the same, with the larger of those that overlap */
	FORM_DIFFERENCE, /* the first without the second */
	FORM_QUOTIENT,   /* the first through the second */
	FORM_SHARE,      /* the first in the sum of both */
	FORM_STATE,      /* how many threads have the value inputs[1] of category inputs[0] */
};

typedef struct formula {
	enum form form;
	const char *inputs[QUANTITY_INPUTS]; /* names of metrics; NULL after the last */
	gdouble scale, divisor;              /* to the unit of the column; 0: none */
} Formula;

/* The costs of the first screen that its code names; the table may have more. */
enum cost {
	COST_HEAP,
	COST_CPU,
	COST_USER,
	COST_SYSTEM,
	COST_WAITING,
	COST_TURN,
	COST_RUNNABLE,
	COST_BLOCKED,
	COST_SWITCHES,
	COST_READ,
	COST_WRITE,
	COST_PSS,
	COST_WAKEUPS,
	COST_DISK_WAIT,
	COST_SWAP_WAIT,
	COST_RECLAIM,
	COST_COMPACTION,
	COST_THRASHING,
	N_NAMED_COSTS,
	MOST_COSTS = N_NAMED_COSTS + 2 /* a test says when more are needed */
};

/* The host, on the first screen; NAN: not known. */
typedef struct host_state {
	gdouble cpus; /* that are online */
	gdouble busy; /* of them; of interrupts, only with busy_ticks */
	/* The same in clock ticks, which miss short turns, and by turns that ended. */
	gdouble busy_ticks, busy_turns;
	gdouble interrupts, idle; /* CPUs, in ticks */
	gdouble steal;            /* CPUs that the hypervisor gave to others, in ticks */
	gdouble waiting;          /* threads that wait for one */
	gdouble load[3];
	gdouble runnable;            /* threads, running ones included but for the reader */
	gdouble read, written;       /* by block devices, bytes/s */
	gdouble faults, refaults;    /* 1/s: major faults, pages read back after reclaim */
	gdouble direct_scans;        /* 1/s: pages scanned by threads that need memory, */
	gdouble background_scans;    /* and by kswapd; neither for a cgroup's limit */
	gdouble memory, memory_used; /* bytes */
	gdouble swap, swap_used;     /* bytes */
	gdouble cpu_pressure, io_pressure, memory_pressure; /* percent of the time: some */
	gdouble forks;                                      /* 1/s: processes and threads */
	gdouble oom_kills;                                  /* in the window */
	gdouble accounted, exited; /* CPUs: of threads, of those that ended */
	gdouble own;               /* CPUs: of ctprof itself */
	gboolean is_of_ticks;      /* busy is: nothing counts exactly */
	gboolean is_rough;         /* it is, or it is what threads used, which is more */
} HostState;

typedef struct quantity {
	const char *name;                      /* of a metric, or of what is derived */
	const char *aliases[QUANTITY_ALIASES]; /* short names; NULL after the last */
	const char *help;                      /* of what is derived */
	const char *section;                   /* the section that shows what is derived */
	guint32 unit;                          /* enum ctprof_unit, of what is derived */
	guint32 kind;                          /* COUNTER: has a rate; 0: what has none */
	guint32 flags;                         /* CTPROF_METRIC_QUIET: shown only if named */
	guint32 polarity;                      /* enum ctprof_polarity, of what is derived */
	/* On the first screen the first that gives a value counts, elsewhere the first one. */
	Formula formulas[QUANTITY_FORMULAS];
	/* As the first screen has it, in units people think in, a counter per second; without a
	 * header only its findings and footers use it. */
	struct ctprof_report_field column;
	const char *measured;  /* what the footers call it; NULL: they do not */
	gboolean is_read_long; /* longer than a window of a second or so allows */
	gsize at;              /* of the host's: in HostState */
} Quantity;

/* The quantities of threads, and of the host; those without a formula come from its account.  Both
 * end with a NULL name. */
extern const Quantity quantities[], host_quantities[];

/* By its name or an alias; NULL: unknown. */
const Quantity *quantity_find(const char *name);
/* Whether it is computed, and not a metric of a source. */
gboolean quantity_is_derived(const Quantity *quantity);
/* By its own name; NULL: nothing of that name is derived. */
const Quantity *quantity_derived(const char *name);
/* A cost: enum cost, or a later one; NULL: there are no more. */
const Quantity *quantity_of_cost(guint cost);
/* The CPUs of the host that are busy: two rows, the exact one, and that of ticks. */
const Quantity *quantity_host_busy(void);
/* The name that an alias stands for; any other name unchanged, borrowed. */
const char *quantity_name(const char *typed);
/* Translates a list of names, "turn,-read", to what a source measures:
 * "wait_time_ns,timeslices,-read_bytes".  The caller frees it. */
char *quantity_list_inputs(const char *list);
/* Whether the first screen of windows of a second or so is made of that metric. */
gboolean quantity_serves_windows(const char *metric);

/* Whether it is a ratio of its inputs and not an amount. */
gboolean quantity_is_ratio(const Quantity *quantity);
/* Its unit's word for machines, and its ladder, of what is derived. */
const char *quantity_unit(const Quantity *quantity);
guint32 quantity_ladder(const Quantity *quantity);

/* Its value in the unit of the column. */
gdouble formula_convert(const Formula *formula, gdouble value);
/* The number of metrics it is computed from. */
guint formula_n_inputs(const Formula *formula);
/* Computes it from all inputs, in their order; FALSE: no value (division by 0). */
gboolean formula_compute(const Formula *formula, const guint64 *inputs, gdouble *ret_value);

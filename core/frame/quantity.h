/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of quantities: what users can ask about threads, by which names and in which unit, and
 * how it is computed from metrics.  It is the only such table: the sections, -m, --sort, --fail-on,
 * export, metric-list, the first screen and its footers read it.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"

#define QUANTITY_INPUTS 8
#define QUANTITY_ALIASES 2
#define QUANTITY_FORMULAS 3

/* The sections that show metrics of threads. */
#define SECTION_PRIMARY "primary"
#define SECTION_DELAY "taskstats-delay"
#define SECTION_DERIVED "derived"

/* How a formula combines its inputs. */
enum form {
	FORM_NONE,       /* no formula */
	FORM_SUM,        /* the sum of all */
	FORM_DELAYS,     /* the sum, but only the larger of inputs that overlap */
	FORM_DIFFERENCE, /* the first minus the second */
	FORM_QUOTIENT,   /* the first divided by the second */
	FORM_SHARE,      /* the first as a share of the sum of both */
	FORM_STATE,      /* the number of threads with the value inputs[1] of category inputs[0] */
};

typedef struct formula {
	enum form form;
	const char *inputs[QUANTITY_INPUTS]; /* names of metrics; NULL after the last */
	gdouble scale, divisor;              /* factor to the unit of the column; 0: not used */
} Formula;

/* The costs of the first screen that code refers to by name; the table can have more. */
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
	COST_CANCELLED,
	N_NAMED_COSTS,
	MOST_COSTS = N_NAMED_COSTS + 2 /* a test fails if more are needed */
};

/* The host's state on the first screen; NAN: not known. */
typedef struct host_state {
	gdouble cpus; /* online */
	gdouble busy; /* of the online CPUs; includes interrupts only if it is busy_ticks */
	/* Busy CPUs: from clock ticks, which miss short turns, and from turns that have ended. */
	gdouble busy_ticks, busy_turns;
	gdouble interrupts, idle; /* CPUs, from ticks */
	gdouble steal;            /* CPUs that the hypervisor gave to other guests, from ticks */
	gdouble waiting;          /* threads that wait for a CPU */
	gdouble load[3];
	gdouble runnable;            /* threads, including running ones but not the reader */
	gdouble read, written;       /* by disks, bytes/s */
	gdouble upper_read;          /* by devices in memory or on top of others, bytes/s */
	gdouble faults, refaults;    /* 1/s: major faults, pages read back after reclaim */
	gdouble direct_scans;        /* 1/s: pages scanned by threads that need memory, */
	gdouble background_scans;    /* and by kswapd; both without cgroup limits */
	gdouble memory, memory_used; /* bytes */
	gdouble swap, swap_used;     /* bytes */
	gdouble cpu_pressure, io_pressure, memory_pressure; /* "some", in percent of the time */
	gdouble forks;                                      /* 1/s: processes and threads */
	gdouble oom_kills;                                  /* in the window */
	gdouble accounted, exited; /* CPUs used by threads, and by those that ended */
	gdouble own;               /* CPUs used by ctprof itself */
	gboolean is_of_ticks;      /* busy is busy_ticks: no exact count exists */
	gboolean is_rough;         /* busy is from ticks, or from the threads */
} HostState;

typedef struct quantity {
	const char *name;                      /* of a metric, or of a derived quantity */
	const char *aliases[QUANTITY_ALIASES]; /* short names; NULL after the last */
	const char *help;                      /* of a derived quantity */
	const char *section;                   /* the section that shows a derived quantity */
	guint32 unit;                          /* enum ctprof_unit, of a derived quantity */
	guint32 kind;                          /* COUNTER: has a rate; 0: no kind */
	guint32 flags;                         /* CTPROF_METRIC_QUIET: shown only if named */
	guint32 polarity;                      /* enum ctprof_polarity, of a derived quantity */
	/* The first screen uses the first formula that gives a value; everything else,
	 * formulas[0]. */
	Formula formulas[QUANTITY_FORMULAS];
	/* As on the first screen: in units for people, counters per second.  A column without
	 * a header is used only by the first screen's findings and footers. */
	struct ctprof_report_field column;
	const char *measured;  /* its name in the footers; NULL: not there */
	gboolean is_read_long; /* reading it takes too long for a window of about a second */
	gsize at;              /* offset in HostState, for a quantity of the host */
} Quantity;

/* The quantities of threads, and of the host; those of the host without a formula are computed from
 * the account.  Both end with a NULL name. */
extern const Quantity quantities[], host_quantities[];

/* Finds a quantity by its name or an alias; NULL: unknown. */
const Quantity *quantity_find(const char *name);
/* Whether the quantity is computed, and is not a metric of a source. */
gboolean quantity_is_derived(const Quantity *quantity);
/* Finds a derived quantity by its own name; NULL: unknown. */
const Quantity *quantity_derived(const char *name);
/* Returns a cost: enum cost, or a later one; NULL: there are no more. */
const Quantity *quantity_of_cost(guint cost);
/* Returns the host's busy CPUs: two rows, the exact count and that of ticks. */
const Quantity *quantity_host_busy(void);
/* Returns the name that an alias stands for; any other name unchanged, borrowed. */
const char *quantity_name(const char *typed);
/* Translates a list of names, "turn,-read", to the metrics of sources:
 * "wait_time_ns,timeslices,-read_bytes".  The caller frees it. */
char *quantity_list_inputs(const char *list);
/* Whether the first screen needs the metric for windows of about a second. */
gboolean quantity_serves_windows(const char *metric);

/* Whether the quantity is a ratio of its inputs and not an amount. */
gboolean quantity_is_ratio(const Quantity *quantity);
/* The unit's word for machines, and the ladder, of a derived quantity. */
const char *quantity_unit(const Quantity *quantity);
guint32 quantity_ladder(const Quantity *quantity);

/* Converts a value to the unit of the column. */
gdouble formula_convert(const Formula *formula, gdouble value);
/* Returns the number of metrics that the formula is computed from. */
guint formula_n_inputs(const Formula *formula);
/* Computes the value from all inputs, in their order; FALSE: no value (division by 0). */
gboolean formula_compute(const Formula *formula, const guint64 *inputs, gdouble *ret_value);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The content of a report: the options of show, compare, stat and memory. */
#pragma once

#include <glib.h>

#include "frame/series.h"
#include "report/name/axis.h"
#include "report/name/categories.h"
#include "report/name/layers.h"
#include "row/capture-facts.h"
#include "sections.h"

/* How processes form pools. */
typedef enum pool_by { POOL_BY_NAME, POOL_BY_UNIT, POOL_BY_CGROUP, POOL_BY_USER } PoolBy;

/* How swapped-out shared memory is split between the processes that map it. */
typedef enum swap_share {
	SHARE_BY_OBJECT, /* by device and inode */
	SHARE_BY_NAME,   /* by the object's name, for each mapping */
} SwapShare;

/* The command of ctprof stat: what wait4() reports for it and all children it waited for. */
typedef struct command_facts {
	char *line; /* as given */
	/* The program of the scheduler that it ran under, as given; NULL: the host's own. */
	char *scheduler;
	char **marks;  /* "NS NAME": marks that were set NS after its start; NULL: none */
	gint32 parent; /* the process that waited for the command: ctprof */
	guint64 wall_ns, user_ns, system_ns;
	guint64 max_rss_bytes; /* of its largest process; 0: not larger than ctprof's */
	guint64 minflt, majflt, voluntary_csw, nonvoluntary_csw;
	int exit_status, signal; /* signal: the signal that ended it, or 0 */
	/* Why threads that ended in between were not recorded, in one clause; NULL: they were. */
	const char *exits_why;
} CommandFacts;

/* For several runs per side: report/join/runs.h. */
typedef struct runs Runs;

typedef struct analysis_options {
	gboolean compare; /* two sides */
	const char *files[2];
	GroupBy group_by;
	char **flatten; /* globs; validated */
	gboolean no_thread_normalize, no_cgroup_normalize;
	char *sort_by, *columns, *sections, *metrics; /* as typed; NULL: default */
	const char *display_format; /* compare: full, delta-only, no-pct, arrow, pct-only */
	char *explain;              /* show only this finding, with its numbers; NULL: all */
	char *filter;               /* regex one of the names must match; NULL: none */
	const char *const *pids;    /* only these tgids, as text; NULL: all */
	GHashTable *tids;           /* only these threads, GINT_TO_POINTER; NULL: all */
	const char *watched;        /* in a window: a group whose threads are listed; NULL: none */
	gboolean changed;           /* hide unchanged lines */
	gdouble min_pct;            /* hide smaller changes; 0: none */
	char *min_delta;            /* "5ms", "1MiB"; NULL: none */
	gboolean rate;              /* counters' deltas per second */
	gdouble elapsed_s;          /* between the captures; with rate, or in a window */
	/* The sides may become a window: keep single threads. */
	gboolean may_be_window;
	/* The two sides are a window; may be set until analysis_finish(), like elapsed_s. */
	gboolean is_window;
	guint64 began;          /* the start tick of a thread that begins with the window */
	gboolean is_whole_host; /* no side is limited to some processes */
	CaptureFacts captures[2];
	/* Processes of ctprof itself, for held samples and ctprof memory: the process that reads,
	 * with its children, and its supervisor; 0: none. */
	gint32 own[2];
	/* gint32: ctprof's own processes, as recorded in the files: they are in no group, and their
	 * CPU time is shown apart from unaccounted time; NULL: none. */
	const GArray *hidden;
	guint limit;                /* lines of a section; 0: no limit */
	gboolean has_limit;         /* set by the user */
	guint height;               /* lines that a report of runs may have; 0: any number */
	gboolean digest;            /* only the first screen */
	guint rename_min_types;     /* kinds of thread in common; 0: both defaults, 10 and 0.90 */
	gdouble rename_min_jaccard; /* 0..1 */
	char *fail_on;              /* "wait_sum:pct>20"; NULL: none */
	/* Changes between sums that lack different rows may also meet fail_on. */
	gboolean fail_on_partial;
	Layers *layers;         /* of --group-by layer; NULL otherwise */
	Categories *categories; /* NULL: everything is in "other" */
	SwapShare swap_share;

	Series *collects;  /* receives the values of the first screen; NULL: none */
	Series *past;      /* the windows between a recording's ends; NULL: none */
	Series *host_past; /* the host's values in more windows; NULL: past has enough */
	/* struct ctprof_fact: the user's marks in the window, moments and names; NULL: none. */
	GArray *marks;

	/* For several runs per side: */
	Runs *runs;    /* the runs to analyse; NULL: not a report of runs */
	gdouble alpha; /* accepted share of false positives among rows called changed */

	/* For ctprof memory: */
	const Section *view;   /* NULL: another command */
	const char *sort;      /* one of view->orders; NULL: the first */
	gint32 pid;            /* for a view that takes one */
	const char *object;    /* for a view that takes one */
	gboolean for_machines; /* include fields and lines for machines only */
	PoolBy pool_by;
	gboolean flat;               /* processes as a flat list, not a tree */
	gboolean is_self;            /* sort by memory without that of children */
	gboolean fold;               /* fold insignificant subtrees */
	gboolean all;                /* also processes without memory: kernel threads */
	gboolean wide;               /* every field */
	const CommandFacts *command; /* the command that has ended; NULL: none */
	/* The user has already been warned about unreadable values. */
	gboolean is_warned;
} AnalysisOptions;

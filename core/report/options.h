/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a report is to show: the options of show, compare, stat and memory. */
#pragma once

#include <glib.h>

#include "name/categories.h"
#include "section/sections.h"

typedef enum group_by {
	GROUP_BY_PCOMM,
	GROUP_BY_CGROUP,
	GROUP_BY_COMM,
	GROUP_BY_COMM_EXACT,
	GROUP_BY_ALL,
	GROUP_BY_THREAD,
} GroupBy;

/* How swapped-out shared memory is split between the processes that map it. */
typedef enum swap_share {
	SHARE_BY_OBJECT, /* by device and inode */
	SHARE_BY_NAME,   /* by name, mapping by mapping */
} SwapShare;

/* The command of ctprof stat, as wait4() tells of it and of all it waited for. */
typedef struct command_facts {
	char *line;    /* as given */
	gint32 parent; /* the process that waited for it, ctprof */
	guint64 wall_ns, user_ns, system_ns;
	guint64 max_rss_bytes; /* of the largest of its processes */
	guint64 minflt, majflt, voluntary_csw, nonvoluntary_csw;
	int exit_status, signal; /* signal: 0, or what ended it */
	/* Why there are no records of threads that ended in between, one clause; NULL:
	 * there are. */
	const char *exits_why;
} CommandFacts;

typedef struct analysis_options {
	gboolean compare; /* two sides */
	const char *files[2];
	GroupBy group_by;
	char **flatten; /* globs; validated */
	gboolean no_thread_normalize, no_cgroup_normalize;
	char *sort_by, *columns, *sections, *metrics; /* as typed; NULL: default */
	const char *display_format; /* compare: full, delta-only, no-pct, arrow, pct-only */
	char *filter;               /* regex one of the names must match; NULL: none */
	const char *const *pids;    /* only these tgids, as text; NULL: all */
	gboolean changed;           /* hide unchanged lines */
	gdouble min_pct;            /* hide smaller changes; 0: none */
	char *min_delta;            /* "5ms", "1MiB"; NULL: none */
	gboolean rate;              /* counters' deltas per second */
	gdouble elapsed_s;          /* between the captures; with rate, or of a window */
	/* A window may come of it: threads are kept one by one. */
	gboolean may_be_window;
	/* It is one: until analysis_finish(), as elapsed_s. */
	gboolean is_window;
	guint64 began;          /* the start tick of a thread that begins with it */
	gboolean is_whole_host; /* neither side is of some processes alone */
	guint64 now; /* start tick of a thread that begins with the newest capture; 0: unknown */
	guint limit; /* lines of a section; 0: no limit */
	guint rename_min_types;     /* kinds of thread; 0: both defaults, 10 and 0.90 */
	gdouble rename_min_jaccard; /* 0..1 */
	char *fail_on;              /* "wait_sum:pct>20"; NULL: none */
	/* Changes between unequal coverages may meet it, too. */
	gboolean fail_on_partial;
	Categories *categories; /* NULL: everything is in "other" */
	SwapShare swap_share;

	/* Of ctprof memory: */
	const Section *view;         /* NULL: another command */
	const char *sort;            /* a word of view->orders; NULL: the first */
	gint32 pid;                  /* of a view that takes one */
	gboolean flat;               /* processes one below the other, no tree */
	gboolean fold;               /* away what does not matter in trees */
	gboolean all;                /* also processes without memory: kernel threads */
	gboolean wide;               /* every field */
	const CommandFacts *command; /* that has ended; NULL: none */
	/* The user has been warned already of what could not be read, and why. */
	gboolean is_told;
} AnalysisOptions;

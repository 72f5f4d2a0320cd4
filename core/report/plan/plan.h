/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parsed options of an analysis. */
#pragma once

#include <glib.h>

#include "options.h"
#include "report/join/condition.h"
#include "report/join/figure.h"
#include "report/join/rename.h"
#include "report/join/view.h"
#include "report/name/axis.h"
#include "specs.h"

/* The metrics of threads' CPU time; NULL after the last. */
extern const char *const cpu_metrics[];
/* Indexes of cpu_metrics; the first three are about the thread itself. */
enum {
	CPU_RUN,
	CPU_USER,
	CPU_SYSTEM,
	CPU_CHILDREN_USER,
	CPU_CHILDREN_SYSTEM,
	/* The times of the process, including its ended threads. */
	CPU_PROCESS_USER,
	CPU_PROCESS_SYSTEM,
	N_CPU_METRICS
};
/* The CPU times in exit records, with a finer unit. */
#define CPU_EXIT_USER "utime_us"
#define CPU_EXIT_SYSTEM "stime_us"
/* The whole run time of a thread; absent unless known to be complete. */
#define CPU_EXIT_FINAL "final_run_time_ns"

typedef struct plan {
	const AnalysisOptions *options;
	const Axis *axis;
	NameRule rule;
	View view;
	gboolean is_matched; /* some name matches --filter */
	guint32 sections;    /* bits by index in the table of sections */
	GPtrArray *objects;  /* groups of objects that --sections names; NULL: not given */
	GArray *columns;     /* enum ctprof_column */
	GArray *sort_keys;   /* SortKey */
	GPtrArray *metrics;  /* names of metrics to show; empty: all */
	GArray *conditions;  /* Condition */
	GHashTable *needed;  /* names of metrics to fold even if not shown */
	GHashTable *pids;    /* NULL: all */
	RenameRules rename;
	/* Slot groups whose rows are shown one by one, "a,b"; empty: none. */
	char *groups;
	guint order;           /* index in view->orders */
	gboolean wants_digest; /* a section of the first screen is wanted */
} Plan;

gboolean plan_init(Plan *plan, const AnalysisOptions *options, GError **error);
void plan_clear(Plan *plan);

/* Whether the section is wanted and fits the axis. */
gboolean plan_has_section(const Plan *plan, const char *name);
gboolean plan_has_section_at(const Plan *plan, const Section *section);
/* Names of sections that are requested, but do not fit; static texts. */
GPtrArray *plan_list_misfits(const Plan *plan);

/* A MeasureChoice of thread metrics; data is the plan. */
const Fold *plan_choose(gconstpointer data, const Metric *metric);
/* A MeasureChoice of metrics of exit records; data is the plan. */
const Fold *plan_choose_exit(gconstpointer data, const Metric *metric);
/* Whether a metric of the host is shown: a quiet one only if sections are named. */
gboolean plan_shows_host(const Plan *plan, const Measure *measure);
/* Whether a metric's group of objects is a section. */
gboolean plan_has_objects(const Plan *plan, const struct ctprof_metric *def);
/* Whether a metric of objects is folded, and the MeasureChoice that does so. */
gboolean plan_folds_object(const Plan *plan, const Metric *metric);
const Fold *plan_choose_object(gconstpointer data, const Metric *metric);
/* Whether rows of that slot group are shown one by one. */
gboolean plan_needs_group(const Plan *plan, const char *group);
/* Whether a metric of threads is shown: a quiet one only if --metrics names it. */
gboolean plan_shows(const Plan *plan, const char *metric, guint32 flags);
/* Whether --metrics selects the name. */
gboolean plan_names(const Plan *plan, const char *metric);

/* The metrics that a typed name may mean: arrays of Figure. */
typedef struct plan_names {
	const GArray *figures, *objects; /* of threads; of objects, which --sort cannot use */
	const GArray *others;            /* only for conditions */
	const Registry *registry;        /* other metrics that a name may mean; NULL: not known */
} PlanNames;

/* Checks all names of metrics.  Returns the sort order, an array of SortFigure; NULL: a name is
 * wrong. */
GArray *plan_resolve(const Plan *plan, const PlanNames *names, GError **error);

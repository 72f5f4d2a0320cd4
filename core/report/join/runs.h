/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several runs per side: of each run, only the value of every metric of every group
 * is kept.  For counters, that is what was counted in a window, or since the start
 * of threads of a fresh boot; a ratio is that of these counts; other metrics have
 * their value at the end.  Names become patterns regardless of other names, as not
 * all of them are known before the last run.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "report/join/pair.h"
#include "report/name/axis.h"

/* Rows of a family are adjusted together, since some are below alpha by
 * chance. */
enum runs_family {
	FAMILY_COMMAND,
	FAMILY_PRIMARY,
	FAMILY_DERIVED,
	FAMILY_CGROUPS,
	FAMILY_HOST,
	N_FAMILIES
};

/* The subject of values; texts are in the store, so their addresses distinguish them. */
typedef struct runs_key {
	const char *metric;
	const char *names[KEY_NAMES]; /* keys; after runs_test() their display names */
	guint n_names;
	enum runs_family family;
	gboolean of_strangers; /* not of the command that was run, or of what it started */
} RunsKey;

/* A metric of a group, in all runs. */
typedef struct runs_row {
	RunsKey key;
	struct ctprof_report_field field;
	gdouble *values;  /* of the runs of the first side, then of the other's; NAN: none */
	gboolean partial; /* some value lacks rows */
	gboolean is_rate; /* what counts is divided by the length of its run */
	gboolean hidden;  /* of a section that is not shown: tested and judged all the same */
	/* After runs_test(). */
	gdouble medians[SIDES]; /* NAN: no run has it */
	gdouble shift;          /* NAN: only one side has it */
	struct ctprof_runs runs;
} RunsRow;

/* A setting of a group or the host, such as its policy or a sysctl, that is the same
 * in all runs of each side but differs between the sides. */
typedef struct runs_setting {
	RunsKey key;
	const char *texts[SIDES]; /* "": differs between runs */
	guint n[SIDES];           /* number of runs that have it */
} RunsSetting;

struct runs {
	guint n[SIDES]; /* runs of each side; n[1] may be 0 */
	Store *store;   /* shared by all analyses of runs */
	Namer namer;
	GHashTable *rows;     /* a set of RunsRow */
	GHashTable *settings; /* a set of RunsSetting */
};
typedef struct runs Runs;

Runs *runs_new(const guint n[SIDES]);
void runs_free(Runs *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Runs, runs_free)

/* Sets what names are keys of; only the first call counts. */
void runs_set_names(Runs *runs, const Axis *axis, NameRule rule, char *const *flatten,
		    gboolean normalise);

/* The destination of a value. */
typedef struct run_place {
	Runs *runs;
	guint side, run; /* from 0 */
} RunPlace;

/* Keeps a run's value of a metric of a group, whose metric is not set; names and the field's
 * texts are in the store.  Returns the row. */
RunsRow *runs_put(const RunPlace *place, const RunsKey *group,
		  const struct ctprof_report_field *field, gdouble value, gboolean partial);
/* The same for a setting; text is in the store. */
void runs_set(const RunPlace *place, const RunsKey *group, const char *metric, const char *text);

/*
 * Tests all rows that match accepts (NULL: all) and drops the others.  Returns RunsRow
 * *: first those that differ, then those of the command, those of strangers that differ,
 * of groups and of the host, then those that could not differ or that only one of two sides
 * has; each class by the cost of the shift, strangers last.  The caller unrefs.  ret_n_tested:
 * number of rows tested in each family.
 */
GPtrArray *runs_test(Runs *runs, const GRegex *match, gdouble alpha,
		     guint ret_n_tested[N_FAMILIES]);
/* RunsSetting *, by name: those in which the sides differ (for groups, only if chance
 * is less likely than alpha); the caller unrefs. */
GPtrArray *runs_list_settings(Runs *runs, gdouble alpha);
/* The smallest p possible with n and m runs. */
gdouble runs_least_p(guint n, guint m);

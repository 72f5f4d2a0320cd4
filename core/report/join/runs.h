/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Several runs per side: each run keeps only the value of every metric of every group.  For a
 * counter, this is the growth in a window, or since the start of the threads of a fresh boot; a
 * ratio is computed from such counts; other metrics have their value at the end.  Names become
 * patterns regardless of other names, because not all names are known before the last run.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "report/join/change.h"
#include "report/join/pair.h"
#include "report/name/axis.h"

/* Rows of a family are adjusted together, since some p are below alpha by chance; then the families
 * are adjusted among each other. */
enum runs_family {
	FAMILY_COMMAND,
	FAMILY_PRIMARY,
	FAMILY_DERIVED,
	FAMILY_CGROUPS,
	FAMILY_HOST,
	FAMILY_SCHEDULER, /* of the host, tested only if the sides have different schedulers */
	N_FAMILIES
};

/* The subject of values; texts are in the store, so their addresses distinguish them. */
typedef struct runs_key {
	const char *metric;
	const char *names[KEY_NAMES]; /* keys; after runs_test(): display names */
	guint n_names;
	enum runs_family family;
	gboolean of_strangers; /* neither the command of the run nor one of its descendants */
} RunsKey;

/* A metric of a group, with its values in all runs. */
typedef struct runs_row {
	RunsKey key;
	struct ctprof_report_field field;
	gdouble *values;  /* values in the first side's runs, then in the other's; NAN: none */
	gboolean partial; /* some value does not include all rows */
	gboolean is_rate; /* counts are divided by the length of their run */
	gboolean hidden;  /* in a section that is not shown, but tested and judged */
	/* After runs_test(). */
	struct ctprof_runs runs;
	struct ctprof_cell cell; /* the medians, and the shift if both sides have values */
	gboolean is_drawn;       /* it has a line in the report */
} RunsRow;

/* A setting of a group or the host, such as its policy or a sysctl, that is the same in all runs of
 * each side but differs between the sides. */
typedef struct runs_setting {
	RunsKey key;
	const char *texts[SIDES]; /* "": differs between runs */
	guint n[SIDES];           /* number of runs with the setting */
} RunsSetting;

struct runs {
	guint n[SIDES]; /* runs of each side; n[1] may be 0 */
	/* One side ran under a scheduler that stat started, or the sides had different ones. */
	gboolean of_schedulers;
	Store *store; /* shared by all analyses of runs */
	Namer namer;
	GHashTable *rows;     /* a set of RunsRow */
	GHashTable *settings; /* a set of RunsSetting */
};
typedef struct runs Runs;

Runs *runs_new(const guint n[SIDES]);
void runs_free(Runs *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Runs, runs_free)

/* Sets how names become keys; calls after the first have no effect. */
void runs_set_names(Runs *runs, const Axis *axis, NameRule rule, char *const *flatten,
		    gboolean normalise);

/* The destination of a value. */
typedef struct run_place {
	Runs *runs;
	guint side, run; /* from 0 */
} RunPlace;

/* Stores a run's value of a metric of a group, whose metric is not set; names and the field's texts
 * are in the store.  Returns the row. */
RunsRow *runs_put(const RunPlace *place, const RunsKey *group,
		  const struct ctprof_report_field *field, gdouble value, gboolean partial);
/* Stores a setting, like runs_put(); text is in the store. */
void runs_set(const RunPlace *place, const RunsKey *group, const char *metric, const char *text);

/*
 * Tests all rows that match accepts (NULL: all) and drops the others.  Returns RunsRow *: first
 * rows that differ, then those of the command, those of strangers that differ, of groups and of the
 * host, then those that could not differ or that only one of two sides has; each class by the cost
 * of the shift, strangers last.  The caller unrefs the array.  ret_n_tested: number of rows tested.
 */
GPtrArray *runs_test(Runs *runs, const GRegex *match, gdouble alpha, guint *ret_n_tested);
/* Returns the size of a row's shift, in units of a large change; if only one side has the row, the
 * size of its median. */
gdouble runs_cost(const RunsRow *row);
/* Returns RunsSetting *, by name: the settings in which the sides differ (for groups, only if
 * chance is less likely than alpha); the caller unrefs. */
GPtrArray *runs_list_settings(Runs *runs, gdouble alpha);
/* Returns the smallest p possible with n and m runs. */
gdouble runs_least_p(guint n, guint m);

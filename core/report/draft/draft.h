/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data that sections are drafted from, and their tables. */
#pragma once

#include <glib.h>

#include "report/join/groups.h"
#include "report/join/rank.h"
#include "report/join/rename.h"
#include "report/match/exits.h"
#include "report/match/intake.h"
#include "report/match/window.h"
#include "report/plan/plan.h"
#include "report/plan/sections.h"
#include "table.h"

struct draft {
	const Plan *plan;
	const View *view;
	Store *store;
	const Intake *intake;
	const WindowResult *window; /* NULL: not a window */
	const Side *sides;          /* SIDES of them */
	Record *host[SIDES];        /* NULL: that side has no row of the host */
	Namer *namer;
	const GPtrArray *groups;      /* Group *: of threads, on both sides (show: side 0) */
	const GPtrArray *only[SIDES]; /* Group *: of one side only */
	const GPtrArray *cgroups;     /* Pair *: in display order */
	/* Pair *: single rows, as captured (section/memory/rows.h). */
	const GPtrArray *processes, *single_objects;
	GArray *figures; /* Figure: of threads */
	GArray *object_figures;
	Renames *renames;
	Ranks *ranks;       /* NULL: by name */
	const Figure *sort; /* the first key of --sort; NULL: none */
	Tables *tables;
	const struct digest *digest; /* the first screen; NULL: not requested */
	GPtrArray *differences;      /* char *: differences of setup between the sides */
	GPtrArray *warnings;         /* char *, owned: for the user, before the report */
	GString *artifact;           /* of the view categories */
	GPtrArray *titles;           /* char *, owned: of runs */
	GArray *orphans[SIDES];      /* struct ctprof_report_line: groups of one side */
	GArray *hits;                /* struct ctprof_report_hit: values that meet --fail-on */
	GString *unjudged; /* the first condition that could not be judged, and why; or empty */
};

guint draft_n_sides(const Draft *draft);
const Measure *draft_measure(const Draft *draft, enum intake_table table, const char *name);
/* Whether a side has the metric. */
gboolean draft_has(const Draft *draft, enum intake_table table, guint side, const char *metric);
/* Lists a table's records as Pair *, in capture order; those that only the candidate has come last.
 * pairs owns them. */
GPtrArray *draft_pairs(const Draft *draft, enum intake_table table, Pairs *pairs);
/* Returns a metric's value on one side of a row, a group or the host; for a category, a MODE.
 * ABSENT: that side does not have it. */
struct ctprof_value draft_value(const Draft *draft, enum intake_table table,
				Record *const sides[SIDES], guint side, const char *metric);
/* Sets a figure's values, one for each side of a group of threads. */
void draft_figure(const Draft *draft, const Figure *figure, const Group *group,
		  struct ctprof_value ret_values[SIDES]);
/* Computes a formula for the host; in a window, with the growth of counters.  Returns whether any
 * of its inputs is a counter. */
gboolean draft_ask_host(const Draft *draft, const Formula *formula, struct ctprof_value *ret_value);

/* Adds a table with lines of one metric each (long), or one line per named object (wide). */
Table *draft_long(const Draft *draft, const char *name, const char *heading,
		  const char *names_header);
Table *draft_wide(const Draft *draft, const char *name, const char *heading,
		  const char *names_header);
/* Adds a line of one metric to a long table. */
struct ctprof_cell *draft_metric(const Draft *draft, Table *table, const char *const *names,
				 guint n_names, const struct ctprof_report_field *field,
				 const struct ctprof_value values[SIDES]);
/* The groups of threads (const Group *) that match --filter and have a weight of at least 0, the
 * heaviest first; the caller unrefs.  data is passed to weigh(). */
GPtrArray *draft_heaviest(const Draft *draft,
			  gdouble (*weigh)(const Draft *draft, const Group *group,
					   gconstpointer data),
			  gconstpointer data);
/* Adds a line about a part of a group of threads to a wide table. */
struct ctprof_cell *draft_group_part(Table *table, const Group *group, const char *part);
/* Sets the same value on both sides: that of a window, or of one side only. */
void draft_put_same(const Draft *draft, struct ctprof_cell *cell, struct ctprof_value value);
/* Returns the field of the walk's current key; bytes: its numbers are bytes. */
struct ctprof_report_field draft_key_field(const MapWalk *walk, gboolean bytes);
/* Adds a line for the walk's current key to a long table, unless the filters for changes hide it;
 * bytes: its numbers are bytes. */
void draft_key(const Draft *draft, Table *table, const char *const *names, guint n_names,
	       const MapWalk *walk, gboolean bytes);
/* Cuts the last table to the limit; drops it if it has no lines. */
void draft_close(const Draft *draft, Table *table);

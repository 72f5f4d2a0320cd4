/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metrics of both sides as one list, and their positions in each side's rows and records.  Each
 * file has its own definitions, so the sides may know different metrics.
 */
#pragma once

#include <glib.h>

#include "ctprof/report.h"
#include "fold.h"
#include "row/registry.h"

/* A metric that is folded, and that at least one side has. */
typedef struct measure {
	struct ctprof_report_field field; /* its texts are in the store */
	const char *group;                /* the slot group; of the store */
	const Fold *fold;                 /* NULL: the number of rows */
	guint32 kind, unit, flags, rank;  /* as declared */
	guint32 index;                    /* in its list */
	gboolean delay;                   /* of the slot group "delay" */
	/* Only leaders' rows have it; in other rows it is not missing. */
	gboolean of_process;
} Measure;

/* Chooses how a metric of a row class is folded; NULL: not at all. */
typedef const Fold *(*MeasureChoice)(gconstpointer data, const Metric *metric);

typedef struct measures {
	Store *store;
	GPtrArray *list; /* Measure *, by index */
	GHashTable *by_name;
} Measures;

void measures_init(Measures *measures, Store *store);
void measures_clear(Measures *measures);
const Measure *measures_find(const Measures *measures, const char *name);
/* Measure *, by rank, then in the order of appearance; the caller unrefs. */
GPtrArray *measures_ranked(const Measures *measures);

/* The position of a measure in a side's rows and records. */
typedef struct binding {
	const Measure *measure;
	guint32 slot; /* in a row */
	guint32 cell; /* in a record, after the states */
} Binding;

typedef struct layout {
	GArray *bindings; /* Binding; its index is also that of its state */
	GArray *by_index; /* guint: a measure's binding + 1, or 0 */
	guint32 n_words;  /* of the states */
	guint32 n_cells;  /* after them */
} Layout;

/* Joins the metrics of a registry's row class to measures and lays out the
 * records.  A metric that the other side defines differently is left out; its
 * name is appended to ret_clashes. */
void layout_init(Layout *layout, Measures *measures, const Registry *registry, enum row_class row,
		 MeasureChoice choose, gconstpointer data, GPtrArray *ret_clashes);
void layout_clear(Layout *layout);
/* The binding's index, or -1: this side does not have it. */
gint layout_find(const Layout *layout, const Measure *measure);
/* The index of a metric in rows, or -1. */
gint layout_slot(const Layout *layout, const char *name);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All metrics that the loaded sources declared, and which of them are wanted. */
#pragma once

#include <glib.h>

#include "ctprof/sink.h"
#include "select.h"

/* The classes of rows; process and mm scope share the thread's row. */
enum row_class {
	ROW_THREAD,
	ROW_EXIT,
	ROW_CGROUP,
	ROW_OBJECT,
	ROW_HOST,
	ROW_CAPTURE,
	N_ROW_CLASSES
};

#define NO_FILLER G_MAXUINT

typedef struct metric {
	struct ctprof_metric def;
	guint32 slot;  /* the plugin's handle; 0: computed, in no row */
	guint32 index; /* position in a row of its class */
	guint32 type;  /* enum ctprof_type */
	enum row_class row;
	gboolean wanted;
	gboolean skipped;      /* wanted, but not read in this sample of a recording */
	gboolean skip_changed; /* rests has changed since the previous sample */
	/* State of the slot if no source puts a value (enum ctprof_absence). */
	guint32 unfilled;
	/* Names of the sources that declared the metric, by preference; borrowed. */
	GPtrArray *providers;
	guint filler; /* the most preferred one that put a value; atomic; NO_FILLER: none */
} Metric;

typedef struct registry Registry;

Registry *registry_new(void);
void registry_free(Registry *registry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Registry, registry_free)

/*
 * Adds plugin's metric, or joins it to the same metric of another source.  Returns -EINVAL or
 * -EEXIST with the reason in ret_why (static text), -EBUSY once sealed.  def's strings and plugin
 * must outlive the registry.
 */
int registry_add(Registry *registry, const char *plugin, const struct ctprof_metric *def,
		 guint32 *ret_slot, const char **ret_why);

/*
 * Determines the wanted metrics and accepts no more metrics.  metrics and groups: lists of names,
 * NULL if not given; metrics in either are wanted.  Those of the identity group and of capture
 * scope always are.  Errors name the unknown entry.
 */
gboolean registry_seal(Registry *registry, const char *metrics, const char *groups, GError **error);

/* Call before registry_seal(): no metric of that row class is wanted, even if it is named. */
void registry_refuse(Registry *registry, enum row_class row);

/* Pauses or resumes reading the wanted metrics of a group; returns their number. */
guint registry_skip_group(Registry *registry, const char *group, gboolean skipped);
/* Pauses or resumes reading one metric, in rows of every class. */
void registry_skip_metric(Registry *registry, const char *name, gboolean skipped);
/* Whether the values of the metric are to be read now. */
static inline gboolean metric_is_due(const Metric *metric)
{
	return metric->wanted && !metric->skipped;
}

/* Returns the metric of a slot, or NULL. */
Metric *registry_slot(const Registry *registry, guint32 slot);
/* Returns the metric of that name in rows of that class, or NULL: a cgroup and the host may each
 * have a "psi.cpu.some.avg10". */
Metric *registry_named(const Registry *registry, enum row_class row, const char *name);
/* Returns the index in rows of a metric with that stored form (enum ctprof_type); -1: there is
 * none. */
gint registry_index(const Registry *registry, enum row_class row, const char *name, guint32 type);
/* Reads the value at an index of row i; FALSE: it is absent, or the index is -1. */
gboolean rows_read(const struct ctprof_rows *rows, guint64 i, gint index, guint64 *ret_value);
/* Returns the text at an index of row i, valid as long as the row; NULL: absent, or -1. */
const char *rows_text(const struct ctprof_rows *rows, guint64 i, gint index);
/* Returns the value of a metric, a number, in row i; 0: absent. */
guint64 registry_number(const Registry *registry, const struct ctprof_rows *rows, guint64 i,
			const char *name);
/* Whether plugin declared that metric. */
gboolean metric_is_of(const Metric *metric, const char *plugin);
/* Returns the source that fills the metric: the one that put values, or else the first that
 * declared it. */
const char *metric_source(const Metric *metric);
/* Whether metric_source() has put values, as far as that is known. */
gboolean metric_has_filler(const Metric *metric);
/* Notes that plugin put values; has no effect if a more preferred source did. */
void metric_note_filler(Metric *metric, const char *plugin);
/* Whether plugin declared a wanted metric of that row class. */
gboolean registry_provides(const Registry *registry, const char *plugin, enum row_class row);
/* Whether plugin declared a wanted metric of any class except capture scope: tallies alone are no
 * reason to run a source. */
gboolean registry_asks(const Registry *registry, const char *plugin);
/* Whether plugin declared a metric of that group, wanted or not. */
gboolean registry_offers(const Registry *registry, const char *plugin, const char *group);
/* Returns all metrics, by rank and then as registered; elements Metric *. */
GPtrArray *registry_list(const Registry *registry);
/* Returns the metrics of a row class in order of index; elements Metric *.  Borrowed. */
const GPtrArray *registry_row(const Registry *registry, enum row_class row);

/* Returns the row class of an enum ctprof_scope; N_ROW_CLASSES for an unknown one. */
enum row_class registry_row_of_scope(guint32 scope);
/* Returns the scope of a row class's batches. */
guint32 registry_scope_of_row(enum row_class row);

/* Takes rows of one scope, thread rows in many pieces.  registry: their metrics, sealed.  FALSE
 * with an error: no more are wanted. */
typedef gboolean (*TakeRows)(gpointer data, const Registry *registry,
			     const struct ctprof_rows *rows, GError **error);

/* Returns a metric's tags for a cell: "[cfs-only] [SCHEDSTATS]", or "" without any. */
char *registry_tags(const struct ctprof_metric *def);

/* Words for the enumerations of plugin.h, "?" for an unknown number. */
const char *registry_kind_word(guint32 kind);
const char *registry_unit_word(guint32 unit);
const char *registry_scope_word(guint32 scope);

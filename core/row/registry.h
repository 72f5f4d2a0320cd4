/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every metric the loaded sources declared, and which of them are wanted. */
#pragma once

#include <glib.h>

#include "ctprof/sink.h"
#include "select.h"

/* The kinds of row; process and mm scope share the thread's row. */
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
	guint32 slot;  /* what the plugin knows it by; 0: computed, in no row */
	guint32 index; /* place in a row of its class */
	guint32 type;  /* enum ctprof_type */
	enum row_class row;
	gboolean wanted;
	gboolean rests;  /* not read in this sample of a recording */
	gboolean turned; /* it was, in the one before, or the other way round */
	/* State of the slot if no source puts anything (enum ctprof_absence). */
	guint32 unfilled;
	/* Names of the sources that declared it, in the order of preference; borrowed. */
	GPtrArray *providers;
	guint filler; /* the first of them that put a value; atomic; NO_FILLER: none */
} Metric;

typedef struct registry Registry;

Registry *registry_new(void);
void registry_free(Registry *registry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Registry, registry_free)

/*
 * Adds plugin's metric, or joins it to the same metric of another source.
 * -EINVAL, -EEXIST with the reason in ret_why (static text), -EBUSY once
 * sealed. def's strings and plugin must outlive the registry.
 */
int registry_add(Registry *registry, const char *plugin, const struct ctprof_metric *def,
		 guint32 *ret_slot, const char **ret_why);

/*
 * Determines what is wanted and accepts no more metrics. metrics and groups:
 * lists of names, NULL if not given; metrics in either are wanted.  The
 * identity group and capture scope always are.  Errors name the unknown entry.
 */
gboolean registry_seal(Registry *registry, const char *metrics, const char *groups, GError **error);

/* Before registry_seal(): nothing of that row class is wanted, whatever is named. */
void registry_refuse(Registry *registry, enum row_class row);

/* Makes the wanted metrics of a group rest or resume; returns their number. */
guint registry_rest(Registry *registry, const char *group, gboolean rests);
/* The same of one metric, in rows of every class. */
void registry_rest_metric(Registry *registry, const char *name, gboolean rests);
/* Whether its values are to be read now. */
static inline gboolean metric_is_due(const Metric *metric)
{
	return metric->wanted && !metric->rests;
}

/* The metric of a slot, or NULL. */
Metric *registry_slot(const Registry *registry, guint32 slot);
/* The metric of that name in rows of that class, or NULL: a cgroup and the host
 * may each have a "psi.cpu.some.avg10". */
Metric *registry_named(const Registry *registry, enum row_class row, const char *name);
/* The index of a metric of that stored form (enum ctprof_type) in rows; -1: there is none. */
gint registry_index(const Registry *registry, enum row_class row, const char *name, guint32 type);
/* The value at an index of row i; FALSE: it is absent, or the index is -1. */
gboolean rows_read(const struct ctprof_rows *rows, guint64 i, gint index, guint64 *ret_value);
/* The value of that metric, a number, in row i; 0: there is none. */
guint64 registry_number(const Registry *registry, const struct ctprof_rows *rows, guint64 i,
			const char *name);
/* Whether plugin declared that metric. */
gboolean metric_is_of(const Metric *metric, const char *plugin);
/* The source that fills it: the one that put values, otherwise the first that
 * declared it. */
const char *metric_source(const Metric *metric);
/* Whether metric_source() has put values, as far as that is known. */
gboolean metric_has_filler(const Metric *metric);
/* Notes that plugin put values, and no more preferred source did. */
void metric_note_filler(Metric *metric, const char *plugin);
/* Whether plugin declared a wanted metric of that row class. */
gboolean registry_provides(const Registry *registry, const char *plugin, enum row_class row);
/* Whether plugin declared a wanted metric of any class but capture scope:
 * tallies alone are no reason to run a source. */
gboolean registry_asks(const Registry *registry, const char *plugin);
/* Whether plugin declared a metric of that group, wanted or not. */
gboolean registry_offers(const Registry *registry, const char *plugin, const char *group);
/* All metrics, by rank and then as registered; elements Metric *. */
GPtrArray *registry_list(const Registry *registry);
/* Metrics of a row class in order of index; elements Metric *.  Borrowed. */
const GPtrArray *registry_row(const Registry *registry, enum row_class row);

/* Row class of an enum ctprof_scope; N_ROW_CLASSES for an unknown one. */
enum row_class registry_row_of_scope(guint32 scope);
/* The scope batches of a row class carry. */
guint32 registry_scope_of_row(enum row_class row);

/* A metric's tags for a cell: "[cfs-only] [SCHEDSTATS]", or "" without any. */
char *registry_tags(const struct ctprof_metric *def);

/* Words for the enumerations of plugin.h, "?" for an unknown number. */
const char *registry_kind_word(guint32 kind);
const char *registry_unit_word(guint32 unit);
const char *registry_scope_word(guint32 scope);

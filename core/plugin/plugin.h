/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A loaded plugin, and the guarded call of each of its ops. */
#pragma once

#include <glib.h>
#include <gmodule.h>

#include "base/root.h"
#include "ctprof/sink.h"
#include "ctprof/source.h"
#include "guard/output.h"
#include "row/registry.h"

/* The host's copy of a finding. */
typedef struct finding {
	guint32 state;
	char *group;
	char *why;    /* NULL: works */
	char *remedy; /* NULL: none known */
} Finding;

typedef struct plugin {
	char *file;
	GModule *module; /* stays loaded: metrics point into it */
	struct ctprof_plugin descriptor;
	struct ctprof_source_ops source;
	struct ctprof_sink_ops sink;

	/* Used by its host table. */
	struct ctprof_host host;
	/* Replaces some of these functions, to watch their calls; NULL: unused. */
	void (*overlay)(struct ctprof_host *host);
	const Root *root;
	Registry *registry;
	GHashTable *options; /* "NAME.key" -> value; borrowed */
	Output *output;      /* a sink's; borrowed */
	/* Counts the threads of the capture, at most enough; NULL: no capture. */
	guint64 (*count_threads)(gpointer capture, guint64 enough);
	gpointer capture;

	/* Its state. */
	gboolean opened, started, listens;
	gpointer self; /* the plugin's own; may be NULL */
	guint32 state; /* enum ctprof_plugin_state */
	char *why;     /* when not live */
	int error_code;
	GMutex serial;                     /* held in collect() of a serial plugin */
	GMutex lock;                       /* why, error_code and said */
	char *said;                        /* last error() sentence */
	GPtrArray *findings;               /* Finding * */
	guint64 batches, failures, cpu_ns; /* atomic */
	guint in_a_row;                    /* failures; atomic */
	guint n_warnings;                  /* atomic */
} Plugin;

/* Creates a plugin from a verified descriptor; takes ownership of file and
 * module. */
Plugin *plugin_new(char *file, GModule *module, const struct ctprof_plugin *descriptor);
/* Creates a placeholder for a plugin that must not be loaded again; its kind is
 * 0, unknown. */
Plugin *plugin_new_lost(const char *file, const char *name, const char *why);
void plugin_free(Plugin *plugin);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Plugin, plugin_free)

const char *plugin_name(const Plugin *plugin);
/* Finds the plugin (Plugin *) of that name and kind (0: any), or NULL. */
Plugin *plugin_find(const GPtrArray *plugins, const char *name, guint32 kind);
gboolean plugin_is_live(const Plugin *plugin);
/* The i-th of its declared needs, i < descriptor.n_needs. */
const struct ctprof_need *plugin_need(const Plugin *plugin, guint i);
/* CTPROF_NEED_*; 0 if it was compiled before flags existed. */
guint32 plugin_need_flags(const struct ctprof_need *need);
/* FALSE if it was compiled before options could be declared. */
gboolean plugin_knows_options(const Plugin *plugin);
/* The i-th of its options, i < descriptor.n_options. */
struct ctprof_option plugin_option(const Plugin *plugin, guint i);
/* "works", "partly" or "no" for an enum ctprof_finding_state. */
const char *plugin_finding_word(guint32 state);

/* Fills plugin->host; its root, registry and options must be set. */
void plugin_lend_host(Plugin *plugin);
/* open(): registers a source's metrics.  An error leaves the plugin out. */
gboolean plugin_open(Plugin *plugin, const Root *root, Registry *registry, GHashTable *options,
		     GError **error);
void plugin_close(Plugin *plugin);
/* probe(): fills findings.  Without probe(), or if it reports nothing, there
 * are none. */
void plugin_probe(Plugin *plugin);

/* Source ops.  A source that is not live is skipped. */
void plugin_start(Plugin *plugin); /* once: a second call does nothing */
/* Leaves a source out because none of its metrics is wanted. */
void plugin_set_unasked(Plugin *plugin);
gpointer plugin_worker_open(Plugin *plugin, guint worker);
void plugin_worker_close(Plugin *plugin, gpointer context);
/* Fills the batch; failures are counted, and too many switch the source off.
 * FALSE if the batch has no values of this source. */
gboolean plugin_collect(Plugin *plugin, gpointer context, struct ctprof_batch *batch);

/* Prepares a source that stays open for another capture; one that cannot is left out. */
void plugin_again(Plugin *plugin);
gboolean plugin_can_list(const Plugin *plugin);
/* FALSE: what was listed counts for nothing. */
gboolean plugin_list(Plugin *plugin, const struct ctprof_listing *listing);

/* Whether it looks at the host between captures, and one such look; FALSE: no more of them.
 * ret_next_ns: the time to the next. */
gboolean plugin_can_sample(const Plugin *plugin);
gboolean plugin_sample(Plugin *plugin, guint64 *ret_next_ns);

/* Whether it can record threads that end. */
gboolean plugin_can_listen(const Plugin *plugin);
/* FALSE: not possible here; the source stays live. */
gboolean plugin_listen(Plugin *plugin, GError **error);
/* For a plugin that listens; may be called from any thread. */
void plugin_drain(Plugin *plugin);

/* Counts a failure of a source that broke the rule why. */
void plugin_fault(Plugin *plugin, const char *why);

/* Sink ops; the error names the plugin and its reason. */
gboolean plugin_begin(Plugin *plugin, Output *output, const struct ctprof_capture *capture,
		      GError **error);
gboolean plugin_rows(Plugin *plugin, const struct ctprof_rows *rows, GError **error);
gboolean plugin_end(Plugin *plugin, const struct ctprof_capture_end *end, GError **error);
/* Whether it can write recordings, and the end of a recording. */
gboolean plugin_can_record(const Plugin *plugin);
gboolean plugin_finish(Plugin *plugin, GError **error);
/* A file of tables: whether it writes such, and where from now on; its tables, their rows,
 * and, as above, its end. */
gboolean plugin_can_tabulate(const Plugin *plugin);
void plugin_write_to(Plugin *plugin, Output *output);
gboolean plugin_table(Plugin *plugin, const struct ctprof_table *table, GError **error);
gboolean plugin_records(Plugin *plugin, const struct ctprof_records *records, GError **error);
gboolean plugin_draw(Plugin *plugin, Output *output, const struct ctprof_report *report,
		     GError **error);

/* Warns about failed batches and invalid puts. */
void plugin_tell_failures(Plugin *plugin);
/* Reports its state, for the snapshot. */
void plugin_report(Plugin *plugin, struct ctprof_plugin_report *ret_report);

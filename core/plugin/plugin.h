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

	/* Used by the plugin's host table. */
	struct ctprof_host host;
	/* Replaces some functions of host, to watch their calls; NULL: unused. */
	void (*overlay)(struct ctprof_host *host);
	const Root *root;
	Registry *registry;
	GHashTable *options; /* "NAME.key" -> value; borrowed */
	Output *output;      /* of a sink; borrowed */
	/* Counts the threads of the capture, at most enough; NULL: not in start(). */
	guint64 (*count_threads)(gpointer capture, guint64 enough);
	gpointer capture;

	/* Its state. */
	gboolean opened, started, listens;
	gpointer self; /* the plugin's own; may be NULL */
	guint32 state; /* enum ctprof_plugin_state */
	char *why;     /* why it is not live; otherwise NULL */
	int error_code;
	GMutex serial;                     /* held in collect(), drain() and sample() if SERIAL */
	GMutex lock;                       /* protects why, error_code and said */
	char *said;                        /* sentence of the last host->error() */
	GPtrArray *findings;               /* Finding * */
	guint64 batches, failures, cpu_ns; /* atomic */
	guint in_a_row;                    /* failures since the last success; atomic */
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
/* Returns the plugin's need number i < descriptor.n_needs; members that it was compiled without are
 * 0. */
struct ctprof_need plugin_need(const Plugin *plugin, guint i);
/* FALSE if the plugin was compiled before options could be declared. */
gboolean plugin_knows_options(const Plugin *plugin);
/* Returns the plugin's option number i < descriptor.n_options. */
struct ctprof_option plugin_option(const Plugin *plugin, guint i);
/* Returns "works", "partly" or "no" for an enum ctprof_finding_state. */
const char *plugin_finding_word(guint32 state);

/* Fills plugin->host; its root, registry and options must be set. */
void plugin_lend_host(Plugin *plugin);
/* Calls open(), in which a source registers its metrics.  An error leaves the plugin out. */
gboolean plugin_open(Plugin *plugin, const Root *root, Registry *registry, GHashTable *options,
		     GError **error);
void plugin_close(Plugin *plugin);
/* Calls probe(), which fills findings.  They remain empty if the plugin has no
 * probe(), or if it reports nothing. */
void plugin_probe(Plugin *plugin);

/* Calls of source ops.  A source that is not live is skipped. */
void plugin_start(Plugin *plugin); /* a second call does nothing */
/* Leaves a source out because none of its metrics is wanted. */
void plugin_set_unasked(Plugin *plugin);
gpointer plugin_worker_open(Plugin *plugin, guint worker);
void plugin_worker_close(Plugin *plugin, gpointer context);
/* Fills the batch; failures are counted, and too many in a row switch the source off.
 * FALSE: no value from this source in the batch can be trusted. */
gboolean plugin_collect(Plugin *plugin, gpointer context, struct ctprof_batch *batch);

/* Prepares a source that stays open for another capture; if that fails, the source is left out. */
void plugin_again(Plugin *plugin);
gboolean plugin_can_list(const Plugin *plugin);
/* FALSE: the threads listed so far must be ignored. */
gboolean plugin_list(Plugin *plugin, const struct ctprof_listing *listing);

/* Whether the source samples the host between captures. */
gboolean plugin_can_sample(const Plugin *plugin);
/* Takes one sample; FALSE: take no more.  *ret_next_ns: the time until the next, in ns. */
gboolean plugin_sample(Plugin *plugin, guint64 *ret_next_ns);

/* Whether the source can record threads that end. */
gboolean plugin_can_listen(const Plugin *plugin);
/* FALSE: the source cannot listen on this host; it stays live. */
gboolean plugin_listen(Plugin *plugin, GError **error);
/* Only for a plugin that listens; may be called from any thread. */
void plugin_drain(Plugin *plugin);

/* Counts a failure of a source that broke a rule; why says which. */
void plugin_fault(Plugin *plugin, const char *why);

/* Calls of sink ops; the error names the plugin and its reason, or the output if that failed. */
gboolean plugin_begin(Plugin *plugin, Output *output, const struct ctprof_capture *capture,
		      GError **error);
gboolean plugin_rows(Plugin *plugin, const struct ctprof_rows *rows, GError **error);
gboolean plugin_end(Plugin *plugin, const struct ctprof_capture_end *end, GError **error);
/* Whether the sink can write recordings; and its op to end one. */
gboolean plugin_can_record(const Plugin *plugin);
gboolean plugin_finish(Plugin *plugin, GError **error);
/* Table files: return whether the sink can write them, set the output, write a table's head and its
 * rows. plugin_finish() ends the file. */
gboolean plugin_can_tabulate(const Plugin *plugin);
void plugin_write_to(Plugin *plugin, Output *output);
gboolean plugin_table(Plugin *plugin, const struct ctprof_table *table, GError **error);
gboolean plugin_records(Plugin *plugin, const struct ctprof_records *records, GError **error);
gboolean plugin_draw(Plugin *plugin, Output *output, const struct ctprof_report *report,
		     GError **error);

/* Warns about failed batches and invalid puts. */
void plugin_warn_failures(Plugin *plugin);
/* Reports the state of the plugin, for the snapshot; strings are borrowed. */
void plugin_report(Plugin *plugin, struct ctprof_plugin_report *ret_report);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The common beginning of every command: a root, plugins and their metrics. */
#pragma once

#include <glib.h>

#include "base/root.h"
#include "plugin.h"
#include "row/registry.h"
#include "row/select.h"

/* Options accepted before or after the command name. */
typedef struct globals {
	char *plugins;             /* --plugins */
	char **plugin_path;        /* --plugin-path */
	char *proc, *sys, *cgroup; /* --*-root */
	char **settings;           /* -O PLUGIN.KEY=VALUE */
} Globals;

typedef struct session {
	Root *root;
	Registry *registry;
	GHashTable *settings; /* "PLUGIN.key" -> value, checked */
	Select *select;       /* --plugins */
	GPtrArray *plugins;   /* Plugin *, by preference */
} Session;

/*
 * Opens the root, loads the plugins that the globals select and those needed,
 * and checks the settings against what the plugins declare.  Does not open the
 * plugins yet.
 */
Session *session_load(const Globals *globals, const char *const *needed, GError **error);
/* Gives up capabilities that no plugin declares, and opens the plugins.  A plugin
 * that cannot open is an error if it was named or is needed, otherwise it is left
 * out with a warning. */
gboolean session_open(Session *session, const char *const *needed, GError **error);
/* Checks that --plugins and -O name existing plugins and options, for a command that loads
 * other plugins.  Opens no plugin. */
gboolean session_check(const Globals *globals, GError **error);
/* session_load() and session_open(). */
Session *session_new(const Globals *globals, const char *const *needed, GError **error);
void session_free(Session *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Session, session_free)

/* Drops every capability that none of plugins (Plugin *) declares as a need.  sealed: it is known
 * which metrics are wanted, so also drops those of sources without any, and those that a plugin
 * needs only until it has started. */
gboolean session_drop_capabilities(const GPtrArray *plugins, gboolean sealed, GError **error);

/* Returns the number of failed calls and rejected puts of all plugins so far. */
guint64 session_failures(const Session *session);

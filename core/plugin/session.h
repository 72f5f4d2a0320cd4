/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every command begins with: a root, plugins, their metrics. */
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
 * Opens the root, loads the plugins the globals select and those needed, and
 * checks the settings by what the plugins declare.  None of them is opened yet.
 */
Session *session_load(const Globals *globals, const char *const *needed, GError **error);
/* Gives up capabilities that no plugin declares, and opens the plugins.  One that
 * cannot open is an error when it was named or is needed, else left out with a
 * warning. */
gboolean session_open(Session *session, const char *const *needed, GError **error);
/* Both. */
Session *session_new(const Globals *globals, const char *const *needed, GError **error);
void session_free(Session *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Session, session_free)

/* Drops every capability that none of plugins (Plugin *) declares a need for; once they
 * have started, also those that were needed until then. */
gboolean session_drop_capabilities(const GPtrArray *plugins, gboolean started, GError **error);

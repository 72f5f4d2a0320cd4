/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What every command begins with: a root, plugins, their metrics. */
#pragma once

#include <glib.h>

#include "base/root.h"
#include "plugin.h"
#include "row/registry.h"

/* Options that go before or behind the command's name. */
typedef struct globals {
	char *plugins;             /* --plugins */
	char **plugin_path;        /* --plugin-path */
	char *proc, *sys, *cgroup; /* --*-root */
	char **settings;           /* -O PLUGIN.KEY=VALUE */
} Globals;

typedef struct session {
	Root *root;
	Registry *registry;
	GHashTable *options; /* "PLUGIN.key" -> value */
	GPtrArray *plugins;  /* Plugin *, opened */
} Session;

/*
 * Opens the root, loads the plugins the globals select and those needed, and
 * opens them with the settings.  A plugin that cannot open is an error when it
 * was named or is needed, else left out with a warning.
 */
Session *session_new(const Globals *globals, const char *const *needed, GError **error);
void session_free(Session *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Session, session_free)

/* Drops every capability that none of plugins (Plugin *) declares a need for. */
gboolean session_drop_capabilities(const GPtrArray *plugins, GError **error);
/* What -O sets: "PLUGIN.key" -> value. */
GHashTable *session_settings(const Globals *globals, GError **error);
/* The plugin of that name and kind (0: any), or NULL. */
Plugin *session_plugin(const Session *session, const char *name, guint32 kind);

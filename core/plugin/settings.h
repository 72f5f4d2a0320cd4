/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of -O PLUGIN.KEY=VALUE, checked against the options that plugins
 * declare. */
#pragma once

#include <glib.h>

#include "loader.h"

/* Returns "PLUGIN.key" -> value, as given; later values replace earlier ones. */
GHashTable *settings_parse(char *const *given, GError **error);
/*
 * Converts the values for the plugins (Plugin *) to the form of host->option();
 * the error names an invalid one.  Values for plugins that are not loaded are
 * skipped, as they are never used, if loader knows the plugin (NULL: always).
 */
gboolean settings_check(GHashTable *settings, const GPtrArray *plugins, const Loader *loader,
			GError **error);
/* Opens the files that the plugins' values name, and keeps them for host->open_file()
 * (userfile.h). */
void settings_keep_files(GHashTable *settings, const GPtrArray *plugins);
/* Adds the slot groups that the plugin's checked settings request to list, a
 * comma-separated text.  by_default: also those of defaults of optional values. */
void settings_add_groups(GHashTable *settings, const Plugin *plugin, gboolean by_default,
			 GString *list);

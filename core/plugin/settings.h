/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings of -O PLUGIN.KEY=VALUE, checked against the options that plugins
 * declare. */
#pragma once

#include <glib.h>

#include "loader.h"

/* "PLUGIN.key" -> value, as given; a later one replaces an earlier. */
GHashTable *settings_parse(char *const *given, GError **error);
/*
 * Converts the values of the plugins (Plugin *) to the form of host->option();
 * the error names an invalid one.  Plugins that loader (NULL: any) knows and that
 * are not loaded are skipped, as their values are never used.
 */
gboolean settings_check(GHashTable *settings, const GPtrArray *plugins, const Loader *loader,
			GError **error);
/* Keeps the files that values of the plugins name, for host->open_file() (userfile.h). */
void settings_keep_files(GHashTable *settings, const GPtrArray *plugins);
/* Adds the slot groups that the plugin's checked settings request to list, a
 * comma-separated text.  by_default: those that its optional values imply. */
void settings_add_groups(GHashTable *settings, const Plugin *plugin, gboolean by_default,
			 GString *list);

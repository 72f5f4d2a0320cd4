/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What -O PLUGIN.KEY=VALUE sets, checked by the rows the plugins declare. */
#pragma once

#include <glib.h>

#include "loader.h"

/* "PLUGIN.key" -> value, as given; a later one replaces an earlier. */
GHashTable *settings_parse(char *const *given, GError **error);
/*
 * Brings the values of the plugins (Plugin *) into the form host->option() gives;
 * an error names what no row allows.  Plugins that loader (NULL: any) knows and
 * that are not loaded are passed over: nothing is going to ask for their values.
 */
gboolean settings_check(GHashTable *settings, const GPtrArray *plugins, const Loader *loader,
			GError **error);
/* Adds the slot groups that the plugin's checked settings ask for to list, a
 * text with commas between.  by_default: those its optional values stand for. */
void settings_add_groups(GHashTable *settings, const Plugin *plugin, gboolean by_default,
			 GString *list);

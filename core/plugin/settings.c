/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "settings.h"

#include <fcntl.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/option.h"
#include "guard/userfile.h"

static gboolean take_setting(GHashTable *settings, const char *given, GError **error)
{
	const char *dot = strchr(given, '.');
	const char *equals = strchr(given, '=');

	if (!dot || !equals || dot > equals || dot == given || equals == dot + 1)
		return error_set_usage(error, "-O '%s': expected PLUGIN.KEY=VALUE", given);
	g_hash_table_insert(settings, g_strndup(given, (gsize)(equals - given)),
			    g_strdup(equals + 1));
	return TRUE;
}

GHashTable *settings_parse(char *const *given, GError **error)
{
	g_autoptr(GHashTable) settings =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (; given && *given; given++)
		if (!take_setting(settings, *given, error))
			return NULL;
	return g_steal_pointer(&settings);
}

static gboolean fail_plugin(const char *setting, const char *name, const Loader *loader,
			    GError **error)
{
	g_autofree char *hint = loader_nearest(loader, name);

	return error_set_usage(error, "-O %s: there is no plugin '%s'%s", setting, name, hint);
}

static gboolean fail_key(const char *setting, const Plugin *plugin, const char *key, GError **error)
{
	g_autoptr(GString) known = g_string_new(NULL);
	Nearest nearest = {.typed = key, .known = known};

	for (guint i = 0; i < plugin->descriptor.n_options; i++)
		nearest_try(&nearest, plugin_option(plugin, i).name);
	g_autofree char *hint = nearest_hint(&nearest, "");
	return error_set_usage(error, "-O %s: the plugin %s has no option '%s' (it has %s)%s",
			       setting, plugin_name(plugin), key, known->len ? known->str : "none",
			       hint);
}

/* Sets *ret_value to the value in the form of host->option(), or NULL if it stays as given. */
static gboolean check_setting(const char *setting, const char *value, const GPtrArray *plugins,
			      const Loader *loader, char **ret_value, GError **error)
{
	const char *key = strchr(setting, '.') + 1;
	g_autofree char *name = g_strndup(setting, (gsize)(key - 1 - setting));
	g_autofree char *shown = g_strconcat("-O ", setting, NULL);
	const Plugin *plugin = plugin_find(plugins, name, 0);

	*ret_value = NULL;
	if (!plugin)
		return !loader || loader_has(loader, name) ||
		       fail_plugin(setting, name, loader, error);
	/* The options of a plugin that crashed in an earlier run are unknown. */
	if (!plugin_knows_options(plugin) || !plugin_is_live(plugin))
		return TRUE;
	for (guint i = 0; i < plugin->descriptor.n_options; i++) {
		const struct ctprof_option row = plugin_option(plugin, i);

		if (strcmp(row.name, key) == 0)
			return (*ret_value = option_normalise(&row, shown, value, error)) != NULL;
	}
	return fail_key(setting, plugin, key, error);
}

gboolean settings_check(GHashTable *settings, const GPtrArray *plugins, const Loader *loader,
			GError **error)
{
	GHashTableIter iter;
	gpointer setting, value;

	g_hash_table_iter_init(&iter, settings);
	while (g_hash_table_iter_next(&iter, &setting, &value)) {
		char *checked;

		if (!check_setting(setting, value, plugins, loader, &checked, error))
			return FALSE;
		if (checked)
			g_hash_table_iter_replace(&iter, checked);
	}
	return TRUE;
}

static const char *setting_value(GHashTable *settings, const Plugin *plugin,
				 const struct ctprof_option *row)
{
	g_autofree char *setting = g_strconcat(plugin_name(plugin), ".", row->name, NULL);

	return g_hash_table_lookup(settings, setting);
}

void settings_keep_files(GHashTable *settings, const GPtrArray *plugins)
{
	for (guint i = 0; i < plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(plugins, i);

		for (guint n = 0; n < plugin->descriptor.n_options; n++) {
			const struct ctprof_option row = plugin_option(plugin, n);
			const char *value = setting_value(settings, plugin, &row);

			if (value && row.type == CTPROF_OPTION_PATH)
				userfile_keep(value, O_NONBLOCK);
		}
	}
}

static void add_groups_of(const struct ctprof_option *row, const char *value, GString *list)
{
	g_auto(GStrv) words = g_strsplit(value, ",", -1);

	for (guint i = 0; words[i]; i++) {
		gint at = option_find_word(row, words[i]);
		const char *groups = at >= 0 ? option_word(row, (guint)at)->groups : NULL;

		if (groups)
			g_string_append_printf(list, "%s%s", list->len ? "," : "", groups);
	}
}

void settings_add_groups(GHashTable *settings, const Plugin *plugin, gboolean by_default,
			 GString *list)
{
	for (guint i = 0; i < plugin->descriptor.n_options; i++) {
		const struct ctprof_option row = plugin_option(plugin, i);
		const char *value = setting_value(settings, plugin, &row);

		if (!value && by_default && (row.flags & CTPROF_OPTION_OPTIONAL))
			value = row.default_value;
		if (value)
			add_groups_of(&row, value, list);
	}
}

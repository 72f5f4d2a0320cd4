/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session.h"

#include <string.h>

#include "base/error.h"
#include "base/ui.h"
#include "guard/capabilities.h"
#include "loader.h"
#include "row/select.h"

static gboolean take_setting(GHashTable *options, const char *setting, GError **error)
{
	const char *dot = strchr(setting, '.');
	const char *equals = strchr(setting, '=');

	if (!dot || !equals || dot > equals || dot == setting || equals == dot + 1) {
		g_set_error(error, USAGE_ERROR, 0, "-O '%s': expected PLUGIN.KEY=VALUE", setting);
		return FALSE;
	}
	g_hash_table_insert(options, g_strndup(setting, (gsize)(equals - setting)),
			    g_strdup(equals + 1));
	return TRUE;
}

GHashTable *session_settings(const Globals *globals, GError **error)
{
	g_autoptr(GHashTable) options =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	for (guint i = 0; globals->settings && globals->settings[i]; i++)
		if (!take_setting(options, globals->settings[i], error))
			return NULL;
	return g_steal_pointer(&options);
}

gboolean session_drop_capabilities(const GPtrArray *plugins, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(plugins, i);

		for (guint n = 0; n < plugin->descriptor.n_needs; n++) {
			const struct ctprof_need *need = plugin_need(plugin, n);

			if (need->kind == CTPROF_NEED_CAPABILITY && need->name)
				g_ptr_array_add(names, (gpointer)(uintptr_t)need->name);
		}
	}
	return capabilities_drop(names, error);
}

static gboolean open_plugins(Session *session, const Select *select, const char *const *needed,
			     GError **error)
{
	for (guint i = 0; i < session->plugins->len;) {
		Plugin *plugin = g_ptr_array_index(session->plugins, i);
		const char *name = plugin_name(plugin);
		g_autoptr(GError) local = NULL;

		if (!plugin_is_live(plugin) || plugin_open(plugin, session->root, session->registry,
							   session->options, &local)) {
			i++;
			continue;
		}
		if (select_names(select, name) || (needed && g_strv_contains(needed, name))) {
			g_propagate_error(error, g_steal_pointer(&local));
			return FALSE;
		}
		ui_warning("%s", local->message);
		/* Metrics it declared before it failed stay known, and unfilled. */
		i++;
	}
	return TRUE;
}

Session *session_new(const Globals *globals, const char *const *needed, GError **error)
{
	g_autoptr(Session) session = g_new0(Session, 1);
	g_autoptr(Select) select = select_parse(globals->plugins, error);

	if (!select) {
		g_prefix_error(error, "--plugins '%s': ", globals->plugins);
		return NULL;
	}
	session->options = session_settings(globals, error);
	if (!session->options)
		return NULL;
	session->root = root_open(globals->proc, globals->sys, globals->cgroup, error);
	g_autoptr(Loader) loader =
		session->root ? loader_new((const char *const *)globals->plugin_path, error) : NULL;
	if (!loader)
		return NULL;
	session->registry = registry_new();
	session->plugins = loader_load(loader, select, needed, error);
	if (!session->plugins || !session_drop_capabilities(session->plugins, error) ||
	    !open_plugins(session, select, needed, error))
		return NULL;
	return g_steal_pointer(&session);
}

void session_free(Session *session)
{
	/* Plugins close before what they were lent goes. */
	g_clear_pointer(&session->plugins, g_ptr_array_unref);
	g_clear_pointer(&session->registry, registry_free);
	g_clear_pointer(&session->options, g_hash_table_unref);
	g_clear_pointer(&session->root, root_free);
	g_free(session);
}

Plugin *session_plugin(const Session *session, const char *name, guint32 kind)
{
	for (guint i = 0; i < session->plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(session->plugins, i);

		if ((kind == 0 || plugin->descriptor.kind == kind) &&
		    strcmp(plugin_name(plugin), name) == 0)
			return plugin;
	}
	return NULL;
}

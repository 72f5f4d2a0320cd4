/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "session.h"

#include <string.h>

#include "base/error.h"
#include "base/ui.h"
#include "guard/capabilities.h"
#include "guard/delivery.h"
#include "guard/sandbox.h"
#include "guard/trespass.h"
#include "loader.h"
#include "settings.h"

/* Whether the plugin is used: a source of which no metric is wanted reads nothing. */
static gboolean is_wanted(const Plugin *plugin)
{
	return plugin_is_live(plugin) && (plugin->descriptor.kind != CTPROF_KIND_SOURCE ||
					  registry_asks(plugin->registry, plugin_name(plugin)));
}

gboolean session_drop_capabilities(const GPtrArray *plugins, gboolean sealed, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (guint i = 0; i < plugins->len; i++) {
		const Plugin *plugin = g_ptr_array_index(plugins, i);

		gboolean started = sealed && (plugin->started || !plugin->source.start);
		if (sealed && !is_wanted(plugin))
			continue;
		for (guint n = 0; n < plugin->descriptor.n_needs; n++) {
			const struct ctprof_need need = plugin_need(plugin, n);

			if (need.kind == CTPROF_NEED_CAPABILITY && need.name &&
			    !(started && need.flags & CTPROF_NEED_UNTIL_STARTED))
				g_ptr_array_add(names, (gpointer)(uintptr_t)need.name);
		}
	}
	return capabilities_drop(names, delivery_is_attended(), error) && sandbox_confine(error);
}

gboolean session_open(Session *session, const char *const *needed, GError **error)
{
	settings_keep_files(session->settings, session->plugins);
	delivery_seal();
	if (!session_drop_capabilities(session->plugins, FALSE, error))
		return FALSE;
	for (guint i = 0; i < session->plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(session->plugins, i);
		const char *name = plugin_name(plugin);
		g_autoptr(GError) local = NULL;

		if (!plugin_is_live(plugin) || plugin_open(plugin, session->root, session->registry,
							   session->settings, &local))
			continue;
		if (select_names(session->select, name) ||
		    (needed && g_strv_contains(needed, name))) {
			g_propagate_error(error, g_steal_pointer(&local));
			return FALSE;
		}
		/* Metrics that it declared before it failed remain known, but unfilled. */
		ui_warning("%s", local->message);
	}
	return TRUE;
}

/* Calls each() for the trees that plugins read. */
static void each_root(const Session *session, void (*each)(int fd))
{
	static const guint32 roots[] = {CTPROF_ROOT_PROC, CTPROF_ROOT_SYS, CTPROF_ROOT_CGROUP};

	for (guint i = 0; session->root && i < G_N_ELEMENTS(roots); i++)
		each(root_fd(session->root, roots[i]));
}

static Select *parse_plugins(const Globals *globals, GError **error)
{
	Select *select = select_parse(globals->plugins, error);

	if (!select)
		g_prefix_error(error, "--plugins '%s': ", globals->plugins);
	return select;
}

/* Loads the plugins that -O names and --plugins selects, without opening them. */
static GPtrArray *load_set(Loader *loader, const Select *select, GHashTable *settings,
			   GError **error)
{
	g_autoptr(GString) names = g_string_new("-all");
	GHashTableIter iter;
	gpointer setting;

	g_hash_table_iter_init(&iter, settings);
	while (g_hash_table_iter_next(&iter, &setting, NULL)) {
		g_autofree char *name =
			g_strndup(setting, (gsize)(strchr(setting, '.') - (char *)setting));

		if (loader_has(loader, name) && select_has(select, name))
			g_string_append_printf(names, ",%s", name);
	}
	g_autoptr(Select) set = select_parse(names->str, error);
	return set ? loader_load(loader, set, NULL, error) : NULL;
}

gboolean session_check(const Globals *globals, GError **error)
{
	if (!globals->plugins && !globals->settings)
		return TRUE;
	g_autoptr(Select) select = parse_plugins(globals, error);
	g_autoptr(GHashTable) settings = select ? settings_parse(globals->settings, error) : NULL;
	g_autoptr(Loader) loader =
		settings ? loader_new((const char *const *)globals->plugin_path, error) : NULL;
	if (!loader || !loader_check(loader, select, error))
		return FALSE;
	g_autoptr(GPtrArray) plugins = load_set(loader, select, settings, error);
	return plugins && settings_check(settings, plugins, loader, error);
}

Session *session_load(const Globals *globals, const char *const *needed, GError **error)
{
	g_autoptr(Session) session = g_new0(Session, 1);

	session->select = parse_plugins(globals, error);
	if (!session->select)
		return NULL;
	session->settings = settings_parse(globals->settings, error);
	if (!session->settings)
		return NULL;
	session->root = root_open(globals->proc, globals->sys, globals->cgroup, error);
	each_root(session, trespass_hold);
	g_autoptr(Loader) loader =
		session->root ? loader_new((const char *const *)globals->plugin_path, error) : NULL;
	if (!loader)
		return NULL;
	session->registry = registry_new();
	session->plugins = loader_load(loader, session->select, needed, error);
	if (!session->plugins ||
	    !settings_check(session->settings, session->plugins, loader, error))
		return NULL;
	return g_steal_pointer(&session);
}

Session *session_new(const Globals *globals, const char *const *needed, GError **error)
{
	g_autoptr(Session) session = session_load(globals, needed, error);

	return session && session_open(session, needed, error) ? g_steal_pointer(&session) : NULL;
}

void session_free(Session *session)
{
	/* Close plugins before freeing what they use. */
	g_clear_pointer(&session->plugins, g_ptr_array_unref);
	g_clear_pointer(&session->registry, registry_free);
	g_clear_pointer(&session->settings, g_hash_table_unref);
	g_clear_pointer(&session->select, select_free);
	each_root(session, trespass_release);
	g_clear_pointer(&session->root, root_free);
	g_free(session);
}

guint64 session_failures(const Session *session)
{
	guint64 n = 0;

	for (guint i = 0; i < session->plugins->len; i++)
		n += ((const Plugin *)g_ptr_array_index(session->plugins, i))->failures;
	return n;
}

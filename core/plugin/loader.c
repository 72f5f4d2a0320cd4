/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loader.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/option.h"
#include "base/texts.h"
#include "base/ui.h"
#include "guard/capabilities.h"
#include "guard/crash.h"
#include "guard/supervise.h"
#include "trust.h"

#define ENTRY_SYMBOL "ctprof_plugin_entry_v1"
#define FILE_PREFIX "ctprof-"
#define FILE_SUFFIX ".so"

typedef const struct ctprof_plugin *(*entry_function)(void);

struct loader {
	GPtrArray *dirs;   /* searched, for messages */
	GHashTable *files; /* plugin name -> path */
};

static char *name_of_file(const char *file)
{
	gsize len = strlen(file);
	gsize affixes = strlen(FILE_PREFIX FILE_SUFFIX);

	if (len <= affixes || !g_str_has_prefix(file, FILE_PREFIX) ||
	    !g_str_has_suffix(file, FILE_SUFFIX))
		return NULL;
	return g_strndup(file + strlen(FILE_PREFIX), len - affixes);
}

static void add_file(Loader *loader, const char *dir, const char *file)
{
	g_autofree char *name = name_of_file(file);

	if (!name || g_hash_table_contains(loader->files, name))
		return;
	g_hash_table_insert(loader->files, g_steal_pointer(&name),
			    g_build_filename(dir, file, NULL));
}

static gboolean scan(Loader *loader, const char *path, gboolean given, GError **error)
{
	AS_USER;
	DIR *dir = opendir(path);
	const struct dirent *entry;

	/* The standard directories need not exist. */
	if (!dir && !given && (errno == ENOENT || errno == ENOTDIR))
		return TRUE;
	if (!dir)
		return error_set_errno(error, errno, "plugin path '%s'", path);
	g_ptr_array_add(loader->dirs, g_strdup(path));
	while ((entry = readdir(dir)))
		add_file(loader, path, entry->d_name);
	closedir(dir);
	return TRUE;
}

static gboolean scan_environment(Loader *loader, GError **error)
{
	const char *variable = g_getenv("CTPROF_PLUGIN_PATH");

	/* With raised privileges, do not run code that the caller's environment
	 * names. */
	if (!variable || getauxval(AT_SECURE))
		return TRUE;
	g_auto(GStrv) dirs = g_strsplit(variable, ":", -1);
	for (guint i = 0; dirs[i]; i++)
		if (dirs[i][0] && !scan(loader, dirs[i], TRUE, error))
			return FALSE;
	return TRUE;
}

static gboolean scan_own(Loader *loader, GError **error)
{
	g_autofree char *here = root_build_tree();

	return (!here || scan(loader, here, FALSE, error)) &&
	       scan(loader, CTPROF_PLUGINDIR, FALSE, error);
}

Loader *loader_new(const char *const *dirs, GError **error)
{
	g_autoptr(Loader) loader = g_new0(Loader, 1);

	loader->dirs = g_ptr_array_new_with_free_func(g_free);
	loader->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	for (guint i = 0; dirs && dirs[i]; i++)
		if (!scan(loader, dirs[i], TRUE, error))
			return NULL;
	if (!scan_environment(loader, error) || !scan_own(loader, error))
		return NULL;
	return g_steal_pointer(&loader);
}

void loader_free(Loader *loader)
{
	g_ptr_array_unref(loader->dirs);
	g_hash_table_unref(loader->files);
	g_free(loader);
}

#define bad(error, ...) error_set_failed(error, "not a usable plugin: " __VA_ARGS__)

/* A sink writes captures, draws reports or writes tables; it must have all ops of each group. */
static gboolean verify_sink(const struct ctprof_sink_ops *sink)
{
	gboolean writes = sink->begin && sink->rows && sink->end;
	gboolean tabulates = sink->table && sink->records && sink->finish;

	if (!writes && (sink->begin || sink->rows || sink->end))
		return FALSE;
	if (!tabulates && (sink->table || sink->records))
		return FALSE;
	return writes || tabulates || sink->report;
}

/* Verifies that the ops struct, as the plugin compiled it, has every required
 * op. */
static gboolean verify_ops(const struct ctprof_plugin *d, GError **error)
{
	struct ctprof_source_ops source = {0};
	struct ctprof_sink_ops sink = {0};
	guint32 size;

	if (!d->ops)
		return bad(error, "it has no ops");
	memcpy(&size, d->ops, sizeof size);
	if (size < sizeof size || size > 65536)
		return bad(error, "its ops have an impossible struct_size");
	if (d->kind == CTPROF_KIND_SOURCE) {
		memcpy(&source, d->ops, MIN(size, sizeof source));
		if (!source.open || !source.close || !source.collect)
			return bad(error, "a source needs the ops open, close and collect");
		return TRUE;
	}
	memcpy(&sink, d->ops, MIN(size, sizeof sink));
	if (!sink.open || !sink.close || !verify_sink(&sink))
		return bad(error, "a sink needs the ops open, close, and begin, rows and end, or "
				  "table, records and finish, or report");
	return TRUE;
}

static gboolean verify_options(const struct ctprof_plugin *d, GError **error)
{
	const Plugin plugin = {.descriptor = *d};

	if (d->n_options == 0)
		return TRUE;
	if (!d->options || d->options->struct_size < sizeof(guint32) ||
	    d->options->struct_size > 65536)
		return bad(error, "its options are missing");
	for (guint i = 0; i < d->n_options; i++) {
		const struct ctprof_option row = plugin_option(&plugin, i);
		const char *fault = option_find_fault(&row);

		if (fault)
			return bad(error, "option '%s': %s", row.name ? row.name : "(no name)",
				   fault);
	}
	return TRUE;
}

/* Copies the descriptor, filled up with zeros if the plugin's is shorter. */
static gboolean take_descriptor(const struct ctprof_plugin *given, const char *name,
				struct ctprof_plugin *ret, GError **error)
{
	struct ctprof_plugin d = {0};

	guint32 size = given->struct_size;
	if (size < offsetof(struct ctprof_plugin, ops) + sizeof given->ops || size > 65536)
		return bad(error, "its descriptor's struct_size is too short or impossible");
	memcpy(&d, given, MIN(size, sizeof d));
	if (d.abi_major != CTPROF_ABI_MAJOR)
		return bad(error, "it has ABI %u, this ctprof has ABI %u", d.abi_major,
			   CTPROF_ABI_MAJOR);
	if (d.kind != CTPROF_KIND_SOURCE && d.kind != CTPROF_KIND_SINK)
		return bad(error, "its kind is neither source nor sink");
	if (!option_is_name(d.name))
		return bad(error, "its name is not [a-z][a-z0-9-]{0,31}");
	if (name && strcmp(d.name, name) != 0)
		return bad(error, "its name is not the one in its file name");
	if (!d.version || !d.summary)
		return bad(error, "it has no version or no summary");
	if (d.n_needs > 0 && (!d.needs || d.needs->struct_size < sizeof(guint32)))
		return bad(error, "its needs are missing");
	if (!verify_options(&d, error) || !verify_ops(&d, error))
		return FALSE;
	*ret = d;
	return TRUE;
}

static GModule *open_module(const char *path, const char *name, GError **error)
{
	crash_enter(name ? name : path, "load");
	GModule *module = g_module_open(path, G_MODULE_BIND_LOCAL);
	crash_leave();
	if (!module)
		error_set_failed(error, "cannot be loaded: %s", g_module_error());
	return module;
}

static const struct ctprof_plugin *call_entry(GModule *module, const char *name, GError **error)
{
	gpointer symbol = NULL;
	entry_function entry;

	if (!g_module_symbol(module, ENTRY_SYMBOL, &symbol) || !symbol) {
		bad(error,
		    "it does not export " ENTRY_SYMBOL " (not a ctprof plugin, or of another ABI)");
		return NULL;
	}
	memcpy(&entry, &symbol, sizeof entry);
	crash_enter(name, "entry");
	const struct ctprof_plugin *given = entry();
	crash_leave();
	if (!given)
		bad(error, "its entry function returned NULL");
	return given;
}

Plugin *loader_load_file(const char *path, GError **error)
{
	g_autofree char *base = g_path_get_basename(path);
	g_autofree char *name = name_of_file(base);
	struct ctprof_plugin descriptor;

	/* Load the resolved path that was checked: a link in the given path could
	 * be swapped. */
	gpointer before = capabilities_become_user();
	g_autofree char *real = realpath(path, NULL);
	capabilities_resume(before);
	if (!real) {
		error_set_errno(error, errno, "plugin '%s'", path);
		return NULL;
	}
	if (trust_is_needed() && !trust_check_file(real, error)) {
		g_prefix_error(error, "plugin '%s': ", path);
		return NULL;
	}
	GModule *module = open_module(real, name, error);
	const struct ctprof_plugin *given =
		module ? call_entry(module, name ? name : base, error) : NULL;
	if (!given || !take_descriptor(given, name, &descriptor, error)) {
		g_prefix_error(error, "plugin '%s': ", path);
		if (module)
			g_module_close(module);
		return NULL;
	}
	return plugin_new(g_steal_pointer(&real), module, &descriptor);
}

gboolean loader_has(const Loader *loader, const char *name)
{
	return g_hash_table_contains(loader->files, name);
}

char *loader_nearest(const Loader *loader, const char *name)
{
	Nearest nearest = {.typed = name};
	GHashTableIter iter;
	gpointer known;

	g_hash_table_iter_init(&iter, loader->files);
	while (g_hash_table_iter_next(&iter, &known, NULL))
		nearest_try(&nearest, known);
	return nearest_hint(&nearest, "");
}

char *loader_package_hint(const char *name)
{
	return texts_list_has(CTPROF_PACKAGED_PLUGINS, name)
		       ? g_strconcat(CTPROF_PACKAGE_HINT, name, NULL)
		       : NULL;
}

static gboolean check_known(Loader *loader, const char *name, GError **error)
{
	if (loader_has(loader, name))
		return TRUE;
	g_autofree char *hint = loader_package_hint(name);
	if (hint)
		return error_set_usage(error, "%s: not installed (%s)", name, hint);
	/* The name of one of ctprof's own sources is not misspelt. */
	g_autofree char *near =
		texts_list_has(CTPROF_SOURCES, name) ? NULL : loader_nearest(loader, name);
	if (near && near[0])
		return error_set_usage(error, "there is no plugin '%s'%s (see 'ctprof plugins')",
				       name, near);
	g_ptr_array_add(loader->dirs, NULL);
	g_autofree char *dirs = g_strjoinv(", ", (char **)loader->dirs->pdata);
	g_ptr_array_remove_index(loader->dirs, loader->dirs->len - 1);
	return error_set_usage(error,
			       "%s: not installed: no " FILE_PREFIX "%s" FILE_SUFFIX
			       " in %s (see 'ctprof "
			       "plugins')",
			       name, name, dirs[0] ? dirs : "any plugin directory");
}

/* Excluding one of ctprof's own plugins by name is allowed on hosts without it: it may be
 * packaged separately, or have been left out of the build. */
static gboolean is_moot(const Select *select, const char *name)
{
	return !select_names(select, name) && (texts_list_has(CTPROF_PACKAGED_PLUGINS, name) ||
					       texts_list_has(CTPROF_SOURCES, name));
}

gboolean loader_check(Loader *loader, const Select *select, GError **error)
{
	const GPtrArray *names = select_mentioned(select);

	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		if (!is_moot(select, name) && !check_known(loader, name, error))
			return FALSE;
	}
	return TRUE;
}

static gint compare_plugins(gconstpointer a, gconstpointer b)
{
	const Plugin *x = *(const Plugin *const *)a;
	const Plugin *y = *(const Plugin *const *)b;

	if (x->descriptor.kind != y->descriptor.kind)
		return x->descriptor.kind < y->descriptor.kind ? -1 : 1;
	guint32 px = x->descriptor.preference - 1,
		py = y->descriptor.preference - 1; /* wraps: 0 comes last */
	return px != py ? (px < py ? -1 : 1) : strcmp(plugin_name(x), plugin_name(y));
}

/* A plugin that crashed in an earlier run is not loaded again. */
static Plugin *load_lost(const char *path, const char *name, const char *why, const Select *select,
			 gboolean must, GError **error)
{
	if (must) {
		error_set_failed(error, "plugin %s: %s%s", name, why,
				 select_names(select, name) ? "; leave it out of --plugins" : "");
		return NULL;
	}
	if (supervise_lost_news(name))
		ui_warning("plugin %s: left out: it %s", name, why);
	return plugin_new_lost(path, name, why);
}

GPtrArray *loader_load(Loader *loader, const Select *select, const char *const *needed,
		       GError **error)
{
	g_autoptr(GPtrArray) plugins = g_ptr_array_new_with_free_func((GDestroyNotify)plugin_free);
	GHashTableIter iter;
	gpointer name, path;

	if (!loader_check(loader, select, error))
		return NULL;
	for (guint i = 0; needed && needed[i]; i++)
		if (!check_known(loader, needed[i], error))
			return NULL;
	g_hash_table_iter_init(&iter, loader->files);
	while (g_hash_table_iter_next(&iter, &name, &path)) {
		g_autoptr(GError) local = NULL;
		gboolean must =
			select_names(select, name) || (needed && g_strv_contains(needed, name));

		/* A sink that is not requested would be loaded with its libraries for nothing. */
		gboolean is_idle = needed && texts_list_has(CTPROF_SINKS, name);

		if (!must && (is_idle || !select_has(select, name)))
			continue;
		const char *lost = supervise_lost(name);
		Plugin *plugin = lost ? load_lost(path, name, lost, select, must, &local)
				      : loader_load_file(path, &local);
		if (plugin) {
			g_ptr_array_add(plugins, plugin);
		} else if (must) {
			g_propagate_error(error, g_steal_pointer(&local));
			return NULL;
		} else {
			ui_warning("%s", local->message);
		}
	}
	g_ptr_array_sort(plugins, compare_plugins);
	return g_steal_pointer(&plugins);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds plugin files and loads them as verified Plugins. */
#pragma once

#include <glib.h>

#include "plugin.h"
#include "row/select.h"

typedef struct loader Loader;

/*
 * Searches, in this order: dirs (--plugin-path), CTPROF_PLUGIN_PATH, the build
 * tree when run from one, the installed directory.  The first file of a name
 * wins.  A directory the user named that cannot be read is an error.
 */
Loader *loader_new(const char *const *dirs, GError **error);
void loader_free(Loader *loader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Loader, loader_free)

/*
 * Loads every file that select selects, and always those in needed (NULL-terminated). Unless needed
 * is NULL, ctprof's own sinks are only loaded if one of the two names them.  A name in select or
 * needed without a file is an error. A file that cannot be loaded is an error if select names it or
 * it is needed, otherwise a warning.  Result: Plugin *, sources in order of preference, then by
 * name.
 */
GPtrArray *loader_load(Loader *loader, const Select *select, const char *const *needed,
		       GError **error);

/* Checks that there is a file for each name in select; otherwise the error names the
 * missing one. */
gboolean loader_check(Loader *loader, const Select *select, GError **error);
/* Whether there is a file of a plugin of that name. */
gboolean loader_has(const Loader *loader, const char *name);
/* Returns ": did you mean NAME?", or "" if no plugin has a similar name. */
char *loader_nearest(const Loader *loader, const char *name);

/* Returns how to install the package of that plugin, if this ctprof was built with
 * its name (meson -Dplugin-packages); otherwise NULL.  The caller frees it. */
char *loader_package_hint(const char *name);

/* Loads and verifies one file. */
Plugin *loader_load_file(const char *path, GError **error);

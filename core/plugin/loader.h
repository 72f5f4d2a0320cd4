/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds plugin files, and makes verified Plugins of them. */
#pragma once

#include <glib.h>

#include "plugin.h"
#include "row/select.h"

typedef struct loader Loader;

/*
 * Looks through, in this order: dirs (--plugin-path), CTPROF_PLUGIN_PATH, the
 * build tree when run from one, the installed directory.  The first file of a
 * name wins.  A directory given by hand that cannot be read is an error.
 */
Loader *loader_new(const char *const *dirs, GError **error);
void loader_free(Loader *loader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Loader, loader_free)

/*
 * Loads every file select has, and those needed (NULL-terminated) in any case.
 * A name in select or needed without a file is an error.  A file that cannot
 * be loaded is an error when select names it or it is needed, else a warning.
 * Result: Plugin *, sources in order of preference, then by name.
 */
GPtrArray *loader_load(Loader *loader, const Select *select, const char *const *needed,
		       GError **error);

/* Whether there is a file of a plugin of that name. */
gboolean loader_has(const Loader *loader, const char *name);
/* ": did you mean NAME?", or "" when no plugin's name is near. */
char *loader_nearest(const Loader *loader, const char *name);

/* How to install the package of that plugin, if the builder of this ctprof
 * named one (meson -Dplugin-packages); else NULL. */
char *loader_package_hint(const char *name);

/* Loads and verifies one file. */
Plugin *loader_load_file(const char *path, GError **error);

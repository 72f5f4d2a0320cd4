/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "categories-file.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/root.h"
#include "base/texts.h"
#include "guard/userfile.h"

#define SUFFIX ".json"
/* Below the executable in a build tree, as laid out by meson.build. */
#define BUILD_TREE_DIR "data/categories"

static char *own_dir(void)
{
	g_autofree char *here = root_build_tree();

	return here ? g_build_filename(here, BUILD_TREE_DIR, NULL)
		    : g_strdup(CTPROF_DATADIR "/categories");
}

/* Returns "chromeos, …", or "none". */
static char *list_own(const char *dir)
{
	g_autoptr(GDir) files = g_dir_open(dir, 0, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const char *file;

	while (files && (file = g_dir_read_name(files)))
		if (g_str_has_suffix(file, SUFFIX))
			g_ptr_array_add(names, g_strndup(file, strlen(file) - strlen(SUFFIX)));
	return names->len == 0 ? g_strdup("none") : texts_list_sorted(names);
}

/* Returns a descriptor; negative with an error. */
static int open_table(const char *name, GError **error)
{
	g_autofree char *dir = own_dir();
	g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
	g_autofree char *path = g_build_filename(dir, file, NULL);
	int table = strchr(name, '/') ? -ENOENT : userfile_open(path, 0);

	if (table < 0)
		table = userfile_open(name, 0);
	if (table >= 0)
		return table;
	if (table != -ENOENT) {
		error_set_errno(error, -table, "--categories '%s'", name);
		return table;
	}
	g_autofree char *own = list_own(dir);
	error_set_usage(
		error, "--categories '%s': there is no such file; tables that come with ctprof: %s",
		name, own);
	return table;
}

Categories *categories_load(const char *name, GError **error)
{
	AUTO_FD file = open_table(name, error);
	/* One byte more than allowed, to detect a longer file. */
	g_autofree char *text = g_malloc(CATEGORIES_MAX_BYTES + 1);

	if (file < 0)
		return NULL;
	gssize length = userfile_read(file, text, CATEGORIES_MAX_BYTES + 1);
	if (length < 0) {
		error_set_errno(error, (int)-length, "--categories '%s'", name);
		return NULL;
	}
	Categories *categories = categories_parse(text, (gsize)length, error);
	if (!categories)
		g_prefix_error(error, "--categories '%s': ", name);
	return categories;
}

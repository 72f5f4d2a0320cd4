/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "categories-file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/root.h"
#include "base/texts.h"

#define SUFFIX ".json"
/* Below the executable of a build tree, as meson.build puts it. */
#define BUILD_TREE_DIR "data/categories"

const struct ctprof_option_word categories_share_words[2] = {
	[SHARE_BY_OBJECT] = OPTION_WORD("by-object", NULL),
	[SHARE_BY_NAME] = OPTION_WORD("by-name", "objects of one name count as one"),
};

static char *own_dir(void)
{
	g_autofree char *here = root_build_tree();

	return here ? g_build_filename(here, BUILD_TREE_DIR, NULL)
		    : g_strdup(CTPROF_DATADIR "/categories");
}

/* "chromeos, …", or "none" */
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

static FILE *open_table(const char *name, GError **error)
{
	g_autofree char *dir = own_dir();
	g_autofree char *file = g_strconcat(name, SUFFIX, NULL);
	g_autofree char *path = g_build_filename(dir, file, NULL);
	FILE *table = strchr(name, '/') ? NULL : fopen(path, "re");

	if (!table)
		table = fopen(name, "re");
	if (table || errno != ENOENT) {
		if (!table)
			error_set_errno(error, errno, "--categories '%s'", name);
		return table;
	}
	g_autofree char *own = list_own(dir);
	error_set_usage(
		error, "--categories '%s': there is no such file; tables that come with ctprof: %s",
		name, own);
	return NULL;
}

static void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

Categories *categories_load(const char *name, GError **error)
{
	__attribute__((cleanup(close_file))) FILE *file = open_table(name, error);
	/* One more than is taken: a longer file shows. */
	g_autofree char *text = g_malloc(CATEGORIES_MAX_BYTES + 1);

	if (!file)
		return NULL;
	gsize length = fread(text, 1, CATEGORIES_MAX_BYTES + 1, file);
	if (ferror(file)) {
		error_set_errno(error, errno, "--categories '%s'", name);
		return NULL;
	}
	Categories *categories = categories_parse(text, length, error);
	if (!categories)
		g_prefix_error(error, "--categories '%s': ", name);
	return categories;
}

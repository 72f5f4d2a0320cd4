/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tree.h"

#include <ftw.h>
#include <glib/gstdio.h>
#include <sys/stat.h>

TestDir *test_dir_new(void)
{
	g_autoptr(GError) error = NULL;
	char *dir = g_dir_make_tmp("ctprof-test-XXXXXX", &error);

	g_assert_no_error(error);
	return dir;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st;
	(void)type;
	(void)walk;
	return g_remove(path);
}

void test_dir_free(TestDir *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	g_free(dir);
}

void test_dir_add(const TestDir *dir, const char *path, const char *text)
{
	g_autofree char *full = g_build_filename(dir, path, NULL);
	gboolean is_dir = g_str_has_suffix(path, "/");
	g_autofree char *parent = is_dir ? g_strdup(full) : g_path_get_dirname(full);

	g_assert_cmpint(g_mkdir_with_parents(parent, 0755), ==, 0);
	if (!is_dir)
		g_assert_true(g_file_set_contents(full, text, -1, NULL));
}

guint test_dir_count(const TestDir *dir)
{
	g_autoptr(GDir) open = g_dir_open(dir, 0, NULL);
	guint n = 0;

	g_assert_nonnull(open);
	while (g_dir_read_name(open))
		n++;
	return n;
}

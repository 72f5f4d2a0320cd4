/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/trust.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tree.h"

#define SOMEBODY 1234

/* DIR/way/file, seen through path below DIR; the weak spot is named. */
static const struct trust_case {
	const char *what;
	mode_t way, file;
	uid_t way_uid, file_uid;
	gid_t gid;               /* of both */
	const char *path, *weak; /* weak NULL: trusted */
} cases[] = {
	{"plain", 0755, 0644, 0, 0, 0, "way/file", NULL},
	{"closed", 0700, 0600, 0, 0, 0, "way/file", NULL},
	{"readable-by-a-group", 0750, 0640, 0, 0, SOMEBODY, "way/file", NULL},
	{"file-of-somebody", 0755, 0644, 0, SOMEBODY, 0, "way/file", "way/file"},
	{"way-of-somebody", 0755, 0644, SOMEBODY, 0, 0, "way/file", "way"},
	{"file-writable-by-all", 0755, 0666, 0, 0, 0, "way/file", "way/file"},
	{"file-writable-by-a-group", 0755, 0664, 0, 0, SOMEBODY, "way/file", "way/file"},
	{"file-writable-by-roots-group", 0755, 0664, 0, 0, 0, "way/file", NULL},
	{"way-writable-by-all", 0777, 0644, 0, 0, 0, "way/file", "way"},
	{"way-writable-by-a-group", 0775, 0644, 0, 0, SOMEBODY, "way/file", "way"},
	{"way-sticky", 01777, 0644, 0, 0, 0, "way/file", NULL},
	{"way-sticky-of-somebody", 01777, 0644, SOMEBODY, 0, 0, "way/file", "way"},
	{"sticky-file-writable-by-all", 0755, 01666, 0, 0, 0, "way/file", "way/file"},
	{"through-dots", 0755, 0644, 0, 0, 0, "way/../way/./file", NULL},
	{"link-to-sound", 0755, 0644, 0, 0, 0, "link", NULL},
	{"link-to-weak", 0755, 0666, 0, 0, 0, "link", "way/file"},
	{"link-into-weak-way", 0777, 0644, 0, 0, 0, "link", "way"},
	{"missing", 0755, 0644, 0, 0, 0, "way/missing", "way/missing"},
	{"dangling-link", 0755, 0644, 0, 0, 0, "dangling", "dangling"},
};

/* FALSE when the test cannot run, after saying why. */
static gboolean can_run(const char *dir)
{
	g_autoptr(GError) error = NULL;

	if (geteuid() != 0) {
		g_test_skip("giving files to somebody else takes root");
		return FALSE;
	}
	if (trust_check_file(dir, &error))
		return TRUE;
	g_test_skip_printf("the directory for temporary files is not to be trusted: %s",
			   error->message);
	return FALSE;
}

static void make(const char *dir, const struct trust_case *c)
{
	g_autofree char *way = g_build_filename(dir, "way", NULL);
	g_autofree char *file = g_build_filename(way, "file", NULL);
	g_autofree char *link = g_build_filename(dir, "link", NULL);
	g_autofree char *dangling = g_build_filename(dir, "dangling", NULL);

	test_dir_add(dir, "way/file", "");
	g_assert_cmpint(symlink("way/file", link), ==, 0);
	g_assert_cmpint(symlink("nowhere", dangling), ==, 0);
	g_assert_cmpint(chown(file, c->file_uid, c->gid), ==, 0);
	g_assert_cmpint(chown(way, c->way_uid, c->gid), ==, 0);
	/* Behind chown, which takes special bits away. */
	g_assert_cmpint(g_chmod(file, c->file), ==, 0);
	g_assert_cmpint(g_chmod(way, c->way), ==, 0);
}

static void test_file(gconstpointer data)
{
	const struct trust_case *c = data;
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, c->path, NULL);
	g_autoptr(GError) error = NULL;

	if (!can_run(dir))
		return;
	make(dir, c);
	gboolean trusted = trust_check_file(path, &error);
	if (!c->weak) {
		g_assert_no_error(error);
		g_assert_true(trusted);
		return;
	}
	g_autofree char *real = realpath(dir, NULL);
	g_autofree char *weak = g_strdup_printf("'%s/%s'", real, c->weak);
	g_assert_false(trusted);
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, weak));
}

static void test_needed_by_root(void)
{
	g_assert_cmpint(trust_is_needed(), ==, geteuid() == 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strconcat("/trust/", cases[i].what, NULL);

		g_test_add_data_func(path, &cases[i], test_file);
	}
	g_test_add_func("/trust/needed-by-root-only", test_needed_by_root);
	return g_test_run();
}

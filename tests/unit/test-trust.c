/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "plugin/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/posix_acl_xattr.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tree.h"

#define SOMEBODY 1234

/* DIR/way/file, reached through path below DIR; the message names the weak component. */
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

/* Returns FALSE, after printing why, if the test cannot run. */
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
	/* After chown, which clears special bits. */
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

/* ---- access control lists ---------------------------------------------------- */

#define ACL(tag, rights, id)                                                                       \
	{                                                                                          \
		GUINT16_TO_LE(tag), GUINT16_TO_LE(rights), GUINT32_TO_LE((guint32)(id))            \
	}
#define USER_OBJ 0x01
#define USER 0x02
#define GROUP_OBJ 0x04
#define GROUP 0x08
#define MASK 0x10
#define OTHER 0x20
#define N_ENTRIES 5

/* The entry and the mask of an access control list besides the entries of every file. */
static const struct acl_case {
	const char *what;
	guint16 tag, rights, mask;
	guint32 id;
	gboolean trusted;
} lists[] = {
	{"user-may-write", USER, 6, 6, SOMEBODY, FALSE},
	{"group-may-write", GROUP, 6, 6, SOMEBODY, FALSE},
	{"user-may-read", USER, 4, 4, SOMEBODY, TRUE},
	{"user-may-write-but-for-the-mask", USER, 6, 4, SOMEBODY, TRUE},
	{"root-may-write", USER, 6, 6, 0, TRUE},
};

static void test_acl(gconstpointer data)
{
	const struct acl_case *c = data;
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "file", NULL);
	g_autoptr(GError) error = NULL;
	const struct {
		struct posix_acl_xattr_header header;
		struct posix_acl_xattr_entry entries[N_ENTRIES];
	} acl = {{GUINT32_TO_LE(POSIX_ACL_XATTR_VERSION)},
		 {ACL(USER_OBJ, 6, -1), ACL(c->tag, c->rights, c->id), ACL(GROUP_OBJ, 4, -1),
		  ACL(MASK, c->mask, -1), ACL(OTHER, 4, -1)}};
	const struct {
		struct posix_acl_xattr_header header;
		struct posix_acl_xattr_entry entries[N_ENTRIES];
	} by_tag = {
		acl.header,
		{acl.entries[0], acl.entries[2], acl.entries[1], acl.entries[3], acl.entries[4]}};

	if (!can_run(dir))
		return;
	test_dir_add(dir, "file", "");
	if (setxattr(path, "system.posix_acl_access", c->tag == USER ? &acl : (const void *)&by_tag,
		     sizeof acl, 0) < 0) {
		g_test_skip_printf("no access control lists here: %s", g_strerror(errno));
		return;
	}
	g_assert_cmpint(trust_check_file(path, &error), ==, c->trusted);
	if (!c->trusted)
		g_assert_nonnull(strstr(error->message, "through an access control list"));
}

/* ---- in a child with namespaces of its own ------------------------------------ */

#define CANNOT 77

static void run_in_child(int (*run)(const char *path), uid_t owner)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "file", NULL);
	int status;

	if (!can_run(dir))
		return;
	test_dir_add(dir, "file", "");
	g_assert_cmpint(chown(path, owner, 0), ==, 0);
	pid_t child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0)
		_exit(run(path));
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		g_test_skip("such a namespace cannot be made here");
	else
		g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

/* Checks in a user namespace with that map; returns 0 if the file is refused. */
static int check_in_namespace(const char *path, const char *map)
{
	int go[2];
	pid_t outside = getpid();

	if (pipe(go) < 0 || geteuid() != 0)
		return CANNOT;
	/* The map is written from outside. */
	pid_t writer = fork();
	if (writer == 0) {
		g_autofree char *file = g_strdup_printf("/proc/%d/uid_map", (int)outside);
		char byte;
		int fd = read(go[0], &byte, 1) == 1 ? open(file, O_WRONLY) : -1;

		_exit(write(fd, map, strlen(map)) == (ssize_t)strlen(map) ? 0 : 1);
	}
	int status = unshare(CLONE_NEWUSER);
	if (write(go[1], "", 1) != 1 || waitpid(writer, &status, 0) != writer || status != 0)
		return CANNOT;
	return trust_check_file(path, NULL) ? 1 : 0;
}

static int check_mapped_nobody(const char *path)
{
	return check_in_namespace(path, "0 0 65536");
}

static int check_unmapped(const char *path)
{
	return check_in_namespace(path, "0 0 1");
}

static void test_mapped_nobody(void)
{
	run_in_child(check_mapped_nobody, 65534);
}

static void test_unmapped(void)
{
	run_in_child(check_unmapped, SOMEBODY);
}

/* A user's FUSE file system without a server; returns 0 if it is refused without a request. */
static int check_made_up(const char *path)
{
	g_autofree char *dir = g_path_get_dirname(path);
	g_autofree char *options = NULL;
	g_autoptr(GError) error = NULL;
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	options = g_strdup_printf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", fd, SOMEBODY,
				  SOMEBODY);
	if (fd < 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("somebody", dir, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
		return CANNOT;
	return !trust_check_file(dir, &error) && strstr(error->message, "FUSE") ? 0 : 1;
}

static void test_made_up(void)
{
	run_in_child(check_made_up, 0);
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
	for (guint i = 0; i < G_N_ELEMENTS(lists); i++) {
		g_autofree char *path = g_strconcat("/trust/acl/", lists[i].what, NULL);

		g_test_add_data_func(path, &lists[i], test_acl);
	}
	g_test_add_func("/trust/owner-is-a-mapped-nobody", test_mapped_nobody);
	g_test_add_func("/trust/owner-is-outside", test_unmapped);
	g_test_add_func("/trust/made-up", test_made_up);
	g_test_add_func("/trust/needed-by-root-only", test_needed_by_root);
	return g_test_run();
}

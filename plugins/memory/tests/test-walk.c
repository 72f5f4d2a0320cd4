/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the walk over real directories; on a tmpfs of its own if that can be mounted. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../../common/tests/harvest.h"
#include "../tmpfs.h"
#include "../walk.h"

/* Mounts in a mount namespace of our own, so that no mount is left; false: not allowed. */
static gboolean mount_on(const char *path, const char *type, const char *options)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return FALSE;
	return mount("ctprof", path, type, 0, options) == 0;
}

static gboolean mount_tmpfs(const char *path, const char *options)
{
	return mount_on(path, "tmpfs", options);
}

static void write_bytes(const char *root, const char *name, gsize size)
{
	g_autofree char *path = g_build_filename(root, name, NULL);
	g_autofree char *bytes = g_strnfill(size, 'x');

	g_assert_true(g_file_set_contents(path, bytes, (gssize)size, NULL));
}

static int open_path(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	g_assert_cmpint(fd, >=, 0);
	return fd;
}

struct sums {
	guint64 allocated, logical;
};

/* Returns "PATH kind depth[ linked]" of each entry below the root, and their sums. */
static char *walk_text(struct walk *walk, const char *root, struct sums *ret)
{
	GString *out = g_string_new(NULL);
	struct walk_entry entry, again;
	gsize skip = strlen(root);

	*ret = (struct sums){0};
	g_assert_cmpint(walk_begin(walk, open_path(root), (struct text){root, skip}), ==, 0);
	while (walk_at(walk, &entry)) {
		g_string_append_printf(out, "%.*s %s %u%s\n", (int)entry.path.len - (int)skip,
				       entry.path.p + skip, entry.kind, entry.depth,
				       entry.linked ? " linked" : "");
		ret->allocated += entry.allocated;
		ret->logical += entry.logical;
		/* The walk stays in place until it is advanced, as a batch may be full. */
		g_assert_true(walk_at(walk, &again));
		g_assert_true(entry.path.p == again.path.p && entry.path.len == again.path.len);
		g_assert_true(entry.linked == again.linked);
		walk_advance(walk);
	}
	return g_string_free(out, FALSE);
}

static void make_files(const char *root)
{
	g_autofree char *sub = g_build_filename(root, "sub", NULL);
	g_autofree char *a = g_build_filename(root, "a", NULL);
	g_autofree char *b = g_build_filename(root, "sub", "b", NULL);
	g_autofree char *link_path = g_build_filename(root, "link", NULL);
	g_autofree char *fifo = g_build_filename(root, "fifo", NULL);
	g_autofree char *sparse = g_build_filename(root, "sparse", NULL);

	write_bytes(root, "a", 3 << 20);
	write_bytes(root, "sparse", 0);
	g_assert_cmpint(truncate(sparse, 10 << 20), ==, 0);
	g_assert_cmpint(g_mkdir(sub, 0700), ==, 0);
	g_assert_cmpint(link(a, b), ==, 0);
	g_assert_cmpint(symlink("a", link_path), ==, 0);
	g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
}

/* Vector 39.  Entries are in byte order; a second name of a file counts no bytes. */
static void test_walk(void)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree struct walk *walk = g_new0(struct walk, 1);
	gboolean mounted = mount_tmpfs(tree, "size=16m");
	struct sums sums;

	make_files(tree);
	walk_init(walk);
	g_autofree char *entries = walk_text(walk, tree, &sums);
	g_assert_cmpstr(entries, ==,
			" mount 0\n/a file 1\n/fifo fifo 1\n/link link 1\n/sparse file 1\n"
			"/sub dir 1\n/sub/b file 2 linked\n");
	g_assert_cmpuint(sums.allocated, >=, 3 << 20);
	g_assert_cmpuint(sums.logical, >=, 13 << 20);
	g_assert_cmpuint(walk->unreadable, ==, 0);
	g_assert_false(walk->truncated);
	if (mounted) {
		/* The directories have 140 and 60 bytes, and the symbolic link 1 byte. */
		g_assert_cmpuint(sums.allocated, ==, 3145728);
		g_assert_cmpuint(sums.logical, ==, 13631689);
	}
	/* A second walk does not know the links of the first. */
	g_autofree char *again = walk_text(walk, tree, &sums);
	g_assert_cmpstr(again, ==, entries);
	walk_clear(walk);
	if (mounted)
		g_assert_cmpint(umount2(tree, MNT_DETACH), ==, 0);
}

/* Other file systems are left out, even where they hide a directory. */
static void test_same_device(void)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *below = g_build_filename(tree, "below", NULL);
	g_autofree struct walk *walk = g_new0(struct walk, 1);
	struct sums sums;

	g_assert_cmpint(g_mkdir(below, 0700), ==, 0);
	if (!mount_tmpfs(below, NULL)) {
		g_test_skip("mounting a tmpfs is not allowed");
		return;
	}
	write_bytes(below, "hidden", 1);
	write_bytes(tree, "seen", 1);
	walk_init(walk);
	g_autofree char *entries = walk_text(walk, tree, &sums);
	g_assert_cmpstr(entries, ==, " mount 0\n/seen file 1\n");
	walk_clear(walk);
	g_assert_cmpint(umount2(below, MNT_DETACH), ==, 0);
}

/* File systems whose server may not answer are neither queried nor waited for: a program of any
 * user may serve a mount on a directory. */
static void test_silent_server(void)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *below = g_build_filename(tree, "below", NULL);
	g_autofree struct walk *walk = g_new0(struct walk, 1);
	struct sums sums;
	int server = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	g_assert_cmpint(g_mkdir(below, 0700), ==, 0);
	write_bytes(tree, "seen", 1);
	/* First closed to all except the owner, who is not this user; then open to all. */
	for (guint open_to_all = 0; open_to_all < 2; open_to_all++) {
		g_autofree char *options =
			g_strdup_printf("fd=%d,rootmode=40000,user_id=12345,group_id=12345%s",
					server, open_to_all ? ",allow_other" : "");

		if (server < 0 || !mount_on(below, "fuse", options)) {
			g_test_skip("mounting FUSE is not allowed");
			break;
		}
		walk_init(walk);
		g_autofree char *entries = walk_text(walk, tree, &sums);
		g_assert_cmpstr(entries, ==, " mount 0\n/seen file 1\n");
		g_assert_cmpuint(walk->unreadable, ==, 0);
		walk_clear(walk);
		g_assert_cmpint(umount2(below, MNT_DETACH), ==, 0);
		close(server);
		server = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	}
	if (server >= 0)
		close(server);
}

/* A file that is recreated meanwhile may be listed twice. */
static void test_names_once(void)
{
	g_auto(GStrv) split = g_strsplit("b a b \xff a b", " ", -1);
	char *names[] = {split[0], split[1], split[2], split[3], split[4], split[5]};

	g_assert_cmpuint(walk_sort_names(names, G_N_ELEMENTS(names)), ==, 3);
	g_assert_cmpstr(names[0], ==, "a");
	g_assert_cmpstr(names[1], ==, "b");
	g_assert_cmpstr(names[2], ==, "\xff");
	g_assert_cmpuint(walk_sort_names(names, 0), ==, 0);
}

static void test_unreadable(void)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *closed = g_build_filename(tree, "closed", NULL);
	g_autofree struct walk *walk = g_new0(struct walk, 1);
	struct sums sums;

	if (geteuid() == 0) {
		g_test_skip("root reads every directory");
		return;
	}
	g_assert_cmpint(g_mkdir(closed, 0), ==, 0);
	write_bytes(tree, "d", 1);
	walk_init(walk);
	g_autofree char *entries = walk_text(walk, tree, &sums);
	g_assert_cmpstr(entries, ==, " mount 0\n/closed dir 1\n/d file 1\n");
	g_assert_cmpuint(walk->unreadable, ==, 1);
	walk_clear(walk);
}

/* Entries that are too deep, or too many, are counted and left out. */
static void test_bounds(void)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree struct walk *walk = g_new0(struct walk, 1);
	g_autoptr(GString) path = g_string_new(tree);
	struct sums sums;

	for (guint i = 0; i < WALK_DEPTH_MAX + 5; i++) {
		g_string_append(path, "/d");
		g_assert_cmpint(g_mkdir(path->str, 0700), ==, 0);
	}
	walk_init(walk);
	g_autofree char *entries = walk_text(walk, tree, &sums);
	/* The directory at the limit is reported, but not entered. */
	g_autofree char *last = g_strdup_printf("/d dir %u\n", WALK_DEPTH_MAX);
	g_assert_true(g_str_has_suffix(entries, last));
	g_assert_cmpuint(walk->unreadable, ==, 1);
	walk_clear(walk);

	walk_init(walk);
	walk->left = 3;
	g_autofree char *three = walk_text(walk, tree, &sums);
	g_assert_cmpstr(three, ==, " mount 0\n/d dir 1\n/d/d dir 2\n/d/d/d dir 3\n");
	g_assert_true(walk->truncated);
	walk_clear(walk);
}

/* A walk that is not continued keeps nothing open. */
static void test_clear_midway(void)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree struct walk *walk = g_new0(struct walk, 1);
	struct walk_entry entry;
	int before = open_path(tree);

	make_files(tree);
	walk_init(walk);
	g_assert_cmpint(walk_begin(walk, open_path(tree), (struct text){tree, strlen(tree)}), ==,
			0);
	for (guint i = 0; i < 6; i++) {
		g_assert_true(walk_at(walk, &entry));
		walk_advance(walk);
	}
	walk_clear(walk);
	close(before);
	int after = open_path(tree);
	g_assert_cmpint(after, ==, before);
	close(after);
}

/* Files that are deleted but still open count for the file system, not for the walk. */
static void test_measure(void)
{
	g_autoptr(Tree) tree = tree_new();
	g_autofree char *path = g_build_filename(tree, "a", NULL);
	struct tmpfs_usage usage;
	struct stat status;

	if (!mount_tmpfs(tree, "size=16m,nr_inodes=100")) {
		g_test_skip("mounting a tmpfs is not allowed");
		return;
	}
	g_assert_cmpint(stat(tree, &status), ==, 0);
	struct mount mount = {
		.major = major(status.st_dev),
		.minor = minor(status.st_dev),
		.kind = MOUNT_TMPFS,
		.point = {tree, strlen(tree)},
		.limit = {.bytes = 5},
	};
	write_bytes(tree, "a", 3 << 20);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	g_assert_cmpint(unlink(path), ==, 0);
	tmpfs_measure(&mount, true, &usage);
	g_assert_cmpuint(usage.used.absent, ==, 0);
	g_assert_cmpuint(usage.used.bytes, ==, 3 << 20);
	g_assert_cmpuint(usage.limit.bytes, ==, 16 << 20);
	g_assert_cmpuint(usage.files.bytes, ==, 2);
	close(fd);

	/* In a recorded tree: only the data in mountinfo. */
	tmpfs_measure(&mount, false, &usage);
	g_assert_cmpuint(usage.used.absent, ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(usage.limit.bytes, ==, 5);

	/* Something else is mounted there. */
	mount.minor++;
	tmpfs_measure(&mount, true, &usage);
	g_assert_cmpuint(usage.used.absent, ==, CTPROF_ABSENT_VANISHED);
	mount.minor--;

	/* Without a limit the kernel does not report the usage. */
	if (mount_tmpfs(tree, "size=0,nr_inodes=0")) {
		g_assert_cmpint(stat(tree, &status), ==, 0);
		mount.minor = minor(status.st_dev);
		tmpfs_measure(&mount, true, &usage);
		g_assert_cmpuint(usage.used.absent, ==, CTPROF_ABSENT_UNSUPPORTED);
		g_assert_cmpuint(usage.limit.bytes, ==, G_MAXUINT64);
		g_assert_cmpuint(usage.files.absent, ==, CTPROF_ABSENT_UNSUPPORTED);
		g_assert_cmpint(umount2(tree, MNT_DETACH), ==, 0);
	}
	g_assert_cmpint(umount2(tree, MNT_DETACH), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/memory/walk", test_walk);
	g_test_add_func("/memory/walk/same-device", test_same_device);
	g_test_add_func("/memory/walk/silent-server", test_silent_server);
	g_test_add_func("/memory/walk/names-once", test_names_once);
	g_test_add_func("/memory/walk/unreadable", test_unreadable);
	g_test_add_func("/memory/walk/bounds", test_bounds);
	g_test_add_func("/memory/walk/clear", test_clear_midway);
	g_test_add_func("/memory/tmpfs/measure", test_measure);
	return g_test_run();
}

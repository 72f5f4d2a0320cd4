/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "guard/output.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tree.h"

/* The offset of the low half of the third argument in the filter's data. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define FLAGS_OF_OPENAT offsetof(struct seccomp_data, args[2])
#else
#define FLAGS_OF_OPENAT (offsetof(struct seccomp_data, args[2]) + 4)
#endif

static char *read_all(const char *path)
{
	char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

static Output *open_sound(const char *path)
{
	g_autoptr(GError) error = NULL;
	Output *output = output_open(path, TRUE, &error);

	g_assert_no_error(error);
	return output;
}

static void test_commit(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "out", NULL);
	g_autoptr(Output) output = open_sound(path);
	GStatBuf st;

	g_assert_cmpint(output_write(output, "one ", 4), ==, 0);
	g_assert_cmpint(output_write(output, "two", 3), ==, 0);
	g_assert_cmpuint(output_bytes(output), ==, 7);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	g_assert_true(output_commit(output, NULL));
	g_autofree char *text = read_all(path);
	g_assert_cmpstr(text, ==, "one two");
	g_assert_cmpuint(test_dir_count(dir), ==, 1);
	g_assert_cmpint(g_stat(path, &st), ==, 0);
	/* The snapshot has data about every user's processes. */
	g_assert_cmpuint(st.st_mode & 0077, ==, 0);
}

static void test_publish(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "out", NULL);
	g_autoptr(Output) output = open_sound(path);
	GStatBuf st;

	output_publish(output);
	g_assert_true(output_commit(output, NULL));
	g_assert_cmpint(g_stat(path, &st), ==, 0);
	g_assert_cmpuint(st.st_mode & 07777, ==, 0644);
}

static void test_replaces(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "out", NULL);

	test_dir_add(dir, "out", "old");
	g_autoptr(Output) output = open_sound(path);
	g_assert_cmpint(output_write(output, "new", 3), ==, 0);
	g_autofree char *before = read_all(path);
	g_assert_cmpstr(before, ==, "old");
	g_assert_true(output_commit(output, NULL));
	g_autofree char *after = read_all(path);
	g_assert_cmpstr(after, ==, "new");
	g_assert_cmpuint(test_dir_count(dir), ==, 1);
}

static void test_discards(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "out", NULL);
	Output *output = open_sound(path);

	g_assert_cmpint(output_write(output, "half", 4), ==, 0);
	/* There is no file that SIGKILL could leave. */
	g_assert_cmpuint(test_dir_count(dir), ==, 0);
	output_free(output);
	g_assert_cmpuint(test_dir_count(dir), ==, 0);
}

/* The file goes to the directory that was opened, even if its name now means another. */
static void test_held_directory(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *first = g_build_filename(dir, "first", NULL);
	g_autofree char *second = g_build_filename(dir, "second", NULL);
	g_autofree char *path = g_build_filename(first, "out", NULL);
	g_autofree char *moved = g_build_filename(second, "out", NULL);

	test_dir_add(dir, "first/", NULL);
	test_dir_add(dir, "elsewhere/", NULL);
	g_autoptr(Output) output = open_sound(path);
	g_assert_cmpint(g_rename(first, second), ==, 0);
	g_assert_cmpint(symlink("elsewhere", first), ==, 0);
	g_assert_cmpint(output_write(output, "text", 4), ==, 0);
	g_assert_true(output_commit(output, NULL));
	g_autofree char *text = read_all(moved);
	g_assert_cmpstr(text, ==, "text");
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

/* A link created meanwhile is replaced, not followed. */
static void test_link_comes_meanwhile(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "out", NULL);
	g_autofree char *victim = g_build_filename(dir, "victim", NULL);

	test_dir_add(dir, "victim", "keep");
	g_autoptr(Output) output = open_sound(path);
	g_assert_cmpint(symlink("victim", path), ==, 0);
	g_assert_cmpint(output_write(output, "new", 3), ==, 0);
	g_assert_true(output_commit(output, NULL));
	g_autofree char *kept = read_all(victim);
	g_assert_cmpstr(kept, ==, "keep");
	g_assert_false(g_file_test(path, G_FILE_TEST_IS_SYMLINK));
	g_assert_cmpuint(test_dir_count(dir), ==, 2);
}

/* Behaves like a file system without unnamed files: NFS, FUSE, vfat. */
static gboolean forbid_unnamed_files(void)
{
	/* openat(dirfd, path, flags, …) with the bit that only O_TMPFILE has. */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FLAGS_OF_OPENAT),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {G_N_ELEMENTS(code), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Runs in a child; returns the number of the failed step, or 0. */
static int write_named_files(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "out", NULL);

	if (!forbid_unnamed_files())
		return 77;
	Output *output = output_open(path, TRUE, NULL);
	if (!output || test_dir_count(dir) != 1 || g_file_test(path, G_FILE_TEST_EXISTS))
		return 1;
	output_free(output);
	if (test_dir_count(dir) != 0)
		return 2;
	output = output_open(path, TRUE, NULL);
	if (!output || output_write(output, "text", 4) != 0 || !output_commit(output, NULL))
		return 3;
	output_free(output);
	return test_dir_count(dir) == 1 && g_file_test(path, G_FILE_TEST_IS_REGULAR) ? 0 : 4;
}

static void run_in_child(int (*run)(const char *dir), const char *no_place)
{
	g_autoptr(TestDir) dir = test_dir_new();
	int status;

	pid_t child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0)
		_exit(run(dir));
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		g_test_skip(no_place);
	else
		g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

static void test_named_files(void)
{
	run_in_child(write_named_files, "system calls cannot be filtered here");
}

/* A name of the maximum length leaves no room for a suffix. */
static void test_long_name(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *name = g_strnfill(255, 'n');
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autoptr(Output) output = open_sound(path);

	g_assert_true(output_commit(output, NULL));
	g_assert_true(g_file_test(path, G_FILE_TEST_IS_REGULAR));
}

/* The contents of the test's directory, and the output that is then refused. */
static const struct refusal_case {
	const char *what, *add, *link_to, *path;
	int code; /* GIOErrorEnum; 0: any */
} refusals[] = {
	{"directory", "d/", NULL, "d", G_IO_ERROR_IS_DIRECTORY},
	{"directory-with-slash", "d/", NULL, "d/", G_IO_ERROR_IS_DIRECTORY},
	{"missing-directory", NULL, NULL, "missing/out", G_IO_ERROR_NOT_FOUND},
	{"slash-behind-nothing", NULL, NULL, "out/", 0},
	{"file-as-directory", "f", NULL, "f/out", G_IO_ERROR_NOT_DIRECTORY},
	{"link-to-a-file", "f", "f", "link", G_IO_ERROR_TOO_MANY_LINKS},
	{"link-to-nothing", NULL, "nowhere", "link", G_IO_ERROR_TOO_MANY_LINKS},
	{"link-to-itself", NULL, "link", "link", G_IO_ERROR_TOO_MANY_LINKS},
	{"link-to-a-directory", "d/", "d", "link", G_IO_ERROR_IS_DIRECTORY},
};

static void test_refuses(gconstpointer data)
{
	const struct refusal_case *c = data;
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_strconcat(dir, "/", c->path, NULL);
	g_autofree char *link = g_build_filename(dir, "link", NULL);
	g_autoptr(GError) error = NULL;

	if (c->add)
		test_dir_add(dir, c->add, "keep");
	if (c->link_to)
		g_assert_cmpint(symlink(c->link_to, link), ==, 0);
	guint before = test_dir_count(dir);
	g_assert_null(output_open(path, TRUE, &error));
	g_assert_nonnull(strstr(error->message, path));
	if (c->code && c->code != G_IO_ERROR_TOO_MANY_LINKS)
		g_assert_error(error, G_IO_ERROR, c->code);
	if (c->code == G_IO_ERROR_TOO_MANY_LINKS)
		g_assert_nonnull(strstr(error->message, "symbolic link"));
	g_assert_cmpuint(test_dir_count(dir), ==, before);
}

static void test_empty_path(void)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(output_open("", TRUE, &error));
	g_assert_nonnull(error);
}

/* A device is written in place: neither replaced nor removed. */
static void test_device(void)
{
	g_autoptr(Output) output = open_sound("/dev/null");

	g_assert_cmpint(output_write(output, "gone", 4), ==, 0);
	g_assert_true(output_commit(output, NULL));
	g_assert_false(g_file_test("/dev/null", G_FILE_TEST_IS_REGULAR));
	g_assert_true(g_file_test("/dev/null", G_FILE_TEST_EXISTS));
}

static void test_pipe(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "fifo", NULL);
	char got[8] = "";

	g_assert_cmpint(mkfifo(path, 0600), ==, 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	g_assert_cmpint(reader, >=, 0);
	Output *output = open_sound(path);
	g_assert_cmpint(output_write(output, "bytes", 5), ==, 0);
	g_assert_true(output_commit(output, NULL));
	output_free(output);
	g_assert_cmpint(read(reader, got, sizeof got), ==, 5);
	g_assert_cmpstr(got, ==, "bytes");
	close(reader);
	g_assert_cmpuint(test_dir_count(dir), ==, 1);
}

/* The first failure is reported, and nothing is written after it. */
static void test_full_device(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Output) output = open_sound("/dev/full");

	g_assert_false(output_failed(output, NULL));
	g_assert_cmpint(output_write(output, "x", 1), ==, -ENOSPC);
	g_assert_cmpint(output_write(output, "x", 1), ==, -ENOSPC);
	g_assert_cmpuint(output_bytes(output), ==, 0);
	g_assert_true(output_failed(output, NULL));
	g_assert_false(output_commit(output, &error));
	g_assert_error(error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
	g_assert_nonnull(strstr(error->message, "/dev/full"));
}

/* Runs in a child with its own mounts; returns the number of the failed step, or 0. */
static int fill_small_disk(const char *dir)
{
	static const char block[8192];
	g_autofree char *path = g_build_filename(dir, "out", NULL);
	int result = 0;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=64k") < 0)
		return 77;
	Output *output = output_open(path, TRUE, NULL);
	if (!output)
		return 1;
	for (guint i = 0; i < 64 && result == 0; i++)
		result = output_write(output, block, sizeof block);
	if (result != -ENOSPC)
		return 2;
	if (output_commit(output, NULL))
		return 3;
	output_free(output);
	return test_dir_count(dir) == 0 ? 0 : 4;
}

static void test_full_disk(void)
{
	if (geteuid() == 0)
		run_in_child(fill_small_disk, "no mount namespace can be made here");
	else
		g_test_skip("mounting a small disk takes root");
}

/* ---- files made by others --------------------------------------------------- */

#define ROOT 0
#define SOMEBODY 1234

/* The owners of the directory and of the pipe, or link to /dev/null, in it. */
static const struct foreign_case {
	const char *what;
	mode_t mode;
	uid_t dir, entry;
	gboolean is_link, refused;
} foreign[] = {
	{"pipe-of-somebody-among-all", 01777, ROOT, SOMEBODY, FALSE, TRUE},
	{"link-of-somebody-among-all", 01777, ROOT, SOMEBODY, TRUE, TRUE},
	{"pipe-of-somebody-in-his-own", 0755, SOMEBODY, SOMEBODY, FALSE, TRUE},
	{"link-of-somebody-in-his-own", 0755, SOMEBODY, SOMEBODY, TRUE, TRUE},
	{"link-of-root-where-all-can-swap-it", 0777, ROOT, ROOT, TRUE, TRUE},
	{"link-of-root-where-somebody-can-swap-it", 01777, SOMEBODY, ROOT, TRUE, TRUE},
	{"pipe-of-root-where-somebody-can-swap-it", 0755, SOMEBODY, ROOT, FALSE, FALSE},
	{"pipe-of-root-among-all", 01777, ROOT, ROOT, FALSE, FALSE},
	{"link-of-root-among-all", 01777, ROOT, ROOT, TRUE, FALSE},
	{"pipe-of-a-service", 0755, ROOT, SOMEBODY, FALSE, FALSE},
	{"link-of-root", 0755, ROOT, ROOT, TRUE, FALSE},
};

static void test_foreign(gconstpointer data)
{
	const struct foreign_case *c = data;
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *path = g_build_filename(dir, "out", NULL);
	g_autoptr(GError) error = NULL;
	int reader = -1;

	if (geteuid() != 0) {
		g_test_skip("only root can give files away");
		return;
	}
	if (c->is_link)
		g_assert_cmpint(symlink("/dev/null", path), ==, 0);
	else
		g_assert_cmpint(mkfifo(path, 0666), ==, 0);
	if (!c->is_link)
		reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	g_assert_cmpint(lchown(path, c->entry, c->entry), ==, 0);
	g_assert_cmpint(chmod(dir, c->mode), ==, 0);
	g_assert_cmpint(chown(dir, c->dir, c->dir), ==, 0);
	g_autoptr(Output) output = output_open(path, TRUE, &error);
	g_assert_cmpint(output == NULL, ==, c->refused);
	if (c->refused)
		g_assert_nonnull(strstr(error->message, "another user may have put it there"));
	if (reader >= 0)
		close(reader);
}

struct swap {
	char *pipe, *link;
	gboolean done; /* atomic */
};

static gpointer swap_for_ever(gpointer data)
{
	struct swap *swap = data;

	while (!__atomic_load_n(&swap->done, __ATOMIC_RELAXED))
		syscall(SYS_renameat2, AT_FDCWD, swap->pipe, AT_FDCWD, swap->link, RENAME_EXCHANGE);
	return NULL;
}

/* A pipe is replaced by a link to a file between two checks. */
static void test_swapped(void)
{
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *pipe = g_build_filename(dir, "pipe", NULL);
	g_autofree char *link = g_build_filename(dir, "link", NULL);
	g_autofree char *victim = g_build_filename(dir, "victim", NULL);
	struct swap swap = {pipe, link, FALSE};

	test_dir_add(dir, "victim", "keep");
	g_assert_cmpint(mkfifo(pipe, 0666), ==, 0);
	int reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	g_assert_cmpint(symlink("victim", link), ==, 0);
	GThread *thread = g_thread_new("swap", swap_for_ever, &swap);
	for (guint i = 0; i < 20000; i++) {
		Output *output = output_open(pipe, TRUE, NULL);

		if (output) {
			output_write(output, "x", 1);
			output_free(output);
		}
	}
	__atomic_store_n(&swap.done, TRUE, __ATOMIC_RELAXED);
	g_thread_join(thread);
	g_autofree char *kept = read_all(victim);
	g_assert_cmpstr(kept, ==, "keep");
	close(reader);
}

/* Only regular files are rotated: anything else is neither opened nor moved. */
static void test_rotates_files_only(void)
{
	static const char *const names[] = {"fifo", "link", "to-fifo", "directory"};
	static const OutputLimits limits = {.keep = 2, .max_size = 1};
	g_autoptr(TestDir) dir = test_dir_new();
	g_autofree char *fifo = g_build_filename(dir, "fifo", NULL);
	g_autofree char *link = g_build_filename(dir, "link", NULL);
	g_autofree char *to_fifo = g_build_filename(dir, "to-fifo", NULL);
	g_autofree char *file = g_build_filename(dir, "file", NULL);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char events[4096];

	test_dir_add(dir, "file", "keep");
	test_dir_add(dir, "directory/", "");
	g_assert_cmpint(mkfifo(fifo, 0666), ==, 0);
	g_assert_cmpint(symlink("file", link), ==, 0);
	g_assert_cmpint(symlink("fifo", to_fifo), ==, 0);
	g_assert_cmpint(inotify_add_watch(watch, fifo, IN_OPEN), >=, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(dir, names[i], NULL);
		g_autoptr(GError) error = NULL;

		g_assert_false(output_rotate(path, &limits, &error));
		g_assert_nonnull(strstr(error->message, "not a regular file"));
	}
	g_assert_cmpint(read(watch, events, sizeof events), ==, -1);
	close(watch);
	g_assert_cmpuint(test_dir_count(dir), ==, 5);
	g_assert_true(output_rotate(file, &limits, NULL));
	g_assert_false(g_file_test(file, G_FILE_TEST_EXISTS));
}

/* Rotates a file of that age, as a start does; returns the number of files kept in all. */
static guint rotate_again(const char *folder, const OutputLimits *limits, gint64 age_s)
{
	g_autofree char *file = g_build_filename(folder, "file", NULL);
	const struct timespec times[] = {{.tv_sec = time(NULL) - age_s},
					 {.tv_sec = time(NULL) - age_s}};
	guint n = 1;

	test_dir_add(folder, "file", "1234");
	g_assert_cmpint(utimensat(AT_FDCWD, file, times, 0), ==, 0);
	g_assert_true(output_rotate(file, limits, NULL));
	for (;; n++) {
		g_autofree char *each = g_strdup_printf("%s.%u", file, n);

		if (!g_file_test(each, G_FILE_TEST_EXISTS))
			return n - 1;
	}
}

/* A start removes nothing; only the limits of size and age do. */
static void test_rotated_are_kept(void)
{
	static const guint64 ns_per_s = G_GUINT64_CONSTANT(1000000000);
	const OutputLimits small = {.keep = 2, .max_size = 10};
	const OutputLimits full = {.keep = 2, .max_size = 4};
	const OutputLimits aged = {.keep = 2, .max_age_ns = 1000 * ns_per_s};
	g_autoptr(TestDir) dir = test_dir_new();
	g_autoptr(TestDir) other = test_dir_new();

	for (guint i = 1; i <= 5; i++)
		g_assert_cmpuint(rotate_again(dir, &small, 0), ==, i);
	g_assert_cmpuint(rotate_again(dir, &small, 0), ==, 5);
	g_assert_cmpuint(rotate_again(dir, &full, 0), ==, 2);
	g_assert_cmpuint(rotate_again(other, &aged, 3000), ==, 1);
	g_assert_cmpuint(rotate_again(other, &aged, 1500), ==, 1);
	g_assert_cmpuint(rotate_again(other, &aged, 500), ==, 2);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/output/appears-whole", test_commit);
	g_test_add_func("/output/for-everybody", test_publish);
	g_test_add_func("/output/replaces-only-when-done", test_replaces);
	g_test_add_func("/output/leaves-nothing-when-discarded", test_discards);
	g_test_add_func("/output/longest-name", test_long_name);
	g_test_add_func("/output/directory-is-held", test_held_directory);
	g_test_add_func("/output/link-comes-meanwhile", test_link_comes_meanwhile);
	g_test_add_func("/output/without-unnamed-files", test_named_files);
	g_test_add_func("/output/pipe-is-swapped-for-a-link", test_swapped);
	g_test_add_func("/output/rotates-files-only", test_rotates_files_only);
	g_test_add_func("/output/rotated-are-kept", test_rotated_are_kept);
	for (guint i = 0; i < G_N_ELEMENTS(foreign); i++) {
		g_autofree char *path = g_strconcat("/output/foreign/", foreign[i].what, NULL);

		g_test_add_data_func(path, &foreign[i], test_foreign);
	}
	for (guint i = 0; i < G_N_ELEMENTS(refusals); i++) {
		g_autofree char *path = g_strconcat("/output/refuses/", refusals[i].what, NULL);

		g_test_add_data_func(path, &refusals[i], test_refuses);
	}
	g_test_add_func("/output/refuses/empty-path", test_empty_path);
	g_test_add_func("/output/device-in-place", test_device);
	g_test_add_func("/output/pipe-in-place", test_pipe);
	g_test_add_func("/output/full-device", test_full_device);
	g_test_add_func("/output/full-disk-leaves-nothing", test_full_disk);
	return g_test_run();
}

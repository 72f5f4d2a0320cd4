/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests opening files of other users: only regular files are opened for reading, and no name leads
 * out of a root. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fakehost.h"
#include "foreign.h"

struct opening {
	const char *path;
	int result; /* 0 or -errno */
};

static const struct opening openings[] = {
	{"/file", 0},          {"//dir/./../file", -ELOOP}, {"/dir/inner", 0},
	{"/missing", -ENOENT}, {"/file/below", -ENOTDIR},   {"/dir", -EINVAL},
	{"/", -EINVAL},        {"/fifo", -EINVAL},          {"/to-fifo", -EINVAL},
	{"/to-file", -EINVAL}, {"/to-dir/inner", -ENOTDIR}, {"/absolute", -EINVAL},
	{"/above", -EINVAL},   {"/escape", -EINVAL},        {"/../outside", -ELOOP},
	{"/loop", -EINVAL},
};

struct scene {
	char *top; /* contains "1/root" and, next to it, "1/outside" */
	int dirfd;
};

static void link_to(const struct scene *scene, const char *target, const char *name)
{
	g_autofree char *path = g_build_filename("1/root", name, NULL);

	g_assert_cmpint(symlinkat(target, scene->dirfd, path), ==, 0);
}

static void fill(const struct scene *scene, const char *name)
{
	g_autofree char *path = g_build_filename(scene->top, name, NULL);

	g_assert_true(g_file_set_contents(path, "x", 1, NULL));
}

static void set_scene(struct scene *ret)
{
	ret->top = g_dir_make_tmp("ctprof-foreign-XXXXXX", NULL);
	ret->dirfd = open(ret->top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	g_assert_cmpint(mkdirat(ret->dirfd, "1", 0700), ==, 0);
	g_assert_cmpint(mkdirat(ret->dirfd, "1/root", 0700), ==, 0);
	g_assert_cmpint(mkdirat(ret->dirfd, "1/root/dir", 0700), ==, 0);
	g_assert_cmpint(mkfifoat(ret->dirfd, "1/root/fifo", 0600), ==, 0);
	fill(ret, "1/outside");
	fill(ret, "1/root/file");
	fill(ret, "1/root/dir/inner");
	link_to(ret, "fifo", "to-fifo");
	link_to(ret, "file", "to-file");
	link_to(ret, "dir", "to-dir");
	link_to(ret, "/file", "absolute");
	link_to(ret, "../../../file", "above");
	link_to(ret, "../outside", "escape");
	link_to(ret, "loop", "loop");
	link_to(ret, "/dev/zero", "to-device");
	link_to(ret, "/dev/tty", "to-terminal");
}

static void clear_scene(struct scene *scene)
{
	const char *argv[] = {"rm", "-rf", scene->top, NULL};

	g_spawn_sync(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		     NULL, NULL, NULL);
	close(scene->dirfd);
	g_free(scene->top);
}

struct view {
	FakeHost *fake;
	struct foreign_mounts mounts;
	struct foreign files;
};

static void set_view(struct view *ret, const struct scene *scene)
{
	ret->fake = fake_host_new("/proc", NULL, NULL, TRUE);
	foreign_mounts_init(&ret->mounts, fake_host_table(ret->fake));
	ret->files = (struct foreign){fake_host_table(ret->fake), &ret->mounts, scene->dirfd, 1};
}

static void clear_view(struct view *view)
{
	foreign_mounts_clear(&view->mounts);
	fake_host_free(view->fake);
}

static void test_below(void)
{
	__attribute__((cleanup(clear_scene))) struct scene scene;
	__attribute__((cleanup(clear_view))) struct view view;

	set_scene(&scene);
	set_view(&view, &scene);
	for (gsize i = 0; i < G_N_ELEMENTS(openings); i++) {
		const struct opening *o = &openings[i];
		int fd = foreign_open_below(&view.files, o->path);

		g_test_message("%s: %d", o->path, fd);
		g_assert_cmpint(MIN(fd, 0), ==, o->result);
		g_assert_cmpint(fd >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE), ==, O_RDONLY);
		if (fd >= 0)
			close(fd);
	}
}

/* Returns how often the watched file was opened since the last call. */
static guint count_opens(int watch)
{
	char events[4096];
	guint n = 0;

	while (read(watch, events, sizeof events) > 0)
		n++;
	return n;
}

/* Asks the kernel whether the file was opened: an open() of a FIFO, a device or a tty can have
 * effects. */
static void test_not_opened(void)
{
	__attribute__((cleanup(clear_scene))) struct scene scene;
	__attribute__((cleanup(clear_view))) struct view view;
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	set_scene(&scene);
	set_view(&view, &scene);
	g_autofree char *fifo = g_build_filename(scene.top, "1/root/fifo", NULL);
	g_autofree char *file = g_build_filename(scene.top, "1/root/file", NULL);
	g_assert_cmpint(inotify_add_watch(watch, fifo, IN_OPEN), >=, 0);
	g_assert_cmpint(foreign_open_below(&view.files, "/fifo"), ==, -EINVAL);
	g_assert_cmpint(foreign_open(&view.files, "1/root/to-fifo"), ==, -EINVAL);
	g_assert_cmpint(foreign_open(&view.files, "1/root/to-device"), ==, -EINVAL);
	g_assert_cmpint(foreign_open(&view.files, "1/root/to-terminal"), ==, -EINVAL);
	g_assert_cmpuint(count_opens(watch), ==, 0);
	/* The watch detects an opening. */
	g_assert_cmpint(inotify_add_watch(watch, file, IN_OPEN), >=, 0);
	int fd = foreign_open(&view.files, "1/root/to-file");
	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpuint(count_opens(watch), >, 0);
	close(fd);
	close(watch);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/foreign/below a root", test_below);
	g_test_add_func("/foreign/never opened", test_not_opened);
	return g_test_run();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of others: what is not a regular file is never opened for reading, and
 * no name leads out of a root. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fakehost.h"
#include "foreign.h"

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

struct opening {
	const char *path;
	int modern;  /* what the kernel's own search gives: 0 or -errno */
	int without; /* and ours, which follows no link */
};

static const struct opening openings[] = {
	{"/file", 0, 0},
	{"//dir/./../file", 0, -ELOOP},
	{"/dir/inner", 0, 0},
	{"/missing", -ENOENT, -ENOENT},
	{"/file/below", -ENOTDIR, -ENOTDIR},
	{"/dir", -EINVAL, -EINVAL},
	{"/", -EINVAL, -EINVAL},
	{"/fifo", -EINVAL, -EINVAL},
	{"/to-fifo", -EINVAL, -EINVAL},
	{"/to-file", 0, -EINVAL},
	{"/to-dir/inner", 0, -ENOTDIR},
	{"/absolute", 0, -EINVAL},
	{"/above", 0, -EINVAL},
	{"/escape", -ENOENT, -EINVAL},
	{"/../outside", -ENOENT, -ELOOP},
	{"/loop", -ELOOP, -EINVAL},
};

struct scene {
	char *top; /* holds "root" and, beside it, "outside" */
	int dirfd;
};

static void link_to(const struct scene *scene, const char *target, const char *name)
{
	g_autofree char *path = g_build_filename("root", name, NULL);

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
	g_assert_cmpint(mkdirat(ret->dirfd, "root", 0700), ==, 0);
	g_assert_cmpint(mkdirat(ret->dirfd, "root/dir", 0700), ==, 0);
	g_assert_cmpint(mkfifoat(ret->dirfd, "root/fifo", 0600), ==, 0);
	fill(ret, "outside");
	fill(ret, "root/file");
	fill(ret, "root/dir/inner");
	link_to(ret, "fifo", "to-fifo");
	link_to(ret, "file", "to-file");
	link_to(ret, "dir", "to-dir");
	link_to(ret, "/file", "absolute");
	link_to(ret, "../../../file", "above");
	link_to(ret, "../outside", "escape");
	link_to(ret, "loop", "loop");
}

static void clear_scene(struct scene *scene)
{
	const char *argv[] = {"rm", "-rf", scene->top, NULL};

	g_spawn_sync(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
		     NULL, NULL, NULL);
	close(scene->dirfd);
	g_free(scene->top);
}

static void try_openings(const struct scene *scene, gboolean modern)
{
	g_autoptr(FakeHost) fake = fake_host_new("/proc", NULL, NULL, TRUE);

	for (gsize i = 0; i < G_N_ELEMENTS(openings); i++) {
		const struct opening *o = &openings[i];
		int fd = foreign_open_below(fake_host_table(fake), scene->dirfd, "root", o->path);

		g_test_message("%s: %d", o->path, fd);
		g_assert_cmpint(MIN(fd, 0), ==, modern ? o->modern : o->without);
		g_assert_cmpint(fd >= 0 && (fcntl(fd, F_GETFL) & O_ACCMODE), ==, O_RDONLY);
		if (fd >= 0)
			close(fd);
	}
}

static gboolean has_openat2(void)
{
	return syscall(SYS_openat2, AT_FDCWD, "/", NULL, 0) < 0 && errno != ENOSYS;
}

static void test_below(void)
{
	__attribute__((cleanup(clear_scene))) struct scene scene;

	set_scene(&scene);
	try_openings(&scene, has_openat2());
}

/* As a kernel before 5.6 has it. */
static void refuse_openat2(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {G_N_ELEMENTS(code), code};

	g_assert_cmpint(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
	g_assert_cmpint(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), ==, 0);
}

static void test_below_without_openat2(void)
{
	__attribute__((cleanup(clear_scene))) struct scene scene;
	int status;

	set_scene(&scene);
	pid_t child = fork();
	if (child == 0) {
		refuse_openat2();
		try_openings(&scene, FALSE);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
}

/* How often the watched file was opened since the last time. */
static guint count_opens(int watch)
{
	char events[4096];
	guint n = 0;

	while (read(watch, events, sizeof events) > 0)
		n++;
	return n;
}

/* The kernel's own word: an open() of a FIFO, a device or a tty can act. */
static void test_not_opened(void)
{
	__attribute__((cleanup(clear_scene))) struct scene scene;
	g_autoptr(FakeHost) fake = fake_host_new("/proc", NULL, NULL, TRUE);
	const struct ctprof_host *host = fake_host_table(fake);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	set_scene(&scene);
	g_autofree char *fifo = g_build_filename(scene.top, "root/fifo", NULL);
	g_autofree char *file = g_build_filename(scene.top, "root/file", NULL);
	g_assert_cmpint(inotify_add_watch(watch, fifo, IN_OPEN), >=, 0);
	g_assert_cmpint(foreign_open_below(host, scene.dirfd, "root", "/to-fifo"), ==, -EINVAL);
	g_assert_cmpint(foreign_open(host, scene.dirfd, "root/to-fifo"), ==, -EINVAL);
	g_assert_cmpuint(count_opens(watch), ==, 0);
	/* The watch sees what it is to see. */
	g_assert_cmpint(inotify_add_watch(watch, file, IN_OPEN), >=, 0);
	int fd = foreign_open(host, scene.dirfd, "root/to-file");
	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpuint(count_opens(watch), >, 0);
	close(fd);
	close(watch);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/foreign/below a root", test_below);
	g_test_add_func("/foreign/below a root, without openat2", test_below_without_openat2);
	g_test_add_func("/foreign/never opened", test_not_opened);
	return g_test_run();
}

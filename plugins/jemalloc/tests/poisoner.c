/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A process of an ordinary user that maps a library of another user's process and, in a mount
 * namespace of its own, has another file under a name that ctprof might open.
 *
 *	poisoner HOW LIBRARY FAKE OVER [headless]
 *
 * HOW to put FAKE at OVER: "bind"; "tmpfs" or "overlay" over the directory of both.  Prints
 * "ready", or the reason why not; exits when its stdin ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOBODY 65534

static void need(int rc, const char *what)
{
	if (rc >= 0)
		return;
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

static void become_user(void)
{
	if (geteuid() == 0) {
		need(setresgid(NOBODY, NOBODY, NOBODY), "setresgid");
		need(setresuid(NOBODY, NOBODY, NOBODY), "setresuid");
		need(prctl(PR_SET_DUMPABLE, 1), "dumpable");
	}
	need(prctl(PR_SET_PDEATHSIG, SIGKILL), "pdeathsig");
}

static void map(const char *library)
{
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	struct stat st;

	need(fd, library);
	need(fstat(fd, &st), library);
	void *at = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	need(at == MAP_FAILED ? -1 : 0, "mmap");
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	need(fd, path);
	need((int)write(fd, text, strlen(text)), path);
	close(fd);
}

static void enter_namespaces(void)
{
	unsigned user = geteuid(), group = getegid();
	char ids[32];

	need(unshare(CLONE_NEWUSER | CLONE_NEWNS), "unshare");
	put("/proc/self/setgroups", "deny");
	(void)snprintf(ids, sizeof ids, "0 %u 1", user);
	put("/proc/self/uid_map", ids);
	(void)snprintf(ids, sizeof ids, "0 %u 1", group);
	put("/proc/self/gid_map", ids);
}

static void copy(int from, const char *to)
{
	int fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	struct stat st;

	need(fd, to);
	need(fstat(from, &st), "fstat");
	need((int)sendfile(fd, from, NULL, (size_t)st.st_size), to);
	close(fd);
}

static void lay(const char *how, const char *fake, const char *over)
{
	char *folder = dirname(strdup(over));
	char name[4096], options[8192];
	int fd = open(fake, O_RDONLY | O_CLOEXEC);

	need(fd, fake);
	if (strcmp(how, "bind") == 0) {
		need(mount(fake, over, NULL, MS_BIND, NULL), "bind");
		return;
	}
	if (strcmp(how, "overlay") == 0) {
		need(mount("upper", "/mnt", "tmpfs", 0, NULL), "tmpfs");
		need(mkdir("/mnt/u", 0755) + mkdir("/mnt/w", 0755), "mkdir");
		(void)snprintf(options, sizeof options,
			       "lowerdir=%s,upperdir=/mnt/u,workdir=/mnt/w", folder);
		(void)snprintf(name, sizeof name, "/mnt/u/%s", basename(strdup(over)));
		copy(fd, name);
		need(mount("over", folder, "overlay", 0, options), "overlay");
		return;
	}
	need(mount("over", folder, "tmpfs", 0, NULL), "tmpfs");
	copy(fd, over);
}

static void *stay(void *data)
{
	char c;

	(void)data;
	puts("ready");
	(void)fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) > 0)
		;
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc < 5)
		return 2;
	become_user();
	map(argv[2]);
	enter_namespaces();
	lay(argv[1], argv[3], argv[4]);
	if (argc == 5)
		stay(NULL);
	if (pthread_create(&thread, NULL, stay, NULL) != 0)
		return 1;
	pthread_exit(NULL);
}

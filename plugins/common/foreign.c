/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "cleanup.h"

/* <linux/openat2.h> came with 5.6; the numbers are the same everywhere. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define RESOLVE_MAGIC_NONE 0x02u
#define RESOLVE_ROOTED 0x10u

struct how {
	uint64_t flags;
	uint64_t mode;
	uint64_t resolve;
};

/* From the place to the file. */
static int reopen(const struct ctprof_host *host, int place)
{
	int proc = host->root(host, CTPROF_ROOT_PROC);
	char link[48];
	struct stat st;

	if (fstat(place, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	/* thread-self: workers have descriptor tables of their own. */
	snprintf(link, sizeof link, "thread-self/fd/%d", place);
	return proc < 0 ? proc : host->open_file(host, proc, link);
}

int foreign_open(const struct ctprof_host *host, int dirfd, const char *path)
{
	AUTO_FD place = openat(dirfd, path, O_PATH | O_CLOEXEC);

	return place < 0 ? -errno : reopen(host, place);
}

/* Component by component; one that is a link is not entered. */
static int find_without_links(int root, const char *path)
{
	char name[NAME_MAX + 1];
	int at = fcntl(root, F_DUPFD_CLOEXEC, 0);

	while (at >= 0 && path[strspn(path, "/")] != '\0') {
		AUTO_FD parent = at;
		path += strspn(path, "/");
		size_t len = strcspn(path, "/");

		if (len > NAME_MAX || strncmp(path, "..", len) == 0)
			return -ELOOP;
		memcpy(name, path, len);
		name[len] = '\0';
		path += len;
		at = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	return at < 0 ? -errno : at;
}

static int find_below(int root, const char *path)
{
	struct how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_MAGIC_NONE | RESOLVE_ROOTED,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof how);

	if (fd >= 0)
		return (int)fd;
	/* EPERM: an older container runtime that does not know the call. */
	return errno == ENOSYS || errno == EPERM ? find_without_links(root, path) : -errno;
}

int foreign_open_below(const struct ctprof_host *host, int dirfd, const char *root,
		       const char *path)
{
	AUTO_FD top = openat(dirfd, root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_FD place = top < 0 ? -errno : find_below(top, path);

	return place < 0 ? place : reopen(host, place);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "cleanup.h"
#include "file.h"
#include "mountinfo.h"

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

/* Whether that device is a file system in user space, according to the mounts next to a
 * process's task directory. */
static bool is_fuse(const struct ctprof_host *host, int dirfd, const struct statx *stx)
{
	AUTO_FREE char *text = stx->stx_dev_major == 0 ? malloc(MOUNTINFO_BYTES) : NULL;
	ssize_t len =
		text ? file_read_records_at(host, dirfd, "../mountinfo", text, MOUNTINFO_BYTES) : 0;
	struct text rest = {text, len > 0 ? (size_t)len : 0}, line;
	struct mountinfo mount;

	while (text_take_line(&rest, &line))
		if (mountinfo_parse(line.p, line.len, &mount) && mount.major == 0 &&
		    mount.minor == stx->stx_dev_minor)
			return mount.type.len >= 4 && memcmp(mount.type.p, "fuse", 4) == 0;
	return false;
}

/* Opens the file itself.  No request is sent to a server in user space: it may
 * never answer, and then not even SIGKILL ends the wait. */
static int reopen(const struct ctprof_host *host, int dirfd, int place)
{
	int proc = host->root(host, CTPROF_ROOT_PROC);
	char link[48];
	struct statx stx;

	if (statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &stx) != 0)
		return -errno;
	if (!S_ISREG(stx.stx_mode))
		return -EINVAL;
	if (is_fuse(host, dirfd, &stx))
		return -EREMOTE;
	/* thread-self: workers have descriptor tables of their own. */
	snprintf(link, sizeof link, "thread-self/fd/%d", place);
	return proc < 0 ? proc : host->open_file(host, proc, link);
}

int foreign_open(const struct ctprof_host *host, int dirfd, const char *path)
{
	AUTO_FD place = openat(dirfd, path, O_PATH | O_CLOEXEC);

	return place < 0 ? -errno : reopen(host, dirfd, place);
}

/* Opens component by component, without following links. */
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

	return place < 0 ? place : reopen(host, dirfd, place);
}

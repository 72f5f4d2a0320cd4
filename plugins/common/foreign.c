/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "foreign.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cleanup.h"
#include "file.h"
#include "hold.h"
#include "mountinfo.h"

#define FDINFO_BYTES 512

/* ---- mounts -------------------------------------------------------------- */

void foreign_mounts_init(struct foreign_mounts *ret, const struct ctprof_host *host)
{
	int proc = host->root(host, CTPROF_ROOT_PROC);

	*ret = (struct foreign_mounts){
		.fd = proc < 0 ? proc : host->open_file(host, proc, "self/mountinfo")};
	(void)pthread_mutex_init(&ret->lock, NULL);
}

void foreign_mounts_clear(struct foreign_mounts *mounts)
{
	cleanup_fd(&mounts->fd);
	free(mounts->text);
	(void)pthread_mutex_destroy(&mounts->lock);
}

/* Returns the mountinfo of ctprof's own namespace.  The ID of a mount is reused after it is
 * unmounted; poll() reports that change (mounts_poll()).  The lock must be held. */
static struct text own_mounts(struct foreign_mounts *mounts)
{
	struct pollfd change = {.fd = mounts->fd, .events = POLLPRI};
	bool has_changed = poll(&change, 1, 0) > 0 && (change.revents & POLLPRI);

	if (has_changed || mounts->len <= 0) {
		mounts->text = mounts->text ? mounts->text : malloc(MOUNTINFO_BYTES);
		mounts->len = mounts->text && lseek(mounts->fd, 0, SEEK_SET) == 0
				      ? file_read_records(mounts->fd, mounts->text, MOUNTINFO_BYTES)
				      : 0;
	}
	return (struct text){mounts->text, mounts->len > 0 ? (size_t)mounts->len : 0};
}

static bool find(struct text rest, uint64_t id, struct mountinfo *ret)
{
	struct text line, start;
	uint64_t number;

	while (text_take_line(&rest, &line)) {
		start = line;
		if (text_take_u64(&start, &number) && number == id)
			return mountinfo_parse(line.p, line.len, ret);
	}
	return false;
}

static bool find_own(struct foreign_mounts *mounts, uint64_t id, bool *ret_is_fuse)
{
	HOLD(&mounts->lock);
	struct mountinfo mount;
	bool found = find(own_mounts(mounts), id, &mount);

	*ret_is_fuse = found && text_starts(mount.type, "fuse");
	return found;
}

static bool is_of_own_user_ns(const struct foreign *foreign)
{
	int proc = foreign->host->root(foreign->host, CTPROF_ROOT_PROC);
	struct stat own, theirs;
	char path[32];

	snprintf(path, sizeof path, "%" PRId32 "/ns/user", foreign->via);
	return fstatat(proc, "self/ns/user", &own, 0) == 0 &&
	       fstatat(foreign->task_fd, path, &theirs, 0) == 0 && own.st_dev == theirs.st_dev &&
	       own.st_ino == theirs.st_ino;
}

/* Whether only root can make the file system wait.  A FUSE server can, so FUSE and unlisted mounts
 * are not trusted, nor is an overlay made in another user namespace, whose files may be on FUSE.  A
 * mount keeps its ID while a descriptor of it is open. */
static bool is_trusted(const struct foreign *foreign, uint64_t id)
{
	bool is_fuse;

	if (find_own(foreign->own, id, &is_fuse))
		return !is_fuse;
	AUTO_FREE char *text = malloc(MOUNTINFO_BYTES);
	struct mountinfo mount;
	char path[32];

	snprintf(path, sizeof path, "%" PRId32 "/mountinfo", foreign->via);
	ssize_t len = text ? file_read_records_at(foreign->host, foreign->task_fd, path, text,
						  MOUNTINFO_BYTES)
			   : 0;
	if (len <= 0 || !find((struct text){text, (size_t)len}, id, &mount) ||
	    text_starts(mount.type, "fuse"))
		return false;
	return !text_equal(mount.type, "overlay") || is_of_own_user_ns(foreign);
}

/* Reads the mount ID from fdinfo; before Linux 5.8, nothing else shows it. */
static int read_mount_id(const struct ctprof_host *host, int place, uint64_t *ret)
{
	char path[48], buf[FDINFO_BYTES];
	struct text value;

	snprintf(path, sizeof path, "thread-self/fdinfo/%d", place);
	ssize_t len = file_read_root(host, CTPROF_ROOT_PROC, path, buf, sizeof buf);
	if (len < 0)
		return (int)len;
	return text_find((struct text){buf, (size_t)len}, "mnt_id", &value) && text_u64(value, ret)
		       ? 0
		       : -EREMOTE;
}

/* Returns the type of the file, or -errno.  *trusted: a mount already found trustworthy; 0:
 * none. */
static int examine(const struct foreign *foreign, int place, uint64_t *trusted)
{
	struct statx stx;

	if (statx(place, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_MNT_ID, &stx))
		return -errno;
	uint64_t id = stx.stx_mnt_id;
	int rc = stx.stx_mask & STATX_MNT_ID ? 0 : read_mount_id(foreign->host, place, &id);
	if (rc < 0)
		return rc;
	if (id != *trusted && !is_trusted(foreign, id))
		return -EREMOTE;
	*trusted = id;
	return stx.stx_mode & S_IFMT;
}

/* ---- opening --------------------------------------------------------------- */

/* Opens the file itself, without sending a request to a server in user space: that may never
 * answer, and then not even SIGKILL ends the wait. */
static int reopen(const struct foreign *foreign, int place, uint64_t trusted)
{
	const struct ctprof_host *host = foreign->host;
	int proc = host->root(host, CTPROF_ROOT_PROC);
	int type = examine(foreign, place, &trusted);
	char link[48];

	if (type < 0 || type != S_IFREG)
		return type < 0 ? type : -EINVAL;
	/* thread-self: workers have descriptor tables of their own. */
	snprintf(link, sizeof link, "thread-self/fd/%d", place);
	return proc < 0 ? proc : host->open_file(host, proc, link);
}

int foreign_open(const struct foreign *foreign, const char *path)
{
	AUTO_FD place = openat(foreign->task_fd, path, O_PATH | O_CLOEXEC);

	return place < 0 ? -errno : reopen(foreign, place, 0);
}

int foreign_open_own(const struct foreign *foreign, const char *path)
{
	int proc = foreign->host->root(foreign->host, CTPROF_ROOT_PROC);
	char own[PATH_MAX];

	if (snprintf(own, sizeof own, "self/root%s", path) >= (int)sizeof own)
		return -ENAMETOOLONG;
	AUTO_FD place = openat(proc, own, O_PATH | O_CLOEXEC);
	return place < 0 ? -errno : reopen(foreign, place, 0);
}

/* Opens component by component, so that no name is looked up on a refused file system. */
static int find_below(const struct foreign *foreign, int root, const char *path, uint64_t *trusted)
{
	char name[NAME_MAX + 1];
	int at = fcntl(root, F_DUPFD_CLOEXEC, 0);

	while (at >= 0 && path[strspn(path, "/")] != '\0') {
		AUTO_FD parent = at;
		path += strspn(path, "/");
		size_t len = strcspn(path, "/");

		if (len > NAME_MAX || strncmp(path, "..", len) == 0)
			return -ELOOP;
		int type = examine(foreign, parent, trusted);
		if (type < 0)
			return type;
		memcpy(name, path, len);
		name[len] = '\0';
		path += len;
		at = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	}
	return at < 0 ? -errno : at;
}

int foreign_open_below(const struct foreign *foreign, const char *path)
{
	uint64_t trusted = 0;
	char root[32];

	snprintf(root, sizeof root, "%" PRId32 "/root", foreign->via);
	AUTO_FD top = openat(foreign->task_fd, root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_FD place = top < 0 ? -errno : find_below(foreign, top, path, &trusted);
	return place < 0 ? place : reopen(foreign, place, trusted);
}

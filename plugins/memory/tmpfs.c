/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tmpfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cleanup.h"
#include "file.h"

int tmpfs_open(const struct mount *mount)
{
	char path[PATH_MAX];
	struct statx status;

	if (mount->point.len >= sizeof path)
		return -ENAMETOOLONG;
	memcpy(path, mount->point.p, mount->point.len);
	path[mount->point.len] = '\0';
	/* The host root does not apply: the path is in this process's own tree, and O_PATH reads
	 * nothing. */
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Another file system may have been mounted over it, and must not be queried: a user can
	 * mount one (FUSE) over that of /run/user. */
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) < 0 ||
	    status.stx_dev_major != mount->major || status.stx_dev_minor != mount->minor) {
		(void)close(fd);
		return -ESTALE;
	}
	return fd;
}

/* Without a limit, shmem_statfs() reports no blocks, not even used ones. */
static void take_usage(const struct statvfs *fs, struct tmpfs_usage *ret)
{
	if (fs->f_blocks > 0 && fs->f_bfree <= fs->f_blocks) {
		ret->used = amount_known(amount_product(fs->f_blocks - fs->f_bfree, fs->f_frsize));
		ret->limit = amount_known(amount_product(fs->f_blocks, fs->f_frsize));
	} else if (fs->f_blocks == 0) {
		ret->limit = amount_known(UINT64_MAX);
	}
	if (fs->f_files > 0 && fs->f_ffree <= fs->f_files)
		ret->files = amount_known(fs->f_files - fs->f_ffree);
}

static void set_used(struct tmpfs_usage *usage, uint32_t why)
{
	usage->used = amount_absent(why);
	usage->files = amount_absent(why);
}

void tmpfs_measure(const struct mount *mount, bool live, struct tmpfs_usage *ret)
{
	struct statvfs fs;

	set_used(ret, CTPROF_ABSENT_UNSUPPORTED);
	ret->limit = mount->limit;
	if (!live)
		return;
	AUTO_FD fd = tmpfs_open(mount);
	if (fd == -ESTALE || fd == -ENOENT)
		set_used(ret, CTPROF_ABSENT_VANISHED);
	else if (fd < 0)
		set_used(ret, file_absence(-fd));
	else if (fstatvfs(fd, &fs) == 0)
		take_usage(&fs, ret);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "userfile.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/root.h"
#include "capabilities.h"

static int open_known(const char *path, int flags)
{
	AUTO_FD found = open(path, O_PATH | O_CLOEXEC);
	char link[ROOT_FD_PATH_MAX];
	struct stat st;

	if (found < 0 || fstat(found, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENODEV;
	int fd = open(root_fd_path(link, found), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	return fd < 0 ? -errno : fd;
}

int userfile_open(const char *path, int flags)
{
	gpointer before = capabilities_become_user();
	int fd = open_known(path, flags);

	capabilities_resume(before);
	return fd;
}

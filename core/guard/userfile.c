/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "userfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/lock.h"
#include "base/root.h"
#include "capabilities.h"

static int open_as_user(const char *path, int flags)
{
	AS_USER;
	gboolean is_strict = (flags & O_NOFOLLOW) != 0;
	AUTO_FD found = open(path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
	char link[ROOT_FD_PATH_MAX];
	struct stat st;

	if (found < 0 || fstat(found, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) && (is_strict || !S_ISFIFO(st.st_mode)))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENODEV;
	/* A link that stands for a descriptor must be followed. */
	flags &= ~O_NOFOLLOW;
	int fd = open(root_fd_path(link, found), O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	return fd < 0 ? -errno : fd;
}

/* A file that was opened in advance; fd may be -errno. */
struct kept {
	char *path;
	int fd;
};
static GList *kept;
static GMutex lock; /* protects kept, since workers open files */

gboolean userfile_keep(const char *path, int flags)
{
	struct kept *file = g_new(struct kept, 1);
	int fd = open_as_user(path, flags);

	*file = (struct kept){g_strdup(path), fd};
	HOLD(&lock);
	kept = g_list_append(kept, file);
	return fd >= 0;
}

int userfile_open(const char *path, int flags)
{
	HOLD(&lock);

	for (GList *at = kept; at; at = at->next) {
		struct kept *file = at->data;
		int fd = file->fd;

		if (strcmp(file->path, path) != 0)
			continue;
		kept = g_list_delete_link(kept, at);
		g_free(file->path);
		g_free(file);
		return fd;
	}
	return open_as_user(path, flags);
}

gssize userfile_read(int fd, char *text, gsize size)
{
	gsize length = 0;
	ssize_t n;

	do {
		n = read(fd, text + length, size - length);
		length += n > 0 ? (gsize)n : 0;
	} while ((n > 0 && length < size) || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : (gssize)length;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "text.h"

static ssize_t read_all(int fd, char *buf, size_t size)
{
	ssize_t got;
	char extra;

	do
		got = read(fd, buf, size);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	/* A short read is the end, see file.h; another read would only return 0. */
	return (size_t)got < size || read(fd, &extra, 1) == 0 ? got : -EFBIG;
}

ssize_t file_read_records(int fd, char *buf, size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t got = read(fd, buf + used, size - used);

		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return -errno;
		used += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)used;
}

typedef ssize_t reader_fn(int fd, char *buf, size_t size);

static ssize_t open_and_read(const struct ctprof_host *host, int dirfd, const char *path,
			     reader_fn *reader, char *buf, size_t size)
{
	int fd = dirfd < 0 ? dirfd : host->open_file(host, dirfd, path);

	if (fd < 0)
		return fd;
	ssize_t got = reader(fd, buf, size);
	close(fd);
	return got;
}

ssize_t file_read_at(const struct ctprof_host *host, int dirfd, const char *path, char *buf,
		     size_t size)
{
	return open_and_read(host, dirfd, path, read_all, buf, size);
}

ssize_t file_read_root(const struct ctprof_host *host, uint32_t root, const char *path, char *buf,
		       size_t size)
{
	return file_read_at(host, host->root(host, root), path, buf, size);
}

int file_check_root(const struct ctprof_host *host, uint32_t root, const char *path)
{
	int dirfd = host->root(host, root);
	AUTO_FD fd = dirfd < 0 ? dirfd : host->open_file(host, dirfd, path);

	return fd < 0 ? fd : 0;
}

bool file_is_on(const struct ctprof_host *host, const char *path, bool missing)
{
	char text[32];
	ssize_t got = file_read_root(host, CTPROF_ROOT_PROC, path, text, sizeof text);

	return got < 0 ? missing : !text_equal(text_trim((struct text){text, (size_t)got}), "0");
}

bool file_proc_is_partial(const struct ctprof_host *host)
{
	return host->live(host) && file_check_root(host, CTPROF_ROOT_PROC, "uptime") == -ENOENT;
}

ssize_t file_read_records_at(const struct ctprof_host *host, int dirfd, const char *path, char *buf,
			     size_t size)
{
	return open_and_read(host, dirfd, path, file_read_records, buf, size);
}

ssize_t file_load_records(const struct ctprof_host *host, uint32_t root, const char *path,
			  size_t size, char **ret_text)
{
	AUTO_FREE char *text = malloc(size);

	if (!text)
		return -ENOMEM;
	ssize_t got = file_read_records_at(host, host->root(host, root), path, text, size);
	if (got < 0)
		return got;
	*ret_text = text;
	text = NULL;
	return got;
}

int file_open_dir(const struct ctprof_host *host, int dirfd, const char *path, DIR **ret)
{
	int fd = dirfd < 0 ? dirfd : host->open_file(host, dirfd, path);

	if (fd < 0)
		return fd;
	*ret = fdopendir(fd);
	if (*ret)
		return 0;
	int error = errno;
	(void)close(fd);
	return -error;
}

void file_close_dir(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

bool file_shows_own_pids(const struct ctprof_host *host)
{
	int proc = host->root(host, CTPROF_ROOT_PROC);
	char pid[16] = "";
	struct stat st;

	if (!host->live(host))
		return false;
	/* If this process has no PID there, the link exists but has no target. */
	return readlinkat(proc, "self", pid, sizeof pid - 1) > 0
		       ? strtol(pid, NULL, 10) == getpid()
		       : fstatat(proc, "self", &st, AT_SYMLINK_NOFOLLOW) < 0;
}

uint32_t file_absence(int err)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return CTPROF_ABSENT_DENIED;
	case ESRCH:
		return CTPROF_ABSENT_VANISHED;
	case ETIMEDOUT:
	case EMFILE: /* a limit of ctprof or of the system, not a missing feature */
	case ENFILE:
	case ENOMEM:
	case EAGAIN:
	case EINTR:
		return CTPROF_ABSENT_TIMEOUT;
	case EFBIG:
	case EIO:
		return CTPROF_ABSENT_INVALID;
	default: /* ENOENT, EOPNOTSUPP, ENOTDIR, ...: not built into this kernel */
		return CTPROF_ABSENT_UNSUPPORTED;
	}
}

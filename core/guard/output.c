/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "capabilities.h"
#include "crash.h"

struct output {
	int fd;
	char *path;      /* as given */
	char *temporary; /* NULL: written in place */
	gboolean owned;  /* fd is ours to close */
	int failure;     /* positive errno of the first failed write */
	guint64 bytes;
};

static Output *fail(GError **error, const char *path, int err)
{
	error_set_errno(error, err, "cannot write '%s'", path);
	return NULL;
}

static Output *output_new(int fd, const char *path)
{
	Output *output = g_new0(Output, 1);

	output->fd = fd;
	output->owned = fd != STDOUT_FILENO;
	output->path = g_strdup(path);
	return output;
}

static Output *open_stdout(gboolean binary, GError **error)
{
	if (binary && isatty(STDOUT_FILENO)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
			    "will not write a compressed snapshot to a terminal: redirect "
			    "standard output, or give -o FILE");
		return NULL;
	}
	return output_new(STDOUT_FILENO, "standard output");
}

static Output *open_in_place(const char *path, GError **error)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? fail(error, path, errno) : output_new(fd, path);
}

static Output *open_temporary(const char *path, GError **error)
{
	g_autofree char *dir = g_path_get_dirname(path);
	g_autofree char *base = g_path_get_basename(path);
	g_autofree char *name = g_strdup_printf(".%.200s.XXXXXX", base);
	g_autofree char *temporary = g_build_filename(dir, name, NULL);

	/* 0600 as perf does it: names and paths of the whole host are inside. */
	capabilities_write_anywhere(TRUE);
	int fd = mkostemp(temporary, O_CLOEXEC);
	int err = errno;
	capabilities_write_anywhere(FALSE);
	if (fd < 0)
		return fail(error, path, err);
	crash_unlink(temporary);
	Output *output = output_new(fd, path);
	output->temporary = g_steal_pointer(&temporary);
	return output;
}

Output *output_open(const char *path, gboolean binary, GError **error)
{
	struct stat link, target;

	if (g_str_equal(path, "-"))
		return open_stdout(binary, error);
	if (path[0] == '\0')
		return fail(error, path, ENOENT);
	if (lstat(path, &link) < 0) {
		if (errno == ENOENT && !g_str_has_suffix(path, "/"))
			return open_temporary(path, error);
		return fail(error, path, errno == ENOENT ? EISDIR : errno);
	}
	gboolean resolves = stat(path, &target) == 0;
	if (resolves && S_ISDIR(target.st_mode))
		return fail(error, path, EISDIR);
	if (resolves && !S_ISREG(target.st_mode))
		return open_in_place(path, error);
	if (S_ISLNK(link.st_mode)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "cannot write '%s': it is a symbolic link; name the file itself", path);
		return NULL;
	}
	return open_temporary(path, error);
}

void output_free(Output *output)
{
	if (output->owned && output->fd >= 0)
		close(output->fd);
	if (output->temporary) {
		capabilities_write_anywhere(TRUE);
		unlink(output->temporary);
		capabilities_write_anywhere(FALSE);
		crash_unlink(NULL);
	}
	g_free(output->temporary);
	g_free(output->path);
	g_free(output);
}

int output_write(Output *output, const void *data, gsize size)
{
	const char *p = data;

	if (!output->temporary)
		crash_set_output(CRASH_PARTLY_OUT);
	while (size > 0 && output->failure == 0) {
		ssize_t put = write(output->fd, p, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			output->failure = errno;
			break;
		}
		p += put;
		size -= (gsize)put;
		output->bytes += (guint64)put;
	}
	return -output->failure;
}

gboolean output_failed(const Output *output, GError **error)
{
	if (!output || output->failure == 0)
		return FALSE;
	if (output->fd == STDOUT_FILENO && !output->owned)
		error_set_errno(error, output->failure, "cannot write to standard output");
	else
		fail(error, output->path, output->failure);
	return TRUE;
}

void output_publish(Output *output)
{
	if (output->temporary && output->failure == 0 && fchmod(output->fd, 0644) < 0)
		output->failure = errno;
}

static void sync_directory(const char *path)
{
	g_autofree char *dir = g_path_get_dirname(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	/* The rename is done; that it survives a power cut is best effort. */
	(void)fsync(fd);
	close(fd);
}

static gboolean move_into_place(const Output *output)
{
	capabilities_write_anywhere(TRUE);
	int result = rename(output->temporary, output->path);
	int err = errno;
	capabilities_write_anywhere(FALSE);
	errno = err;
	return result == 0;
}

gboolean output_commit(Output *output, GError **error)
{
	if (output_failed(output, error))
		return FALSE;
	if (!output->temporary) {
		crash_set_output(CRASH_ALL_OUT);
		return TRUE;
	}
	if (fsync(output->fd) < 0 || !move_into_place(output)) {
		fail(error, output->path, errno);
		return FALSE;
	}
	crash_unlink(NULL);
	crash_set_output(CRASH_ALL_OUT);
	g_clear_pointer(&output->temporary, g_free);
	sync_directory(output->path);
	return TRUE;
}

guint64 output_bytes(const Output *output)
{
	return output->bytes;
}

const char *output_label(const Output *output)
{
	return output->path;
}

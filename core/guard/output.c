/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/root.h"
#include "capabilities.h"
#include "crash.h"
#include "trespass.h"

/* Names tried for a file that must have one before it is whole. */
#define MAX_TRIES 100

struct output {
	int fd;
	int dir;         /* the directory the file will be in; -1: written in place */
	char *path;      /* as given */
	char *name;      /* its last part */
	char *temporary; /* the name in dir until it is whole; NULL: none */
	gboolean owned;  /* fd is ours to close */
	int failure;     /* positive errno of the first failed write */
	guint64 bytes;
};

static Output *fail(GError **error, const char *path, int err)
{
	error_set_errno(error, err, "cannot write '%s'", path);
	return NULL;
}

static Output *output_new(const char *path)
{
	Output *output = g_new0(Output, 1);

	output->fd = output->dir = -1;
	output->owned = TRUE;
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
	Output *output = output_new("standard output");
	output->fd = STDOUT_FILENO;
	output->owned = FALSE;
	return output;
}

/* ---- what is there already ------------------------------------------------ */

static gboolean is_own(const struct stat *st)
{
	return st->st_uid == getuid() || st->st_uid == 0;
}

/* Whether no other user can have put the entry there, nor swap it for another. */
static gboolean is_chosen(const struct stat *dir, const struct stat *entry)
{
	if (is_own(dir) && !(dir->st_mode & (S_IWGRP | S_IWOTH)))
		return TRUE;
	if (!is_own(entry))
		return FALSE;
	/* What is not followed is held: it stays what it is. */
	return !S_ISLNK(entry->st_mode) || (is_own(dir) && dir->st_mode & S_ISVTX);
}

static gboolean is_anonymous(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
}

static gboolean refuse_foreign(const Output *output, GError **error)
{
	return error_set_failed(error,
				"cannot write '%s': another user may have put it there; write to "
				"standard output instead",
				output->path);
}

/* Follows a link, which found becomes; a link to a file is not replaced. */
static gboolean follow_link(const Output *output, int *found, struct stat *st, GError **error)
{
	int target = openat(output->dir, output->name, O_PATH | O_CLOEXEC);

	if (target >= 0) {
		close(*found);
		*found = target;
	}
	if (target < 0 || fstat(target, st) < 0 || S_ISREG(st->st_mode))
		return error_set_failed(
			error, "cannot write '%s': it is a symbolic link; name the file itself",
			output->path);
	if (S_ISFIFO(st->st_mode) && !is_own(st) && !is_anonymous(target))
		return refuse_foreign(output, error);
	return TRUE;
}

/* A device or pipe, which found is: nothing is opened before it is known what it is. */
static gboolean open_in_place(Output *output, int *found, struct stat *st, GError **error)
{
	char link[ROOT_FD_PATH_MAX];
	struct stat dir;

	if (fstat(output->dir, &dir) < 0)
		return fail(error, output->path, errno) != NULL;
	if (!is_chosen(&dir, st))
		return refuse_foreign(output, error);
	if (S_ISLNK(st->st_mode) && !follow_link(output, found, st, error))
		return FALSE;
	if (S_ISDIR(st->st_mode))
		return fail(error, output->path, EISDIR) != NULL;
	output->fd = open(root_fd_path(link, *found), O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (output->fd < 0)
		return fail(error, output->path, errno) != NULL;
	close(output->dir);
	output->dir = -1;
	return TRUE;
}

/* ---- a new file ------------------------------------------------------------ */

/* Makes the file, or a link to it, under a name that is free: what make returns. */
static int make_temporary(Output *output, int (*make)(const Output *output, const char *name))
{
	g_autofree char *dir = g_path_get_dirname(output->path);

	for (guint i = 0; i < MAX_TRIES; i++) {
		g_autofree char *name =
			g_strdup_printf(".%.200s.%08x", output->name, g_random_int());
		int made = make(output, name);

		if (made < 0 && errno == EEXIST)
			continue;
		if (made < 0)
			return -1;
		g_autofree char *path = g_build_filename(dir, name, NULL);
		crash_unlink(path);
		output->temporary = g_steal_pointer(&name);
		return made;
	}
	return -1;
}

static int make_file(const Output *output, const char *name)
{
	return openat(output->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		      0600);
}

static int make_link(const Output *output, const char *name)
{
	char link[ROOT_FD_PATH_MAX];

	return linkat(AT_FDCWD, root_fd_path(link, output->fd), output->dir, name,
		      AT_SYMLINK_FOLLOW);
}

/* Without a name where the file system can: then nothing is left whatever happens. */
static gboolean open_new(Output *output, GError **error)
{
	char link[ROOT_FD_PATH_MAX];

	/* 0600 as perf does it: names and paths of the whole host are inside. */
	output->fd = openat(output->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (output->fd >= 0 && access(root_fd_path(link, output->fd), F_OK) == 0)
		return TRUE;
	if (output->fd >= 0)
		close(output->fd);
	output->fd = make_temporary(output, make_file);
	if (output->fd < 0)
		return fail(error, output->path, errno) != NULL;
	return TRUE;
}

/* Opens what path names, through its directory, which stays the one that was found. */
static gboolean open_path(Output *output, GError **error)
{
	g_autofree char *dir = g_path_get_dirname(output->path);
	AUTO_FD found = -1;
	struct stat st;

	output->name = g_path_get_basename(output->path);
	output->dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (output->dir >= 0 && g_str_has_suffix(output->path, "/"))
		errno = EISDIR;
	else if (output->dir >= 0)
		found = openat(output->dir, output->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (found < 0 && (output->dir < 0 || errno != ENOENT))
		return fail(error, output->path, errno) != NULL;
	if (found < 0)
		return open_new(output, error);
	if (fstat(found, &st) < 0)
		return fail(error, output->path, errno) != NULL;
	return S_ISREG(st.st_mode) ? open_new(output, error)
				   : open_in_place(output, &found, &st, error);
}

Output *output_open(const char *path, gboolean binary, GError **error)
{
	if (g_str_equal(path, "-"))
		return open_stdout(binary, error);
	if (path[0] == '\0')
		return fail(error, path, ENOENT);
	g_autoptr(Output) output = output_new(path);
	gpointer before = capabilities_become_user();
	gboolean is_open = open_path(output, error);
	capabilities_resume(before);
	if (is_open)
		trespass_hold(output->fd);
	return is_open ? g_steal_pointer(&output) : NULL;
}

static void remove_temporary(const Output *output)
{
	gpointer before = capabilities_become_user();

	unlinkat(output->dir, output->temporary, 0);
	capabilities_resume(before);
	crash_unlink(NULL);
}

void output_free(Output *output)
{
	if (output->temporary)
		remove_temporary(output);
	if (output->owned && output->fd >= 0) {
		trespass_let_go(output->fd);
		close(output->fd);
	}
	if (output->dir >= 0)
		close(output->dir);
	g_free(output->temporary);
	g_free(output->name);
	g_free(output->path);
	g_free(output);
}

int output_write(Output *output, const void *data, gsize size)
{
	const char *p = data;

	if (output->dir < 0)
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
	if (!output->owned)
		error_set_errno(error, output->failure, "cannot write to standard output");
	else
		fail(error, output->path, output->failure);
	return TRUE;
}

void output_publish(Output *output)
{
	if (output->dir >= 0 && output->failure == 0 && fchmod(output->fd, 0644) < 0)
		output->failure = errno;
}

/* The file is there; that it survives a power cut is best effort. */
static void sync_directory(const Output *output)
{
	AUTO_FD fd = openat(output->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		(void)fsync(fd);
}

/* 0 or -1.  A file can be given a name, but not that of another: then it takes its
 * place under one of its own. */
static int move_into_place(Output *output)
{
	if (!output->temporary && make_link(output, output->name) == 0)
		return 0;
	if (!output->temporary && (errno != EEXIST || make_temporary(output, make_link) < 0))
		return -1;
	if (renameat(output->dir, output->temporary, output->dir, output->name) < 0)
		return -1;
	crash_unlink(NULL);
	g_clear_pointer(&output->temporary, g_free);
	return 0;
}

gboolean output_commit(Output *output, GError **error)
{
	if (output_failed(output, error))
		return FALSE;
	if (output->dir >= 0) {
		gpointer before = capabilities_become_user();
		int result = fsync(output->fd) < 0 ? -1 : move_into_place(output);

		capabilities_resume(before);
		if (result < 0)
			return fail(error, output->path, errno) != NULL;
		sync_directory(output);
	}
	crash_set_output(CRASH_ALL_OUT);
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

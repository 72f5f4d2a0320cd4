/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/root.h"
#include "capabilities.h"
#include "crash.h"
#include "delivery.h"
#include "trespass.h"

#define NS_PER_S G_GUINT64_CONSTANT(1000000000)

struct output {
	int fd;
	int delivery;   /* number of the delivery; -1: written in place */
	char *path;     /* as given */
	gboolean owned; /* fd is ours to close */
	gboolean grows; /* a regular file that is written in place: its size is checked */
	int failure;    /* positive errno of the first failed write */
	guint64 bytes;
	guint64 sum; /* checksum of the bytes, if there is a delivery */
};

static Output *fail(GError **error, const char *path, int err)
{
	error_set_errno(error, err, "cannot write '%s'", path);
	return NULL;
}

static Output *output_new(const char *path)
{
	Output *output = g_new0(Output, 1);

	output->fd = output->delivery = -1;
	output->owned = TRUE;
	output->path = g_strdup(path);
	return output;
}

static Output *open_stdout(gboolean binary, GError **error)
{
	if (binary && isatty(STDOUT_FILENO)) {
		g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT,
			    "will not write binary data to a terminal: redirect "
			    "standard output, or give -o FILE");
		return NULL;
	}
	Output *output = output_new("standard output");
	output->fd = STDOUT_FILENO;
	output->owned = FALSE;
	return output;
}

/* The directory and name of the file, which may not exist yet. */
struct place {
	int dir;
	const char *name;
};

/* ---- what already exists --------------------------------------------------- */

static gboolean is_own(const struct stat *st)
{
	return st->st_uid == getuid() || st->st_uid == 0;
}

/* Whether no other user can have put the entry there or can swap it for another. */
static gboolean is_chosen(const struct stat *dir, const struct stat *entry)
{
	if (is_own(dir) && !(dir->st_mode & (S_IWGRP | S_IWOTH)))
		return TRUE;
	if (!is_own(entry))
		return FALSE;
	/* An entry that is not a link is held by a descriptor, so it cannot be swapped. */
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

/* Follows a link and sets found to its target; refuses a link to a file, which a delivery
 * would replace. */
static gboolean follow_link(const Output *output, const struct place *place, int *found,
			    struct stat *st, GError **error)
{
	int target = openat(place->dir, place->name, O_PATH | O_CLOEXEC);

	if (target >= 0) {
		close(*found);
		*found = target;
	}
	if (target < 0 || fstat(target, st) < 0 || (S_ISREG(st->st_mode) && st->st_nlink > 0))
		return error_set_failed(
			error, "cannot write '%s': it is a symbolic link; name the file itself",
			output->path);
	if (S_ISFIFO(st->st_mode) && !is_own(st) && !is_anonymous(target))
		return refuse_foreign(output, error);
	return TRUE;
}

/* Opens found, a device or a pipe, for writing; its type is checked before it is opened. */
static gboolean open_in_place(Output *output, const struct place *place, int *found,
			      struct stat *st, GError **error)
{
	char link[ROOT_FD_PATH_MAX];
	struct stat dir;

	if (fstat(place->dir, &dir) < 0)
		return fail(error, output->path, errno) != NULL;
	if (!is_chosen(&dir, st))
		return refuse_foreign(output, error);
	if (S_ISLNK(st->st_mode) && !follow_link(output, place, found, st, error))
		return FALSE;
	if (S_ISDIR(st->st_mode))
		return fail(error, output->path, EISDIR) != NULL;
	output->fd = open(root_fd_path(link, *found), O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (output->fd < 0 || (S_ISREG(st->st_mode) && ftruncate(output->fd, 0) < 0))
		return fail(error, output->path, errno) != NULL;
	output->grows = S_ISREG(st->st_mode);
	return TRUE;
}

/* ---- opening ----------------------------------------------------------------- */

static gboolean open_new(Output *output, const struct place *place, GError **error)
{
	output->delivery = delivery_begin(place->dir, place->name, &output->fd);
	return output->delivery >= 0 || fail(error, output->path, -output->delivery) != NULL;
}

/* Opens what path names through a descriptor of its directory, which cannot be swapped. */
static gboolean open_path(Output *output, GError **error)
{
	AS_USER;
	g_autofree char *folder = g_path_get_dirname(output->path);
	g_autofree char *name = g_path_get_basename(output->path);
	AUTO_FD dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_FD found = -1;
	const struct place place = {dir, name};
	struct stat st;

	if (dir >= 0 && g_str_has_suffix(output->path, "/"))
		errno = EISDIR;
	else if (dir >= 0)
		found = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (found < 0 && (dir < 0 || errno != ENOENT))
		return fail(error, output->path, errno) != NULL;
	if (found < 0)
		return open_new(output, &place, error);
	if (fstat(found, &st) < 0)
		return fail(error, output->path, errno) != NULL;
	return S_ISREG(st.st_mode) ? open_new(output, &place, error)
				   : open_in_place(output, &place, &found, &st, error);
}

Output *output_open(const char *path, gboolean binary, GError **error)
{
	if (g_str_equal(path, "-"))
		return open_stdout(binary, error);
	if (path[0] == '\0')
		return fail(error, path, ENOENT);
	g_autoptr(Output) output = output_new(path);
	if (!open_path(output, error))
		return NULL;
	trespass_hold(output->fd);
	return g_steal_pointer(&output);
}

/* Locks the file until its writer ends, however it ends. */
static gboolean lock(const Output *output, GError **error)
{
	if (flock(output->fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOLCK || errno == EOPNOTSUPP)
		return TRUE;
	if (errno == EWOULDBLOCK)
		return error_set_failed(error,
					"cannot write '%s': another process is recording into it",
					output->path);
	return fail(error, output->path, errno) != NULL;
}

static gboolean open_growing(Output *output, GError **error)
{
	AS_USER;
	g_autofree char *folder = g_path_get_dirname(output->path);
	g_autofree char *name = g_path_get_basename(output->path);
	AUTO_FD dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0)
		output->fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				    0600);
	if (output->fd < 0 && errno == EEXIST)
		return error_set_failed(error,
					"cannot write '%s': it exists (remove it, or name another)",
					output->path);
	return output->fd >= 0 ? lock(output, error) : fail(error, output->path, errno) != NULL;
}

Output *output_open_growing(const char *path, GError **error)
{
	if (g_str_equal(path, "-"))
		return open_stdout(TRUE, error);
	if (path[0] == '\0')
		return fail(error, path, ENOENT);
	g_autoptr(Output) output = output_new(path);
	if (!open_growing(output, error))
		return NULL;
	output->grows = TRUE;
	trespass_hold(output->fd);
	return g_steal_pointer(&output);
}

char *output_name_rotated(const char *name, guint i)
{
	return i > 0 ? g_strdup_printf("%s.%u", name, i) : g_strdup(name);
}

gboolean output_is_rotated(const char *name, const char *const *others)
{
	const char *dot = strrchr(name, '.');
	g_autofree char *newest = g_strndup(name, dot ? (gsize)(dot - name) : 0);

	return dot && g_ascii_isdigit(dot[1]) && g_strv_contains(others, newest);
}

/* Returns how many of PATH, PATH.1 and so on exist, up to the first gap. */
static guint count_rotated(int dir, const char *name)
{
	for (guint n = 0;; n++) {
		g_autofree char *each = output_name_rotated(name, n);

		if (faccessat(dir, each, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			return n;
	}
}

static gboolean rename_all(int dir, const char *name, guint n)
{
	for (guint i = n; i > 0; i--) {
		g_autofree char *from = output_name_rotated(name, i - 1);
		g_autofree char *to = output_name_rotated(name, i);

		if (renameat(dir, from, dir, to) < 0 && errno != ENOENT)
			return FALSE;
	}
	return TRUE;
}

/* Removes each file that is too old, or that is not needed because the newer files already have the
 * total size allowed, but never the newest one. */
static void remove_rotated(int dir, const char *name, guint n, const OutputLimits *limits)
{
	gint64 now_s = g_get_real_time() / G_USEC_PER_SEC;
	guint64 used = 0;
	struct stat st;

	for (guint i = 1; i <= n; i++) {
		g_autofree char *each = output_name_rotated(name, i);

		if (fstatat(dir, each, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
			continue;
		guint64 age_ns = (guint64)MAX(now_s - st.st_mtime, 0) * NS_PER_S;
		if (i > 1 &&
		    ((limits->max_size > 0 && used / limits->keep >= limits->max_size) ||
		     (limits->max_age_ns > 0 && age_ns / limits->keep >= limits->max_age_ns)))
			(void)unlinkat(dir, each, 0);
		used += MIN((guint64)st.st_size, limits->max_size);
	}
}

/* Opens the existing recording, to lock it: *ret stays -1 if there is none.  Anything that is
 * not a regular file is refused without being opened. */
static gboolean open_recorded(const Output *output, const struct place *place, int *ret,
			      GError **error)
{
	AUTO_FD found = openat(place->dir, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char link[ROOT_FD_PATH_MAX];
	struct stat st;

	if (found < 0 && errno == ENOENT)
		return TRUE;
	if (found < 0 || fstat(found, &st) < 0)
		return fail(error, output->path, errno) != NULL;
	if (!S_ISREG(st.st_mode))
		return error_set_failed(error,
					"cannot write '%s': it is not a regular file, so it "
					"cannot be rotated",
					output->path);
	*ret = open(root_fd_path(link, found), O_RDONLY | O_CLOEXEC);
	return *ret >= 0 || fail(error, output->path, errno) != NULL;
}

gboolean output_rotate(const char *path, const OutputLimits *limits, GError **error)
{
	AS_USER;
	g_autoptr(Output) output = output_new(path);
	g_autofree char *folder = g_path_get_dirname(output->path);
	g_autofree char *name = g_path_get_basename(output->path);
	AUTO_FD dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct place place = {dir, name};
	AUTO_FD held = -1;

	if (dir < 0)
		return fail(error, output->path, errno) != NULL;
	if (!open_recorded(output, &place, &held, error))
		return FALSE;
	if (held < 0)
		return TRUE;
	if (flock(held, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return error_set_failed(error,
					"cannot write '%s': another process is recording into it",
					output->path);
	guint n = count_rotated(dir, name);
	if (!rename_all(dir, name, n))
		return fail(error, output->path, errno) != NULL;
	remove_rotated(dir, name, n, limits);
	return TRUE;
}

gboolean output_cut(Output *output, guint64 bytes, GError **error)
{
	/* Bytes that went through a pipe cannot be removed. */
	if (!output->grows && bytes == output->bytes && output->failure == 0)
		return TRUE;
	if (ftruncate(output->fd, (off_t)bytes) < 0)
		return fail(error, output->path, errno) != NULL;
	/* An earlier process may have opened the file: hold its descriptor in this process, too. */
	trespass_release(output->fd);
	trespass_hold(output->fd);
	output->failure = 0;
	output->bytes = bytes;
	return TRUE;
}

char *output_make_unnamed(GError **error)
{
	AS_USER;
	int fd = open(g_get_tmp_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[ROOT_FD_PATH_MAX];

	/* The file system may not support O_TMPFILE. */
	if (fd < 0)
		fd = memfd_create("ctprof", MFD_CLOEXEC);
	if (fd < 0) {
		fail(error, "temporary file", errno);
		return NULL;
	}
	return g_strdup(root_fd_path(path, fd));
}

Output *output_open_memory(GError **error)
{
	int fd = memfd_create("ctprof", MFD_CLOEXEC);

	if (fd < 0)
		return fail(error, "memory", errno);
	Output *output = output_new("memory");
	output->fd = fd;
	output->grows = TRUE;
	trespass_hold(fd);
	return output;
}

char *output_take_text(Output *output, GError **error)
{
	g_autofree char *text = g_malloc(output->bytes + 1);
	gsize got = 0;

	if (output_failed(output, error))
		return NULL;
	while (got < output->bytes) {
		ssize_t n = pread(output->fd, text + got, output->bytes - got, (off_t)got);

		if (n > 0)
			got += (gsize)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (got < output->bytes) {
		fail(error, output->path, EIO);
		return NULL;
	}
	text[got] = '\0';
	return output_cut(output, 0, error) ? g_steal_pointer(&text) : NULL;
}

void output_remove(Output *output)
{
	AS_USER;

	if (output->grows)
		(void)unlink(output->path);
}

void output_free(Output *output)
{
	if (output->delivery >= 0)
		delivery_discard(output->delivery);
	if (output->owned && output->fd >= 0) {
		trespass_release(output->fd);
		close(output->fd);
	}
	g_free(output->path);
	g_free(output);
}

/* FNV-1a: finds errors, not attacks. */
static guint64 add_up(guint64 sum, const char *bytes, gsize n)
{
	for (gsize i = 0; i < n; i++)
		sum = (sum ^ (guint8)bytes[i]) * G_GUINT64_CONSTANT(0x100000001b3);
	return sum;
}

int output_write(Output *output, const void *data, gsize size)
{
	gboolean is_stream = output->delivery < 0 && !output->grows;
	const char *p = data;

	if (is_stream)
		crash_set_output(CRASH_PARTLY_OUT);
	while (size > 0 && output->failure == 0) {
		/* Plugins could move the file offset, so pwrite() does not depend on it. */
		ssize_t put = is_stream ? write(output->fd, p, size)
					: pwrite(output->fd, p, size, (off_t)output->bytes);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			output->failure = errno;
			break;
		}
		if (output->delivery >= 0)
			output->sum = add_up(output->sum, p, (gsize)put);
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
	if (output->delivery >= 0 && output->failure == 0 && fchmod(output->fd, 0644) < 0)
		output->failure = errno;
}

/* Whether the file contains exactly what was written. */
static gboolean is_intact(const Output *output)
{
	char piece[65536];
	guint64 sum = 0;
	struct stat st;
	ssize_t got;

	if (fstat(output->fd, &st) < 0 || (guint64)st.st_size != output->bytes)
		return FALSE;
	for (off_t at = 0; output->delivery >= 0 && (guint64)at < output->bytes; at += got) {
		got = pread(output->fd, piece, sizeof piece, at);
		if (got <= 0)
			return FALSE;
		sum = add_up(sum, piece, (gsize)got);
	}
	return sum == output->sum;
}

gboolean output_commit(Output *output, GError **error)
{
	if (output_failed(output, error))
		return FALSE;
	if ((output->delivery >= 0 || output->grows) && !is_intact(output))
		return error_set_failed(error,
					"cannot write '%s': a plugin has written to it, too (retry "
					"with fewer plugins)",
					output->path);
	if (output->grows && fsync(output->fd) < 0)
		return fail(error, output->path, errno) != NULL;
	if (output->delivery >= 0) {
		int result = fsync(output->fd) < 0 ? -errno : delivery_commit(output->delivery);

		if (result < 0)
			return fail(error, output->path, -result) != NULL;
		output->delivery = -1;
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

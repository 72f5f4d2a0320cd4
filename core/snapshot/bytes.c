/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "guard/crash.h"
#include "guard/userfile.h"

/* Maximum compressed bytes of a file that cannot be read twice, and the size of a piece of it. */
#define MAX_KEPT (256u << 20)
#define PIECE_BYTES 65536

static int fd_of(const Bytes *bytes, guint i)
{
	return g_array_index(bytes->files, int, i);
}

static guint64 begin_of(const Bytes *bytes, guint i)
{
	return i > 0 ? g_array_index(bytes->ends, guint64, i - 1) : 0;
}

guint64 bytes_size(const Bytes *bytes)
{
	return bytes->files->len > 0 ? begin_of(bytes, bytes->files->len) : bytes->kept->len;
}

static void close_file(gpointer data)
{
	const int *fd = data;

	if (*fd != STDIN_FILENO)
		close(*fd);
}

void bytes_free(Bytes *bytes)
{
	g_array_unref(bytes->files);
	g_array_unref(bytes->ends);
	g_byte_array_unref(bytes->kept);
	g_free(bytes->label);
	g_free(bytes);
}

/* ---- opening ---------------------------------------------------------- */

/* Reads the whole input, since it cannot be read twice. */
static gboolean keep_all(Bytes *bytes, int fd, GError **error)
{
	guint8 piece[PIECE_BYTES];
	ssize_t n = 1;

	while (n > 0) {
		n = read(fd, piece, sizeof piece);
		if (crash_fail_interrupted(error))
			return FALSE;
		if (n < 0 && errno == EINTR) {
			n = 1;
			continue;
		}
		if (n < 0)
			return error_set_errno(error, errno, "%s", bytes->label);
		if (bytes->kept->len + (gsize)n > MAX_KEPT)
			return error_set_failed(
				error, "%s: more than %u MiB through a pipe: give the file itself",
				bytes->label, MAX_KEPT >> 20);
		g_byte_array_append(bytes->kept, piece, (guint)n);
	}
	return TRUE;
}

/* Takes fd if it is a regular file. */
static gboolean take(Bytes *bytes, int fd, GError **error)
{
	struct stat st;
	off_t begin;

	if (fstat(fd, &st) < 0)
		return error_set_errno(error, errno, "%s", bytes->label);
	if (S_ISDIR(st.st_mode))
		return error_set_errno(error, EISDIR, "%s", bytes->label);
	/* A device may accept a seek and ignore it. */
	begin = S_ISREG(st.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
	if (begin < 0)
		return keep_all(bytes, fd, error);
	guint64 end = (guint64)MAX(st.st_size - begin, 0);
	g_array_append_val(bytes->files, fd);
	g_array_append_val(bytes->ends, end);
	return TRUE;
}

Bytes *bytes_open(const char *path, GError **error)
{
	gboolean is_stdin = g_str_equal(path, "-");
	g_autoptr(Bytes) bytes = g_new0(Bytes, 1);

	bytes->label = g_strdup(is_stdin ? "standard input" : path);
	bytes->files = g_array_new(FALSE, FALSE, sizeof(int));
	bytes->ends = g_array_new(FALSE, FALSE, sizeof(guint64));
	bytes->kept = g_byte_array_new();
	g_array_set_clear_func(bytes->files, close_file);
	int fd = is_stdin ? STDIN_FILENO : userfile_open(path, 0);
	gboolean ok = FALSE;
	if (is_stdin && isatty(STDIN_FILENO))
		error_set_failed(error, "standard input is a terminal: a snapshot is expected from "
					"a pipe or file");
	else if (fd < 0)
		error_set_errno(error, -fd, "%s", bytes->label);
	else
		ok = take(bytes, fd, error);
	if (bytes->files->len == 0 && fd > STDIN_FILENO)
		close(fd);
	return ok ? g_steal_pointer(&bytes) : NULL;
}

/* ---- several files ---------------------------------------------------- */

static void shift_ends(Bytes *bytes, guint64 by)
{
	for (guint i = 0; i < bytes->ends->len; i++)
		g_array_index(bytes->ends, guint64, i) += by;
}

int bytes_prepend(Bytes *bytes, const char *path)
{
	int fd = userfile_open(path, O_NOFOLLOW);
	struct stat newest, st;

	if (fd < 0)
		return fd;
	if (bytes->files->len == 0 || fstat(fd_of(bytes, 0), &newest) < 0 || fstat(fd, &st) < 0 ||
	    st.st_uid != newest.st_uid) {
		close(fd);
		return -EPERM;
	}
	const guint64 end = (guint64)st.st_size;
	g_array_prepend_val(bytes->files, fd);
	shift_ends(bytes, end);
	g_array_prepend_val(bytes->ends, end);
	return 0;
}

void bytes_drop(Bytes *bytes, guint n)
{
	shift_ends(bytes, -begin_of(bytes, n));
	g_array_remove_range(bytes->files, 0, n);
	g_array_remove_range(bytes->ends, 0, n);
}

/* ---- reading ---------------------------------------------------------- */

/* Reads from at most one file.  The last one may have grown. */
static gint64 read_file(const Bytes *bytes, void *data, gsize size)
{
	guint i = 0, last = bytes->files->len - 1;
	ssize_t n;

	while (i < last && bytes->at >= begin_of(bytes, i + 1))
		i++;
	/* Standard input may be at any position, and stays there. */
	off_t from = lseek(fd_of(bytes, i), 0, SEEK_CUR) + (off_t)(bytes->at - begin_of(bytes, i));
	if (i < last)
		size = MIN(size, begin_of(bytes, i + 1) - bytes->at);
	crash_pause();
	do
		n = pread(fd_of(bytes, i), data, size, from);
	while (n < 0 && errno == EINTR && !crash_interrupted());
	crash_return();
	return n < 0 ? -errno : n;
}

gint64 bytes_read(Bytes *bytes, void *data, gsize size)
{
	gint64 n;

	if (bytes->files->len > 0) {
		n = read_file(bytes, data, MIN(size, G_MAXSSIZE / 2));
	} else {
		n = (gint64)MIN(bytes->kept->len - bytes->at, size);
		if (n > 0)
			memcpy(data, bytes->kept->data + bytes->at, (gsize)n);
	}
	bytes->at += (guint64)MAX(n, 0);
	return n;
}

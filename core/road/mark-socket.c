/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "mark-socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/texts.h"
#include "guard/capabilities.h"
#include "guard/trespass.h"

#define PREFIX "ctprof-record-"
#define NS_PER_S G_GUINT64_CONSTANT(1000000000)
/* A recorder checks for marks five times a second, but not while it takes a sample. */
#define PATIENCE_S 10
#define MOST_CANDIDATES 64
/* Maximum bytes of the file's name in the name of the socket. */
#define MOST_FILE 32

/* The users that may be the recorder's: if root started it, its process runs as another user. */
static uid_t recorder_uid;

/* Makes "DEVICE-INODE-" of a file. */
static char *name_inode(const struct stat *st)
{
	return g_strdup_printf("%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x-",
			       (guint64)st->st_dev, (guint64)st->st_ino);
}

static char *name_socket(uid_t uid, const char *inode, const char *path)
{
	g_autofree char *file = g_path_get_basename(path);

	g_strcanon(file, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-+=,", '_');
	return g_strdup_printf(PREFIX "%u-%s%.*s", uid, inode, MOST_FILE, file);
}

static socklen_t make_address(struct sockaddr_un *ret, const char *name)
{
	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	gsize n = MIN(strlen(name), sizeof ret->sun_path - 1);
	memcpy(ret->sun_path + 1, name, n);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

static gboolean switch_on(int fd, int option)
{
	int on = 1;

	return setsockopt(fd, SOL_SOCKET, option, &on, sizeof on) == 0;
}

/* ---- the recorder ------------------------------------------------------------------- */

int mark_socket_bind(const char *path, GError **error)
{
	gboolean is_stdout = g_str_equal(path, "-");
	struct sockaddr_un address;
	struct stat st;

	if ((is_stdout ? fstat(STDOUT_FILENO, &st) : lstat(path, &st)) < 0) {
		error_set_errno(error, errno, "%s", path);
		return -1;
	}
	g_autofree char *inode = name_inode(&st);
	recorder_uid = getuid();
	g_autofree char *name = name_socket(recorder_uid, inode, path);
	socklen_t length = make_address(&address, name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || !switch_on(fd, SO_PASSCRED) || !switch_on(fd, SO_TIMESTAMPNS) ||
	    bind(fd, (struct sockaddr *)&address, length) < 0) {
		error_set_errno(error, errno, "its socket");
		fd_close(&fd);
		return -1;
	}
	trespass_hold(fd);
	return fd;
}

void mark_socket_shut(int fd)
{
	(void)shutdown(fd, SHUT_RD);
}

void mark_socket_close(int *fd)
{
	trespass_release(*fd);
	fd_close(fd);
	*fd = -1;
}

/* There is room only for these two: the kernel drops descriptors that are sent along. */
union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(struct timespec))];
};

static void read_control(struct msghdr *header, struct ucred *ret_sender, guint64 *ret_sent_ns)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		struct timespec sent;

		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS)
			memcpy(ret_sender, CMSG_DATA(c), sizeof *ret_sender);
		if (c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&sent, CMSG_DATA(c), sizeof sent);
		*ret_sent_ns = (guint64)sent.tv_sec * NS_PER_S + (guint64)sent.tv_nsec;
	}
}

/* Receives a message.  The sender is user (uid_t)-1 if the kernel does not say who it is. */
static gboolean receive(int fd, int flags, MarkMessage *ret_message, struct ucred *ret_sender)
{
	union control control;
	MarkMessage *message = ret_message;
	struct iovec text = {message->text, sizeof message->text};
	struct msghdr header = {.msg_name = &message->from,
				.msg_namelen = sizeof message->from,
				.msg_iov = &text,
				.msg_iovlen = 1,
				.msg_control = &control,
				.msg_controllen = sizeof control};
	message->from.sun_path[0] = '\0';
	ssize_t n = recvmsg(fd, &header, flags | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return FALSE;
	message->length = (gsize)n;
	message->from_length = header.msg_namelen;
	message->sent_ns = 0;
	*ret_sender = (struct ucred){.uid = (uid_t)-1};
	read_control(&header, ret_sender, &message->sent_ns);
	return TRUE;
}

gboolean mark_socket_receive(int fd, MarkMessage *ret_message)
{
	struct ucred sender;

	if (fd < 0 || !receive(fd, MSG_DONTWAIT, ret_message, &sender))
		return FALSE;
	ret_message->is_from_us = sender.uid == recorder_uid || sender.uid == 0;
	return TRUE;
}

void mark_socket_answer(int fd, const MarkMessage *message, const char *text)
{
	/* A process may use a path as its address, which would be looked up with our rights. */
	if (message->from.sun_path[0] != '\0')
		return;
	(void)sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
		     (const struct sockaddr *)&message->from, message->from_length);
}

/* ---- ctprof mark ----------------------------------------------------------------------- */

static guint64 uid_of(const char *name, const char **ret_rest)
{
	char *end;
	guint64 uid = g_ascii_strtoull(name + strlen(PREFIX), &end, 10);

	*ret_rest = *end == '-' ? end + 1 : "";
	return uid;
}

/* Whether the name is that of a recorder of this user (for root: of the file's owner), and has the
 * inode, if given. */
static gboolean is_candidate(const char *name, const char *inode, uid_t owner)
{
	const char *rest;
	guint64 uid = uid_of(name, &rest);

	return (uid == getuid() || (inode && getuid() == 0 && uid == owner)) &&
	       (!inode || g_str_has_prefix(rest, inode));
}

/* Whether the answer to a mark is from the recorder of that name, and not from another process that
 * has taken the name. */
static gboolean is_recorder(const struct ucred *sender, const char *name)
{
	const char *rest;
	guint64 uid = uid_of(name, &rest);

	return sender->uid == uid || sender->uid == 0 ||
	       (uid == 0 && sender->uid == CAPABILITIES_OTHER_USER);
}

/* Returns the names of the candidates' sockets; the likely one first, as strangers can make any
 * number of others. */
static GPtrArray *list_candidates(const Root *root, const char *inode, uid_t owner,
				  const char *likely)
{
	GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
	int fd = openat(root_fd(root, CTPROF_ROOT_PROC), "net/unix", O_RDONLY | O_CLOEXEC);
	FILE *file = fd >= 0 ? fdopen(fd, "re") : NULL;
	char *line = NULL;
	gsize room = 0;

	while (file && getline(&line, &room, file) > 0) {
		const char *at = strstr(line, " @" PREFIX);

		g_strchomp(line);
		if (!at || !is_candidate(at + 2, inode, owner))
			continue;
		if (g_strcmp0(at + 2, likely) == 0)
			g_ptr_array_insert(found, 0, g_strdup(at + 2));
		else if (found->len < MOST_CANDIDATES)
			g_ptr_array_add(found, g_strdup(at + 2));
	}
	g_clear_pointer(&line, g_free);
	if (file)
		fclose(file);
	return found;
}

/* Connects to a socket, with an address of its own for the answer. */
static int connect_to(const char *name, GError **error)
{
	static const struct sockaddr_un any = {.sun_family = AF_UNIX};
	static const struct timeval patience = {.tv_sec = PATIENCE_S};
	struct sockaddr_un address;
	socklen_t length = make_address(&address, name);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && switch_on(fd, SO_PASSCRED) &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
	    bind(fd, (const struct sockaddr *)&any, sizeof any.sun_family) == 0 &&
	    connect(fd, (struct sockaddr *)&address, length) == 0)
		return fd;
	error_set_errno(error, errno, "the recorder cannot be reached");
	fd_close(&fd);
	return -1;
}

static gboolean send_to(const char *candidate, const char *name, GError **error)
{
	AUTO_FD fd = connect_to(candidate, error);
	struct ucred sender;
	MarkMessage answer;

	if (fd < 0)
		return FALSE;
	if (send(fd, name, strlen(name), MSG_NOSIGNAL) < 0)
		return error_set_errno(error, errno, "the recorder did not take the mark");
	if (!receive(fd, 0, &answer, &sender))
		return errno == EAGAIN
			       ? error_set_failed(
					 error,
					 "the recorder has not answered for %d s: the mark "
					 "is in its next sample, unless the recorder has ended",
					 PATIENCE_S)
			       : error_set_errno(error, errno, "the recorder cannot be reached");
	if (!is_recorder(&sender, candidate))
		return error_set_failed(error,
					"another user's process has the recorder's name, and no "
					"recorder has the mark");
	return answer.length == 0 ||
	       error_set_failed(error, "not taken: %.*s", (int)answer.length, answer.text);
}

/* Returns "a.ctprof, b.ctprof". */
static char *list_files(const GPtrArray *candidates)
{
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < candidates->len; i++) {
		const char *name = g_ptr_array_index(candidates, i);
		g_auto(GStrv) parts = g_strsplit(name + strlen(PREFIX), "-", 4);

		g_ptr_array_add(files, g_strdup(g_strv_length(parts) == 4 ? parts[3] : name));
	}
	return texts_list_sorted(files);
}

static gboolean fail_none(const char *file, GError **error)
{
	if (file)
		return error_set_failed(error,
					"%s: no recorder of this user writes this file in this "
					"network namespace",
					file);
	return error_set_failed(error, "no recording by this user is running in this network "
				       "namespace ('ctprof record' begins one)");
}

gboolean mark_socket_send(const Root *root, const char *name, const char *file, GError **error)
{
	struct stat st = {0};

	if (file && stat(file, &st) < 0)
		return error_set_errno(error, errno, "%s", file);
	g_autofree char *inode = file ? name_inode(&st) : NULL;
	g_autofree char *likely =
		file ? name_socket(getuid() ? getuid() : st.st_uid, inode, file) : NULL;
	g_autoptr(GPtrArray) found = list_candidates(root, inode, st.st_uid, likely);
	if (found->len == 0)
		return fail_none(file, error);
	if (!file && found->len > 1) {
		g_autofree char *files = list_files(found);

		return error_set_usage(error, "expected -f FILE: %u recordings are running: %s",
				       found->len, files);
	}
	/* Any process can take such a name, but only the recorder answers as the right user. */
	for (guint i = 0; i < found->len; i++) {
		g_clear_error(error);
		if (send_to(g_ptr_array_index(found, i), name, error))
			return TRUE;
	}
	return FALSE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delivery.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/root.h"
#include "capabilities.h"
#include "trespass.h"

/* A report and the files that accompany it. */
#define MAX_DELIVERIES 4
/* Maximum number of requests of a process that are served after its end. */
#define MAX_LEFT (2 * MAX_DELIVERIES + 1)
/* Maximum number of names tried for a file that must have a name before it is whole. */
#define MAX_TRIES 100

struct delivery {
	gboolean is_held; /* FALSE: the other members are invalid */
	int fd, dir;
	char name[NAME_MAX + 1];
	char temporary[NAME_MAX + 1]; /* "": none */
};

enum verb { BEGIN, SEAL, COMMIT, DISCARD, LEND_KEYS };

struct request {
	guint32 verb, number;
	char name[NAME_MAX + 1], temporary[NAME_MAX + 1];
};

/* Used in the supervisor, or in a process without one. */
static struct delivery held[MAX_DELIVERIES];
static gboolean sealed, keys_are_lent; /* in the supervisor */
/* In the process: the numbers in use, and the line to the supervisor. */
static gboolean taken[MAX_DELIVERIES];
static gboolean attended;
static int supervisor = -1;

/* ---- with the user's rights ----------------------------------------------------- */

/* Creates the file, or a link to it, under an unused name; returns the result of make. */
static int make_temporary(struct delivery *file, int (*make)(const struct delivery *file))
{
	for (guint i = 0; i < MAX_TRIES; i++) {
		g_snprintf(file->temporary, sizeof file->temporary, ".%.200s.%08x", file->name,
			   g_random_int());
		int made = make(file);

		if (made >= 0)
			return made;
		file->temporary[0] = '\0';
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

static int make_file(const struct delivery *file)
{
	return openat(file->dir, file->temporary,
		      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static int link_as(const struct delivery *file, const char *name)
{
	char link[ROOT_FD_PATH_MAX];

	return linkat(AT_FDCWD, root_fd_path(link, file->fd), file->dir, name, AT_SYMLINK_FOLLOW);
}

static int make_link(const struct delivery *file)
{
	return link_as(file, file->temporary);
}

/* Creates a file without a name if the file system can: nothing is left whatever happens. */
static int make_new(struct delivery *file)
{
	char link[ROOT_FD_PATH_MAX];

	/* 0600, as perf does: the file contains names and paths of the whole host. */
	file->fd = openat(file->dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file->fd >= 0 && access(root_fd_path(link, file->fd), F_OK) == 0)
		return 0;
	if (file->fd >= 0)
		close(file->fd);
	file->fd = make_temporary(file, make_file);
	return file->fd < 0 ? -errno : 0;
}

/* Returns 0 or -1. linkat() cannot replace an existing file: in that case, the file gets a
 * temporary name and is renamed over the old one. */
static int move_into_place(struct delivery *file)
{
	if (!file->temporary[0] && link_as(file, file->name) == 0)
		return 0;
	if (!file->temporary[0] && (errno != EEXIST || make_temporary(file, make_link) < 0))
		return -1;
	if (renameat(file->dir, file->temporary, file->dir, file->name) < 0)
		return -1;
	file->temporary[0] = '\0';
	return 0;
}

/* The file is in place; that it survives a power cut is best effort. */
static void sync_directory(int dir)
{
	AUTO_FD fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		(void)fsync(fd);
}

static void forget(struct delivery *file)
{
	if (!file->is_held)
		return;
	file->is_held = FALSE;
	close(file->dir);
	close(file->fd);
}

static int commit(struct delivery *file)
{
	AS_USER;

	if (!file->is_held)
		return -EBADF;
	if (move_into_place(file) < 0)
		return -errno;
	sync_directory(file->dir);
	forget(file);
	return 0;
}

static void discard(struct delivery *file)
{
	if (file->is_held && file->temporary[0]) {
		AS_USER;
		unlinkat(file->dir, file->temporary, 0);
	}
	forget(file);
}

void delivery_remove_unfinished(void)
{
	for (guint i = 0; i < MAX_DELIVERIES; i++)
		if (held[i].is_held && held[i].temporary[0])
			unlinkat(held[i].dir, held[i].temporary, 0);
}

/* ---- the line --------------------------------------------------------------------- */

union fds {
	struct cmsghdr header;
	char room[CMSG_SPACE(2 * sizeof(int))];
};

static struct msghdr make_message(struct iovec *part, union fds *fds)
{
	return (struct msghdr){
		.msg_iov = part,
		.msg_iovlen = 1,
		.msg_control = fds ? fds->room : NULL,
		.msg_controllen = fds ? sizeof fds->room : 0,
	};
}

/* Sends a request: 0 or -errno.  file: its descriptors are sent along; NULL: none. */
static int ask(enum verb verb, guint number, const struct delivery *file)
{
	union fds fds = {.room = {0}};
	struct request request = {.verb = verb, .number = number};
	struct iovec part = {&request, sizeof request};
	struct msghdr message = make_message(&part, file ? &fds : NULL);

	if (file) {
		fds.header = (struct cmsghdr){CMSG_LEN(2 * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(&fds.header), (int[]){file->fd, file->dir}, 2 * sizeof(int));
		memcpy(request.name, file->name, sizeof request.name);
		memcpy(request.temporary, file->temporary, sizeof request.temporary);
	}
	while (sendmsg(supervisor, &message, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int await_answer(void)
{
	gint32 result;
	ssize_t got;

	do
		got = recv(supervisor, &result, sizeof result, 0);
	while (got < 0 && errno == EINTR);
	return got == sizeof result ? result : -EPIPE;
}

/* Takes the descriptors that came with the message; each is -1 if missing. */
static void take_fds(const struct msghdr *message, int ret[2])
{
	const struct cmsghdr *header = CMSG_FIRSTHDR(message);
	gsize n = 0;

	ret[0] = ret[1] = -1;
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
		n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	if (n > 0)
		memcpy(ret, CMSG_DATA(header), MIN(n, 2) * sizeof(int));
}

static void begin(const struct request *request, int fds[2])
{
	struct delivery *file = &held[request->number];

	if (sealed || fds[1] < 0)
		return;
	discard(file);
	g_strlcpy(file->name, request->name, sizeof file->name);
	g_strlcpy(file->temporary, request->temporary, sizeof file->temporary);
	file->fd = fds[0];
	file->dir = fds[1];
	file->is_held = TRUE;
	fds[0] = fds[1] = -1;
}

static void handle_request(struct request *request, int fds[2], int line)
{
	request->name[NAME_MAX] = request->temporary[NAME_MAX] = '\0';
	if (request->verb == SEAL)
		sealed = TRUE;
	else if (request->verb == LEND_KEYS)
		keys_are_lent = request->number != 0;
	else if (request->number >= MAX_DELIVERIES)
		return;
	else if (request->verb == BEGIN)
		begin(request, fds);
	else if (request->verb == DISCARD)
		discard(&held[request->number]);
	else if (request->verb == COMMIT) {
		gint32 result = commit(&held[request->number]);

		/* If the answer cannot be sent, hang up, so that no one waits for it. */
		if (send(line, &result, sizeof result, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			(void)shutdown(line, SHUT_RDWR);
	}
}

gboolean delivery_serve(int line)
{
	union fds room;
	struct request request;
	struct iovec part = {&request, sizeof request};
	struct msghdr message = make_message(&part, &room);
	int fds[2];
	ssize_t got = recvmsg(line, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return TRUE;
	if (got < 0) {
		(void)shutdown(line, SHUT_RDWR);
		return FALSE;
	}
	take_fds(&message, fds);
	if (got == sizeof request)
		handle_request(&request, fds, line);
	fd_close(&fds[0]);
	fd_close(&fds[1]);
	return got > 0;
}

void delivery_end(int line)
{
	/* Bounded, as a copy of the process may go on sending requests. */
	for (guint i = 0; i < MAX_LEFT && delivery_serve(line); i++)
		continue;
	for (guint i = 0; i < MAX_DELIVERIES; i++)
		discard(&held[i]);
	sealed = keys_are_lent = FALSE;
}

gboolean delivery_keys_are_lent(void)
{
	return keys_are_lent;
}

/* ---- the process --------------------------------------------------------------------- */

void delivery_attend(int line)
{
	attended = TRUE;
	supervisor = line;
	trespass_hold(line);
}

gboolean delivery_is_attended(void)
{
	return attended;
}

void delivery_seal(void)
{
	if (attended)
		(void)ask(SEAL, 0, NULL);
}

void delivery_lend_keys(gboolean lent)
{
	if (attended)
		(void)ask(LEND_KEYS, lent ? 1 : 0, NULL);
}

/* The supervisor, or held, gets a duplicate of each descriptor; the caller keeps its own. */
static int hand_over(guint number, struct delivery *file, int dir)
{
	if (attended)
		return ask(BEGIN, number, file);
	held[number] = *file;
	held[number].is_held = TRUE;
	held[number].fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	held[number].dir = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	return 0;
}

int delivery_begin(int dir, const char *name, int *ret_fd)
{
	struct delivery file = {.fd = -1, .dir = dir};
	guint number = 0;

	if (g_strlcpy(file.name, name, sizeof file.name) >= sizeof file.name)
		return -ENAMETOOLONG;
	while (number < MAX_DELIVERIES && taken[number])
		number++;
	if (number == MAX_DELIVERIES)
		return -EMFILE;
	int result = make_new(&file);
	if (result == 0)
		result = hand_over(number, &file, dir);
	if (result < 0) {
		fd_close(&file.fd);
		return result;
	}
	taken[number] = TRUE;
	*ret_fd = file.fd;
	return (int)number;
}

int delivery_commit(int number)
{
	int result = attended ? ask(COMMIT, (guint)number, NULL) : commit(&held[number]);

	if (attended && result == 0)
		result = await_answer();
	taken[number] = result < 0;
	return result;
}

void delivery_discard(int number)
{
	if (attended)
		(void)ask(DISCARD, (guint)number, NULL);
	else
		discard(&held[number]);
	taken[number] = FALSE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "clock.h"
#include "list.h"

#define NS_PER_MS 1000000u
#define FIRST_ROOM 65536u

/* Waits until the socket is ready, but not after until_ns. */
static int wait_for(int fd, short events, uint64_t until_ns)
{
	struct pollfd ready = {.fd = fd, .events = events};
	uint64_t now = clock_now();

	if (now >= until_ns)
		return -ETIMEDOUT;
	int n = poll(&ready, 1, (int)((until_ns - now) / NS_PER_MS) + 1);
	return n > 0 || (n < 0 && errno == EINTR) ? 0 : n == 0 ? -ETIMEDOUT : -errno;
}

/* Retries if the server's queue of connections is full: connect() then fails at once. */
static int connect_until(int fd, const struct sockaddr_un *address, uint64_t until_ns)
{
	static const struct timespec nap = {.tv_nsec = 5 * NS_PER_MS};

	while (connect(fd, (const struct sockaddr *)address, sizeof *address) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (clock_now() >= until_ns)
			return -ETIMEDOUT;
		nanosleep(&nap, NULL);
	}
	return 0;
}

int link_open(struct link *ret, const char *path, uint64_t deadline_ns)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*ret = (struct link){.fd = -1, .deadline_ns = deadline_ns};
	if (strlen(path) >= sizeof address.sun_path)
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	int result = connect_until(fd, &address, clock_now() + deadline_ns);
	if (result < 0)
		return result;
	ret->fd = dup(fd);
	return ret->fd < 0 ? -errno : 0;
}

void link_close(struct link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
	free(link->answer);
	link->answer = NULL;
	link->room = 0;
}

static int send_line(const struct link *link, const char *line, uint64_t until_ns)
{
	size_t length = strlen(line), sent = 0;
	int result = 0;

	while (result == 0 && sent < length) {
		ssize_t n = send(link->fd, line + sent, length - sent, MSG_NOSIGNAL);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno == EAGAIN)
			result = wait_for(link->fd, POLLOUT, until_ns);
		else if (errno != EINTR)
			result = -errno;
	}
	return result;
}

/* Reads the available bytes, and stores them after used bytes; returns their number, or -errno. */
static ssize_t read_more(struct link *link, size_t used, uint64_t until_ns)
{
	size_t need = used + 1 > FIRST_ROOM ? used + 1 : FIRST_ROOM;

	if (list_reserve(&link->answer, &link->room, need, LINK_BYTES, 1) < 0)
		return used < LINK_BYTES ? -ENOMEM : -EMSGSIZE;
	/* Check for each piece: a server may send single bytes endlessly. */
	int result = wait_for(link->fd, POLLIN, until_ns);
	if (result < 0)
		return result;
	ssize_t n = recv(link->fd, link->answer + used, link->room - used, 0);
	if (n == 0)
		return -ECONNRESET;
	return n > 0 ? n : errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

static int read_line(struct link *link, uint64_t until_ns, size_t *ret_length)
{
	size_t used = 0;

	for (;;) {
		ssize_t n = read_more(link, used, until_ns);

		if (n < 0)
			return (int)n;
		const char *end = n > 0 ? memchr(link->answer + used, '\n', (size_t)n) : NULL;
		used += (size_t)n;
		if (!end)
			continue;
		*ret_length = (size_t)(end - link->answer);
		/* There is no other request, so further bytes cannot be an answer. */
		return *ret_length + 1 == used ? 0 : -EBADMSG;
	}
}

int link_ask(struct link *link, const char *line, size_t *ret_length)
{
	uint64_t until_ns = clock_now() + link->deadline_ns;

	if (link->fd < 0)
		return -ENOTCONN;
	int result = send_line(link, line, until_ns);
	if (result == 0)
		result = read_line(link, until_ns, ret_length);
	if (result < 0)
		link_close(link);
	return result;
}

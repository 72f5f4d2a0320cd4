/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/socket.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* A reply of version 17 is 724 bytes long. */
#define REPLY_SIZE 2048

/* The kernel charges the whole buffer of a reply to the socket, 2304 bytes for version 17: the
 * default of 208 KiB does not hold a batch. */
#define RECEIVE_BUFFER (1024 * 1024)

static const struct timeval patience = {.tv_sec = 1};

struct netlink {
	int fd;
	struct mmsghdr messages[NETLINK_BATCH];
	struct iovec vectors[NETLINK_BATCH];
	struct sockaddr_nl senders[NETLINK_BATCH];
	uint8_t buffers[NETLINK_BATCH][REPLY_SIZE];
};

static void nl_socket_drop(struct nl_sock **sock)
{
	if (*sock)
		nl_socket_free(*sock);
}

static void netlink_drop(struct netlink **netlink)
{
	if (*netlink)
		netlink_close(*netlink);
}

/* Converts an error number of libnl, which differs from errno. */
static int errno_of_libnl(int error)
{
	switch (-error) {
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_AGAIN:
		return -ETIMEDOUT;
	default:
		return -EIO;
	}
}

int netlink_resolve(const char *family, uint16_t *ret_id)
{
	__attribute__((cleanup(nl_socket_drop))) struct nl_sock *sock = nl_socket_alloc();

	if (!sock)
		return -ENOMEM;
	/* With auto-ACK, libnl would wait for an ACK that does not follow an error. */
	nl_socket_disable_auto_ack(sock);
	int r = genl_connect(sock);
	if (r < 0)
		return errno_of_libnl(r);
	if (setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof patience) < 0)
		return -errno;
	r = genl_ctrl_resolve(sock, family);
	if (r < 0)
		return errno_of_libnl(r);
	*ret_id = (uint16_t)r;
	return 0;
}

static void set_room(int fd, int size)
{
	/* If this fails, the buffer stays smaller; lost datagrams are noticed. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

static int configure(int fd)
{
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};

	set_room(fd, RECEIVE_BUFFER);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) < 0)
		return -errno;
	/* Binds a port, and keeps other processes from sending to it. */
	if (connect(fd, (const struct sockaddr *)&kernel, sizeof kernel) < 0)
		return -errno;
	return 0;
}

int netlink_open(struct netlink **ret)
{
	__attribute__((cleanup(netlink_drop))) struct netlink *netlink = malloc(sizeof *netlink);

	if (!netlink)
		return -ENOMEM;
	netlink->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (netlink->fd < 0)
		return -errno;
	int r = configure(netlink->fd);
	if (r < 0)
		return r;
	for (size_t i = 0; i < NETLINK_BATCH; i++) {
		netlink->vectors[i] = (struct iovec){netlink->buffers[i], REPLY_SIZE};
		netlink->messages[i] = (struct mmsghdr){
			.msg_hdr.msg_name = &netlink->senders[i],
			.msg_hdr.msg_iov = &netlink->vectors[i],
			.msg_hdr.msg_iovlen = 1,
		};
	}
	*ret = netlink;
	netlink = NULL;
	return 0;
}

void netlink_close(struct netlink *netlink)
{
	if (netlink->fd >= 0)
		close(netlink->fd);
	free(netlink);
}

void netlink_set_room(struct netlink *netlink, size_t room)
{
	set_room(netlink->fd, (int)room);
}

int netlink_send(struct netlink *netlink, const void *data, size_t len)
{
	ssize_t sent;

	do
		sent = send(netlink->fd, data, len, 0);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : 0;
}

int netlink_receive(struct netlink *netlink, struct netlink_datagram *ret, size_t n, bool wait)
{
	if (n > NETLINK_BATCH)
		n = NETLINK_BATCH;
	for (size_t i = 0; i < n; i++)
		netlink->messages[i].msg_hdr.msg_namelen = sizeof netlink->senders[i];
	int got = recvmmsg(netlink->fd, netlink->messages, (unsigned)n,
			   wait ? MSG_WAITFORONE : MSG_DONTWAIT, NULL);
	if (got < 0)
		return -errno;
	for (int i = 0; i < got; i++)
		ret[i] = (struct netlink_datagram){
			.data = netlink->buffers[i],
			.len = netlink->messages[i].msg_len,
			.sender = netlink->senders[i].nl_pid,
		};
	return got;
}

int64_t netlink_lost(const struct netlink *netlink)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t len = sizeof info;

	if (getsockopt(netlink->fd, SOL_SOCKET, SO_MEMINFO, info, &len) < 0)
		return -errno;
	return len > SK_MEMINFO_DROPS * sizeof info[0] ? (int64_t)info[SK_MEMINFO_DROPS]
						       : -EOPNOTSUPP;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))];
};

static struct msghdr make(struct iovec *part, union control *control, size_t n)
{
	return (struct msghdr){
		.msg_iov = part,
		.msg_iovlen = 1,
		.msg_control = control->room,
		.msg_controllen = CMSG_SPACE(n * sizeof(int)),
	};
}

int message_send(int socket, const void *data, size_t size, const int *fds, size_t n)
{
	union control control = {.head = {.cmsg_len = CMSG_LEN(n * sizeof *fds),
					  .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS}};
	struct iovec part = {(void *)(uintptr_t)data, size};
	const struct msghdr message = make(&part, &control, n);

	memcpy(CMSG_DATA(&control.head), fds, n * sizeof *fds);
	return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

bool message_receive(int socket, void *ret_data, size_t size, int *ret_fds, size_t n)
{
	union control control = {.room = {0}};
	struct iovec part = {ret_data, size};
	struct msghdr message = make(&part, &control, n);
	ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *head = got == (ssize_t)size ? CMSG_FIRSTHDR(&message) : NULL;

	if (!head || head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(n * sizeof *ret_fds))
		return false;
	memcpy(ret_fds, CMSG_DATA(head), n * sizeof *ret_fds);
	return true;
}

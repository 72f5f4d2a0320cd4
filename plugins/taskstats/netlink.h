/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sends to and receives from the kernel's generic netlink.  Tests replace it with a fake kernel. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest number of datagrams that one netlink_receive() returns. */
#define NETLINK_BATCH 128

struct netlink;

struct netlink_datagram {
	const uint8_t *data; /* valid until the next netlink_receive() */
	size_t len;
	uint32_t sender; /* port; 0 is the kernel */
};

/* Finds the ID of a generic netlink family.  -ENOENT: the kernel does not have it. */
int netlink_resolve(const char *family, uint16_t *ret_id);

int netlink_open(struct netlink **ret);
void netlink_close(struct netlink *netlink);
/* Sets how many bytes may wait to be received; initially enough for a batch of replies. */
void netlink_set_room(struct netlink *netlink, size_t room);

/* Sends one datagram, of any number of messages, to the kernel. */
int netlink_send(struct netlink *netlink, const void *data, size_t len);

/*
 * Receives up to n and NETLINK_BATCH datagrams; wait: waits up to a second for the first.  Returns
 * their number, or -errno: -EAGAIN if none has arrived, -ENOBUFS (once) if some were lost for lack
 * of room.
 */
int netlink_receive(struct netlink *netlink, struct netlink_datagram *ret, size_t n, bool wait);

/* Returns how many datagrams were lost for lack of room since netlink_open(), or -errno: kernels
 * before Linux 4.12 do not report it. */
int64_t netlink_lost(const struct netlink *netlink);

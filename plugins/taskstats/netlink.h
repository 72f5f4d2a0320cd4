/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's generic netlink, as a place to send to and receive from.  Tests
 * replace the kernel with one of their own here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Datagrams that one netlink_receive() gives at most. */
#define NETLINK_BATCH 128

struct netlink;

struct netlink_datagram {
	const uint8_t *data; /* valid until the next netlink_receive() */
	size_t len;
	uint32_t sender; /* port; 0 is the kernel */
};

/* The id of a generic netlink family.  -ENOENT: the kernel has no such one. */
int netlink_resolve(const char *family, uint16_t *ret_id);

int netlink_open(struct netlink **ret);
void netlink_close(struct netlink *netlink);
/* How many bytes may wait to be received; at first as many as a batch of replies has. */
void netlink_set_room(struct netlink *netlink, size_t room);

/* One datagram, of any number of messages, to the kernel. */
int netlink_send(struct netlink *netlink, const void *data, size_t len);

/*
 * What has arrived, up to n and NETLINK_BATCH datagrams; wait: at least one, for
 * at most a second.  Returns how many, or -errno: -EAGAIN when there is none,
 * -ENOBUFS (once) when some were lost for want of room.
 */
int netlink_receive(struct netlink *netlink, struct netlink_datagram *ret, size_t n, bool wait);

/* How many were lost for want of room since netlink_open(), or -errno: before Linux 4.12
 * nobody knows. */
int64_t netlink_lost(const struct netlink *netlink);

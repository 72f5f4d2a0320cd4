/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests the values of many threads at once and matches the answers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "netlink.h"
#include "wire.h"

struct taskstats_query {
	struct netlink *netlink;
	uint16_t family;
	enum taskstats_subject subject; /* the kind of IDs; may change between runs */
	uint32_t seq;                   /* of the next request */
	struct taskstats_request out[NETLINK_BATCH];
	struct netlink_datagram in[NETLINK_BATCH];
};

/* Returns the reason for absence (enum ctprof_absence) for an errno. */
uint32_t taskstats_absence(int err);

/* Receives thread i's answer: err is 0 and stats the kernel's struct, valid during the call; or err
 * is a positive errno: the kernel's, ETIMEDOUT (no answer), EBADMSG (malformed). */
typedef void (*taskstats_done)(void *data, size_t i, int err, const uint8_t *stats, size_t len);

/*
 * Requests n <= NETLINK_BATCH threads; done() is called once for each, in any order.  Returns
 * -errno if the socket fails, -ETIMEDOUT if no answer came at all, so that further requests are
 * useless.
 */
int taskstats_query_run(struct taskstats_query *query, const int32_t *tids, size_t n,
			taskstats_done done, void *data);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two messages of the TASKSTATS generic netlink family, as bytes. */
#pragma once

#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request for one thread; many of them are sent back to back. */
struct taskstats_request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	struct nlattr attr;
	uint32_t tid;
};

/* The subject of a request and its answer. */
enum taskstats_subject {
	TASKSTATS_OF_THREAD,
	TASKSTATS_OF_PROCESS, /* the sum of a process's threads, including ended ones */
};

/* No NLM_F_ACK: each request has exactly one answer, data or error. */
struct taskstats_request taskstats_request_make(uint16_t family, enum taskstats_subject subject,
						uint32_t seq, int32_t id);

/* Longer than any list of CPUs that a kernel writes. */
#define TASKSTATS_CPUS_SIZE 1024

/* A request for a record of each thread that ends on these CPUs ("0-3"), or its cancellation. */
struct taskstats_registration {
	struct nlmsghdr nl; /* nlmsg_len: how much of this struct is used */
	struct genlmsghdr genl;
	struct nlattr attr;
	char cpus[TASKSTATS_CPUS_SIZE];
};

/* attr: TASKSTATS_CMD_ATTR_REGISTER_CPUMASK or _DEREGISTER_CPUMASK.  NLM_F_ACK is set, so success
 * is answered, too. */
struct taskstats_registration taskstats_registration_make(uint16_t family, uint16_t attr,
							  const char *cpus);

/* Whether it is the answer to a registration; *ret_error: 0 or a positive errno.  Records may
 * arrive before the answer. */
bool taskstats_parse_ack(const uint8_t *data, size_t len, int *ret_error);

struct taskstats_reply {
	uint32_t seq;
	/* 0; the errno the kernel answered with; EBADMSG: not the expected reply */
	int error;
	/* Valid only if error is 0; stats points into the datagram. */
	int32_t tid;
	const uint8_t *stats;
	size_t stats_len;
};

/* Returns false if the datagram is too short to contain a sequence number. */
bool taskstats_parse_reply(const uint8_t *data, size_t len, uint16_t family,
			   enum taskstats_subject subject, struct taskstats_reply *ret);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "wire.h"

#include <errno.h>
#include <limits.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <string.h>

_Static_assert(sizeof(struct taskstats_request) == 28, "a request has no padding");

/* The kernel's names of the subjects. */
static const struct {
	uint16_t asked, group, id;
} names[] = {
	[TASKSTATS_OF_THREAD] = {TASKSTATS_CMD_ATTR_PID, TASKSTATS_TYPE_AGGR_PID,
				 TASKSTATS_TYPE_PID},
	[TASKSTATS_OF_PROCESS] = {TASKSTATS_CMD_ATTR_TGID, TASKSTATS_TYPE_AGGR_TGID,
				  TASKSTATS_TYPE_TGID},
};

struct taskstats_request taskstats_request_make(uint16_t family, enum taskstats_subject subject,
						uint32_t seq, int32_t id)
{
	return (struct taskstats_request){
		.nl = {.nlmsg_len = sizeof(struct taskstats_request),
		       .nlmsg_type = family,
		       .nlmsg_flags = NLM_F_REQUEST,
		       .nlmsg_seq = seq},
		.genl = {.cmd = TASKSTATS_CMD_GET, .version = TASKSTATS_GENL_VERSION},
		.attr = {.nla_len = sizeof(struct nlattr) + sizeof(uint32_t),
			 .nla_type = names[subject].asked},
		.tid = (uint32_t)id,
	};
}

static size_t aligned(size_t len)
{
	return (len + NLA_ALIGNTO - 1) & ~(size_t)(NLA_ALIGNTO - 1);
}

struct taskstats_registration taskstats_registration_make(uint16_t family, uint16_t attr,
							  const char *cpus)
{
	struct taskstats_registration made = {
		.nl = {.nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
		.genl = {.cmd = TASKSTATS_CMD_GET, .version = TASKSTATS_GENL_VERSION},
		.attr = {.nla_type = attr},
	};
	size_t len = strnlen(cpus, sizeof made.cpus - 1) + 1;

	memcpy(made.cpus, cpus, len - 1);
	made.attr.nla_len = (uint16_t)(sizeof made.attr + len);
	made.nl.nlmsg_len =
		(uint32_t)(offsetof(struct taskstats_registration, cpus) + aligned(len));
	return made;
}

struct span {
	const uint8_t *p;
	size_t len;
};

/* Finds the payload of the first attribute of a type. */
static bool find_attribute(struct span in, uint16_t type, struct span *ret)
{
	struct nlattr attr;

	while (in.len >= sizeof attr) {
		memcpy(&attr, in.p, sizeof attr);
		if (attr.nla_len < sizeof attr || attr.nla_len > in.len)
			return false;
		if ((attr.nla_type & NLA_TYPE_MASK) == type) {
			*ret = (struct span){in.p + sizeof attr, attr.nla_len - sizeof attr};
			return true;
		}
		size_t step = aligned(attr.nla_len);
		if (step >= in.len)
			return false;
		in = (struct span){in.p + step, in.len - step};
	}
	return false;
}

/* Returns the error in struct nlmsgerr after the header.  0 would be an ACK, which was not
 * requested. */
static int error_of(struct span body)
{
	int32_t error;

	if (body.len < sizeof error)
		return EBADMSG;
	memcpy(&error, body.p, sizeof error);
	return error < 0 && error > INT_MIN ? -error : EBADMSG;
}

static int parse_stats(struct span body, enum taskstats_subject subject,
		       struct taskstats_reply *ret)
{
	struct genlmsghdr genl;
	struct span group, tid, stats;

	if (body.len < sizeof genl)
		return EBADMSG;
	memcpy(&genl, body.p, sizeof genl);
	struct span attributes = {body.p + GENL_HDRLEN, body.len - GENL_HDRLEN};

	if (genl.cmd != TASKSTATS_CMD_NEW ||
	    !find_attribute(attributes, names[subject].group, &group) ||
	    !find_attribute(group, names[subject].id, &tid) || tid.len < sizeof ret->tid ||
	    !find_attribute(group, TASKSTATS_TYPE_STATS, &stats))
		return EBADMSG;
	memcpy(&ret->tid, tid.p, sizeof ret->tid);
	ret->stats = stats.p;
	ret->stats_len = stats.len;
	return 0;
}

bool taskstats_parse_ack(const uint8_t *data, size_t len, int *ret_error)
{
	struct nlmsghdr nl;
	int32_t error;

	if (len < sizeof nl + sizeof error)
		return false;
	memcpy(&nl, data, sizeof nl);
	memcpy(&error, data + sizeof nl, sizeof error);
	if (nl.nlmsg_type != NLMSG_ERROR)
		return false;
	*ret_error = error == 0 ? 0 : error_of((struct span){data + sizeof nl, len - sizeof nl});
	return true;
}

bool taskstats_parse_reply(const uint8_t *data, size_t len, uint16_t family,
			   enum taskstats_subject subject, struct taskstats_reply *ret)
{
	struct nlmsghdr nl;

	if (len < sizeof nl)
		return false;
	memcpy(&nl, data, sizeof nl);
	*ret = (struct taskstats_reply){.seq = nl.nlmsg_seq, .error = EBADMSG};
	if (nl.nlmsg_len < sizeof nl || nl.nlmsg_len > len)
		return true;
	struct span body = {data + sizeof nl, nl.nlmsg_len - sizeof nl};
	if (nl.nlmsg_type == NLMSG_ERROR)
		ret->error = error_of(body);
	else if (nl.nlmsg_type == family)
		ret->error = parse_stats(body, subject, ret);
	return true;
}

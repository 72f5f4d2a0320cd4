/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "query.h"

#include <errno.h>
#include <string.h>

#include "ctprof/plugin.h"

/* Rounds for one thread; a second one is rare, see RECEIVE_BUFFER in netlink.c. */
#define MAX_ROUNDS 3
/* The number of receives in one round that may bring no awaited answer. */
#define MAX_USELESS 4

/* A round: one send, and the receives that belong to it. */
struct round {
	const int32_t *tids;
	taskstats_done done;
	void *data;
	uint32_t first;                  /* sequence number of request 0 */
	size_t asked;                    /* requests */
	size_t open;                     /* requests without an answer */
	uint8_t index[NETLINK_BATCH];    /* into tids, by request */
	uint8_t answered[NETLINK_BATCH]; /* for each request, 0 or 1 */
};

_Static_assert(NETLINK_BATCH <= UINT8_MAX + 1, "round.index is 8 bits wide");

static int send_requests(struct taskstats_query *query, struct round *round)
{
	round->first = query->seq;
	round->open = round->asked;
	memset(round->answered, 0, sizeof round->answered);
	for (size_t i = 0; i < round->asked; i++)
		query->out[i] = taskstats_request_make(query->family, query->subject, query->seq++,
						       round->tids[round->index[i]]);
	return netlink_send(query->netlink, query->out, round->asked * sizeof query->out[0]);
}

/* Takes an answer.  A datagram that answers no open request is dropped: it is a late one from an
 * earlier round, or not from the kernel. */
static void take_answer(struct taskstats_query *query, struct round *round,
			const struct netlink_datagram *datagram)
{
	struct taskstats_reply reply;

	if (datagram->sender != 0 || !taskstats_parse_reply(datagram->data, datagram->len,
							    query->family, query->subject, &reply))
		return;
	uint32_t i = reply.seq - round->first;
	if (i >= round->asked || round->answered[i])
		return;
	round->answered[i] = 1;
	round->open--;
	if (reply.error == 0 && reply.tid != round->tids[round->index[i]])
		reply.error = EBADMSG;
	round->done(round->data, round->index[i], reply.error, reply.stats, reply.stats_len);
}

static int receive_answers(struct taskstats_query *query, struct round *round)
{
	bool wait = true;
	int useless = 0;

	while (round->open > 0 && useless < MAX_USELESS) {
		int got = netlink_receive(query->netlink, query->in, NETLINK_BATCH, wait);
		size_t before = round->open;

		/* genl_rcv() answers inside our send(): every answer that fitted is queued by now,
		 * so waiting would not bring more. */
		if (got == -ENOBUFS)
			wait = false;
		else if (got == -EAGAIN)
			return 0;
		else if (got < 0 && got != -EINTR)
			return got;
		for (int i = 0; i < got; i++)
			take_answer(query, round, &query->in[i]);
		useless += round->open == before;
	}
	return 0;
}

/* Keeps the unanswered requests for the next round. */
static void keep_open(struct round *round)
{
	size_t kept = 0;

	for (size_t i = 0; i < round->asked; i++)
		if (!round->answered[i])
			round->index[kept++] = round->index[i];
	round->asked = kept;
}

uint32_t taskstats_absence(int err)
{
	switch (err) {
	case EPERM:
		return CTPROF_ABSENT_DENIED;
	case ESRCH:
		return CTPROF_ABSENT_VANISHED;
	case ETIMEDOUT:
		return CTPROF_ABSENT_TIMEOUT;
	case ENOENT:
	case EOPNOTSUPP:
		return CTPROF_ABSENT_UNSUPPORTED;
	default:
		return CTPROF_ABSENT_INVALID;
	}
}

int taskstats_query_run(struct taskstats_query *query, const int32_t *tids, size_t n,
			taskstats_done done, void *data)
{
	struct round round = {.tids = tids, .done = done, .data = data, .asked = n};
	int r = 0;

	for (size_t i = 0; i < n; i++)
		round.index[i] = (uint8_t)i;
	for (int rounds = 0; r == 0 && round.asked > 0 && rounds < MAX_ROUNDS; rounds++) {
		r = send_requests(query, &round);
		if (r == 0)
			r = receive_answers(query, &round);
		keep_open(&round);
	}
	if (r == 0 && n > 0 && round.asked == n)
		r = -ETIMEDOUT;
	for (size_t i = 0; i < round.asked; i++)
		done(data, round.index[i], r ? -r : ETIMEDOUT, NULL, 0);
	return r;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "replay.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../netlink.h"
#include "kernel.h"

/* The result of one receive. */
struct event {
	gint err; /* this errno instead of a datagram */
	guint32 sender;
	GByteArray *data;
};

struct replay_kernel kernel;

static GQueue events = G_QUEUE_INIT;
/* The messages of the last receive, which the plugin may use until the next. */
static GPtrArray *lent;

static void event_free(gpointer data)
{
	struct event *event = data;

	if (event->data)
		g_byte_array_unref(event->data);
	g_free(event);
}

void replay_reset(void)
{
	kernel = (struct replay_kernel){
		.own_version = 16,
		.own_cpu_count = 1,
		.own_hiwater_vm = 1,
		.sends = g_array_new(FALSE, FALSE, sizeof(guint)),
	};
	lent = g_ptr_array_new_with_free_func(event_free);
}

void replay_clear(void)
{
	g_queue_clear_full(&events, event_free);
	g_clear_pointer(&lent, g_ptr_array_unref);
	g_clear_pointer(&kernel.sends, g_array_unref);
	g_clear_pointer(&kernel.registered, g_free);
	g_assert_cmpint(kernel.open_sockets, ==, 0);
}

static void push(struct event event)
{
	g_queue_push_tail(&events, g_memdup2(&event, sizeof event));
}

void replay_queue(GByteArray *data, guint32 sender)
{
	push((struct event){.sender = sender, .data = data});
}

void replay_queue_errno(gint err)
{
	push((struct event){.err = err});
}

GByteArray *replay_answer(guint32 seq, gint32 tid, guint64 value)
{
	g_autoptr(GByteArray) stats = kernel_stats(16, kernel_stats_size(16));

	kernel_stats_set(stats, 16, value);
	return kernel_reply(FAMILY, seq, tid, stats);
}

void replay_answer_truly(const struct taskstats_request *request)
{
	replay_queue(replay_answer(request->nl.nlmsg_seq, (gint32)request->tid, request->tid), 0);
}

static void answer_own(const struct taskstats_request *request)
{
	g_autoptr(GByteArray) stats = kernel_stats(kernel.own_version, 560);
	guint32 seq = request->nl.nlmsg_seq;

	kernel_stats_set(stats, 16, kernel.own_cpu_count);
	kernel_stats_set(stats, 208, kernel.own_hiwater_vm);
	if (kernel.own_err)
		replay_queue(kernel_error(seq, -kernel.own_err), 0);
	else
		replay_queue(kernel_reply(FAMILY, seq, (gint32)request->tid, stats), 0);
}

/* Answers with the sum of a process: the true one, less the switches that the kernel forgets for
 * threads that ended. */
static void answer_totals(const struct taskstats_request *request)
{
	g_autoptr(GByteArray) stats = kernel_stats(16, kernel_stats_size(16));
	struct rusage usage;

	g_assert_cmpint(getrusage(RUSAGE_SELF, &usage), ==, 0);
	kernel_stats_set(stats, 72, request->tid);
	kernel_stats_set(stats, 272, (guint64)usage.ru_nvcsw - kernel.forgets);
	replay_queue(kernel_totals(FAMILY, request->nl.nlmsg_seq, (gint32)request->tid, stats), 0);
}

int netlink_resolve(const char *family, uint16_t *ret_id)
{
	g_assert_cmpstr(family, ==, "TASKSTATS");
	if (kernel.resolve_err)
		return -kernel.resolve_err;
	*ret_id = FAMILY;
	return 0;
}

void netlink_set_room(struct netlink *netlink, size_t room)
{
	g_assert_true((void *)netlink == &kernel);
	kernel.room = room;
}

int netlink_open(struct netlink **ret)
{
	if (kernel.open_err)
		return -kernel.open_err;
	*ret = (struct netlink *)&kernel;
	kernel.open_sockets++;
	return 0;
}

void netlink_close(struct netlink *netlink)
{
	g_assert_true((void *)netlink == &kernel);
	kernel.open_sockets--;
}

static void answer_registration(const struct taskstats_registration *request, size_t len)
{
	g_assert_cmpuint(len, ==, request->nl.nlmsg_len);
	g_assert_cmpuint(request->attr.nla_len, ==, 4 + strlen(request->cpus) + 1);
	g_assert_cmpuint(len, ==, 20 + (request->attr.nla_len + 3u) / 4 * 4);
	g_free(kernel.registered);
	kernel.registered = request->attr.nla_type == TASKSTATS_CMD_ATTR_REGISTER_CPUMASK
				    ? g_strdup(request->cpus)
				    : NULL;
	replay_queue(kernel_error(0, -kernel.register_err), 0);
}

int netlink_send(struct netlink *netlink, const void *data, size_t len)
{
	const struct taskstats_request *requests = data;
	guint n = (guint)(len / sizeof *requests);
	gboolean is_totals = requests[0].attr.nla_type == TASKSTATS_CMD_ATTR_TGID;

	g_assert_true((void *)netlink == &kernel);
	if (requests[0].nl.nlmsg_flags & NLM_F_ACK) {
		answer_registration(data, len);
		return 0;
	}
	g_assert_cmpuint(len % sizeof *requests, ==, 0);
	g_assert_cmpuint(n, <=, 128);
	if (kernel.send_err)
		return -kernel.send_err;
	for (guint i = 0; i < n; i++) {
		g_assert_cmpuint(requests[i].nl.nlmsg_type, ==, FAMILY);
		g_assert_cmpuint(requests[i].nl.nlmsg_flags, ==, NLM_F_REQUEST);
		if (is_totals)
			answer_totals(&requests[i]);
		else if ((gint32)requests[i].tid == gettid())
			answer_own(&requests[i]);
		else if (kernel.answer)
			kernel.answer(kernel.sends->len, &requests[i]);
		else
			replay_answer_truly(&requests[i]);
	}
	if (!is_totals)
		g_array_append_val(kernel.sends, n);
	return 0;
}

int64_t netlink_lost(const struct netlink *netlink)
{
	g_assert_true((const void *)netlink == &kernel);
	return kernel.lost;
}

int netlink_receive(struct netlink *netlink, struct netlink_datagram *ret, size_t n, bool wait)
{
	struct event *event;
	size_t got = 0;

	g_assert_true((void *)netlink == &kernel);
	g_ptr_array_set_size(lent, 0);
	if (kernel.flood && g_queue_is_empty(&events)) {
		g_assert_cmpuint(kernel.strays++, <, 100);
		replay_queue(g_byte_array_new(), 4711);
	}
	while (got < n && (event = g_queue_peek_head(&events))) {
		if (event->err && got > 0)
			break;
		g_queue_pop_head(&events);
		g_ptr_array_add(lent, event);
		if (event->err)
			return -event->err;
		ret[got++] = (struct netlink_datagram){event->data->data, event->data->len,
						       event->sender};
	}
	kernel.waits += got == 0 && wait;
	return got ? (int)got : -EAGAIN;
}

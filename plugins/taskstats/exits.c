/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exits.h"

#include <errno.h>
#include <linux/taskstats.h>
#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "descriptor.h"
#include "file.h"
#include "namespace.h"
#include "newer-host.h"
#include "option.h"
#include "shared-metrics.h"
#include "slots.h"
#include "text.h"
#include "wire.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_TICK UINT64_C(10000000)
/* The number of receives to wait for the answer to a registration: records may come first. */
#define MAX_RECEIVES 64

static const struct ctprof_metric comm =
	METRIC_ROW(LABEL, TEXT, EXIT, "comm", "exit", "name of the thread", "taskstats.ac_comm",
		   .gates = "TASKSTATS");

static const struct ctprof_metric tallies[EXITS_N_TALLIES] = {
	[EXITS_RECEIVED] = SHARED_exits_received,
	[EXITS_LOST] = SHARED_exits_lost,
	[EXITS_SOURCE] = SHARED_exits_source,
};

int exits_declare(struct exits *self, const struct ctprof_host *host)
{
	self->host = host;
	self->store.n_words = TASKSTATS_EXIT_WORDS;
	if (!HOST_HAS(host, exited))
		return 0;
	int r = slots_declare(host, &comm, 1, &self->comm_slot);
	if (r == 0)
		r = slots_declare_rows(host, exit_fields, sizeof *exit_fields, EXIT_N_FIELDS,
				       self->slots);
	if (r == 0)
		r = slots_declare(host, tallies, EXITS_N_TALLIES, self->tally_slots);
	return r;
}

void exits_start(struct exits *self, uint16_t family, uint32_t active)
{
	self->family = family;
	if (!self->comm_slot || !slots_wanted(self->host, self->slots, EXIT_N_FIELDS))
		return;
	/* The kernel counts bytes of storage only if it also has this file. */
	if (file_check_root(self->host, CTPROF_ROOT_PROC, "self/io") == 0)
		active |= TASKSTATS_IO;
	for (size_t i = 0; i < EXIT_N_FIELDS; i++)
		if (!(exit_fields[i].needs & ~active) &&
		    self->host->wanted(self->host, self->slots[i]))
			self->fill |= UINT64_C(1) << i;
}

/* ---- listening ---- */

static void estimate_start(struct taskstats_values *values, uint64_t now)
{
	uint64_t elapsed = values->value[EXIT_FIELD_ELAPSED];

	if (!(values->present >> EXIT_FIELD_ELAPSED & 1) || elapsed > now / NS_PER_US)
		return;
	values->value[EXIT_FIELD_START] = (now - elapsed * NS_PER_US) / NS_PER_TICK;
	values->present |= UINT64_C(1) << EXIT_FIELD_START;
}

/* When a process ends, the kernel also sends the sum of its threads.  The sum is ignored: it comes
 * as an attribute beside the last thread's record, or in a message of its own. */
static void take_message(struct exits *self, const struct netlink_datagram *datagram, uint64_t now)
{
	union taskstats_exit_words kept = {.words = {0}};
	struct taskstats_reply reply;

	if (datagram->sender != 0 ||
	    !taskstats_parse_reply(datagram->data, datagram->len, self->family, TASKSTATS_OF_THREAD,
				   &reply) ||
	    reply.error != 0)
		return;
	if (taskstats_decode_exit(reply.stats, reply.stats_len, &kept.record) < 0) {
		self->refused++;
		return;
	}
	estimate_start(&kept.record.values, now);
	if (!exit_store_add(&self->store, kept.words))
		self->refused++;
}

/* Handles the datagrams that have arrived.  Returns 0 if there were none. */
static int receive(struct exits *self, bool wait, int *ret_error)
{
	int got = netlink_receive(self->netlink, self->in, NETLINK_BATCH, wait);

	if (got == -ENOBUFS)
		self->overruns++;
	if (got == -ENOBUFS || got == -EINTR)
		return 1;
	uint64_t now = clock_ns(CLOCK_BOOTTIME);
	for (int i = 0; i < got; i++)
		if (self->in[i].sender != 0 ||
		    !taskstats_parse_ack(self->in[i].data, self->in[i].len, ret_error))
			take_message(self, &self->in[i], now);
	return got == -EAGAIN ? 0 : got;
}

/* Requests or cancels records on all possible CPUs, to include those that come online later. */
static int request(struct exits *self, uint16_t attr)
{
	char text[TASKSTATS_CPUS_SIZE];
	ssize_t len = file_read_root(self->host, CTPROF_ROOT_SYS, "devices/system/cpu/possible",
				     text, sizeof text - 1);

	if (len < 0)
		return (int)len;
	struct text cpus = text_trim((struct text){text, (size_t)len});
	text[cpus.p - text + (ptrdiff_t)cpus.len] = '\0';
	const struct taskstats_registration made =
		taskstats_registration_make(self->family, attr, cpus.p);
	return netlink_send(self->netlink, &made, made.nl.nlmsg_len);
}

static int register_all(struct exits *self)
{
	int error = -1; /* set by the answer to 0 or a positive errno */
	int r = request(self, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK);

	if (r < 0)
		return r;
	for (int i = 0; i < MAX_RECEIVES && error < 0; i++) {
		r = receive(self, true, &error);
		if (r <= 0)
			break;
	}
	if (r < 0)
		return r;
	return error < 0 ? -ETIMEDOUT : -error;
}

const char *exits_explain(const struct exits *self, int err)
{
	switch (err) {
	case -EINVAL:
		return namespace_is_first(self->host, "pid") &&
				       namespace_is_first(self->host, "user")
			       ? "this kernel refuses to send exit records"
			       : "the kernel sends exit records to the initial PID and user "
				 "namespace only";
	case -EPERM:
		return "exit records need CAP_NET_ADMIN in the initial user namespace";
	default:
		return strerror(-err);
	}
}

int exits_listen(struct exits *self)
{
	uint64_t room = option_u64(self->host, EXITS_OPTION, EXITS_BUFFER_BYTES);
	int r = netlink_open(&self->netlink);

	if (r == 0)
		r = register_all(self);
	/* Do this only now: a small buffer might have no room for the answer. */
	if (r == 0) {
		netlink_set_room(self->netlink, (size_t)room);
		return 0;
	}
	if (self->netlink)
		netlink_close(self->netlink);
	self->netlink = NULL;
	self->error = r;
	self->host->error(self->host, "%s", exits_explain(self, r));
	return r;
}

int exits_drain(struct exits *self)
{
	int ignored, r;

	do
		r = receive(self, false, &ignored);
	while (r > 0);
	if (r < 0)
		self->host->error(self->host, "cannot receive exit records: %s", strerror(-r));
	return r;
}

void exits_close(struct exits *self)
{
	if (self->netlink) {
		/* Best effort: the kernel itself drops a dead listener when the next thread
		 * ends. */
		(void)request(self, TASKSTATS_CMD_ATTR_DEREGISTER_CPUMASK);
		netlink_close(self->netlink);
	}
	exit_store_clear(&self->store);
}

/* ---- rows ---- */

static void put_record(const struct exits *self, struct ctprof_batch *batch, uint64_t row,
		       const struct taskstats_exit *record)
{
	const struct ctprof_host *host = self->host;
	uint64_t fill = taskstats_fill(self->fill, &record->values);

	host->put_text(batch, row, self->comm_slot, record->comm,
		       strnlen(record->comm, sizeof record->comm));
	for (; fill; fill &= fill - 1) {
		int i = __builtin_ctzll(fill);
		uint64_t value = record->values.value[i];

		if (exit_fields[i].metric.kind == CTPROF_ORDINAL)
			host->put_i64(batch, row, self->slots[i], (int64_t)value);
		else
			host->put_u64(batch, row, self->slots[i], value);
	}
	if (record->tgid != 0 && record->tgid != record->tid)
		host->put_absent(batch, row, self->slots[EXIT_FIELD_CODE],
				 CTPROF_ABSENT_INAPPLICABLE);
}

int exits_collect(struct exits *self, struct ctprof_batch *batch)
{
	union taskstats_exit_words kept;
	uint64_t row;

	/* Receives on the first call only, so records that come later are left for the next
	 * capture. */
	if (!self->cursor.block && self->netlink && exits_drain(self) < 0)
		self->refused++;
	for (;;) {
		struct exit_cursor before = self->cursor;

		if (!exit_store_next(&self->store, &self->cursor, kept.words))
			return 0;
		if (self->host->exited(batch, kept.record.tgid, kept.record.tid, &row) < 0) {
			self->cursor = before;
			return 0;
		}
		put_record(self, batch, row, &kept.record);
	}
}

static uint64_t count_lost(const struct exits *self)
{
	int64_t lost = netlink_lost(self->netlink);

	return self->refused + (lost < 0 ? self->overruns : (uint64_t)lost);
}

void exits_put_tallies(const struct exits *self, struct ctprof_batch *batch)
{
	const struct ctprof_host *host = self->host;

	if (!self->comm_slot)
		return;
	if (!self->netlink) {
		slots_put_absent(host, batch, 0, self->tally_slots, EXITS_N_TALLIES,
				 self->error ? CTPROF_ABSENT_DENIED : CTPROF_ABSENT_SKIPPED);
		return;
	}
	host->put_u64(batch, 0, self->tally_slots[EXITS_RECEIVED], self->store.n);
	host->put_u64(batch, 0, self->tally_slots[EXITS_LOST],
		      count_lost(self) - self->lost_before);
	host->put_text(batch, 0, self->tally_slots[EXITS_SOURCE], "taskstats", strlen("taskstats"));
}

void exits_again(struct exits *self)
{
	exit_store_clear(&self->store);
	self->cursor = (struct exit_cursor){0};
	if (self->netlink)
		self->lost_before = count_lost(self);
}

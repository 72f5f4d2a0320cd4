/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A fake kernel that replaces netlink.c in tests. */
#pragma once

#include <glib.h>

#include "../wire.h"

#define FAMILY 23

/* How the kernel behaves; replay_reset() makes it behave well. */
struct replay_kernel {
	gint resolve_err, open_err, send_err; /* errno, or 0 */
	/* Its answer to the requesting process about itself. */
	gint own_err;
	guint16 own_version;
	guint64 own_cpu_count, own_hiwater_vm;
	/* Answers a request of send number `round`; NULL: with the true values. */
	void (*answer)(guint round, const struct taskstats_request *request);
	/* Context switches that its sum for a process lacks; the sum is that of getrusage(). */
	guint64 forgets;
	gboolean flood; /* a receive always brings something, though not from the kernel */
	GArray *sends;  /* guint: requests in each */
	guint waits;    /* receives that would have waited without result */
	guint strays;   /* brought by flood */
	/* Its answer to a registration for exits: errno, or 0; and the CPUs of the registration. */
	gint register_err;
	char *registered; /* NULL: none */
	gsize room;       /* the requested room */
	gint64 lost;      /* the number it reports */
	gint open_sockets;
};

extern struct replay_kernel kernel;

void replay_reset(void);
void replay_clear(void);

/* Queues a message to be received; takes ownership of data.  sender 0: the kernel. */
void replay_queue(GByteArray *data, guint32 sender);
void replay_queue_errno(gint err);
/* Returns an answer whose cpu_delay_count is value; the true one is the TID. */
GByteArray *replay_answer(guint32 seq, gint32 tid, guint64 value);
void replay_answer_truly(const struct taskstats_request *request);

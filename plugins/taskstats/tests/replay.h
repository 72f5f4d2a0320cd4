/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel of the test's own, which stands in for netlink.c. */
#pragma once

#include <glib.h>

#include "../wire.h"

#define FAMILY 23

/* How the kernel behaves; replay_reset() makes it behave well. */
struct replay_kernel {
	gint resolve_err, open_err, send_err; /* errno, or 0 */
	/* Its answer to the asking process itself. */
	gint own_err;
	guint16 own_version;
	guint64 own_cpu_count, own_hiwater_vm;
	/* Answers a request of send number `round`; NULL: truthfully. */
	void (*answer)(guint round, const struct taskstats_request *request);
	/* Context switches that its sum for a process lacks; the sum is of getrusage(). */
	guint64 forgets;
	gboolean flood; /* a receive always brings something, if not the kernel's */
	GArray *sends;  /* guint: requests in each */
	guint waits;    /* receives that would have waited in vain */
	guint strays;   /* brought by flood */
	/* Its answer to a registration for ends: errno, or 0; and that one's CPUs. */
	gint register_err;
	char *registered; /* NULL: none */
	gsize room;       /* that was asked for */
	gint64 lost;      /* as it says */
	gint open_sockets;
};

extern struct replay_kernel kernel;

void replay_reset(void);
void replay_clear(void);

/* Queues a message to be received; takes ownership of data.  sender 0: the kernel. */
void replay_queue(GByteArray *data, guint32 sender);
void replay_queue_errno(gint err);
/* An answer whose cpu_delay_count is value; the truth is the tid. */
GByteArray *replay_answer(guint32 seq, gint32 tid, guint64 value);
void replay_answer_truly(const struct taskstats_request *request);

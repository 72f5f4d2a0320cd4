/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads there are, by a source that knows them all, and which of them are as in the
 * sample before. */
#pragma once

#include <glib.h>

#include "cgroupset.h"
#include "handoff.h"
#include "plugin/plugin.h"
#include "row/registry.h"

typedef struct listed {
	GArray *threads;   /* WalkThread, by (tgid, tid): those to be read */
	GArray *same;      /* WalkThread: those that need not be, in the source's order */
	guint64 processes; /* of both */
} Listed;

/* FALSE: no source can.  may_skip: a row that cannot have changed need not be read.  pids:
 * gint32; NULL: all. */
gboolean listed_make(Listed *listed, const GPtrArray *plugins, const Registry *registry,
		     const GArray *pids, gboolean may_skip);
/* How many need not be read. */
guint64 listed_same(const Listed *listed);
/* Hands them on, and notes that they are in the cgroups that they were in. */
gboolean listed_hand_on(const Listed *listed, const Handoff *handoff, CgroupSet *cgroups,
			GError **error);
/* An empty one is all zero. */
void listed_clear(Listed *listed);

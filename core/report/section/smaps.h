/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The section smaps-rollup: memory of processes by kind. */
#pragma once

#include <glib.h>

#include "report/draft.h"
#include "report/join/pair.h"
#include "report/join/rank.h"
#include "report/join/rename.h"
#include "report/name/axis.h"
#include "report/view.h"

/*
 * The records' key: cgroup (under "all", else NULL), the process's name as it
 * is listed, its pcomm.  It is listed by its pattern even without a peer, for
 * a process has another number on the other side; literally as "pcomm[tgid]".
 */
void smaps_make_key(const char *cgroup, const char *pcomm, gint32 tgid, gboolean literal,
		    Store *store, RecordKey *ret_key);

typedef struct smaps {
	RecordSet *sides[SIDES];
	const Measure *measure;
	Namer *namer;
	const Renames *renames;
	Ranks *ranks; /* NULL: by size */
} Smaps;

void smaps_draft(const Smaps *smaps, const View *view, Draft *draft);

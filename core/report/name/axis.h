/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --group-by: which names of a thread make its group, and by which rules. */
#pragma once

#include <glib.h>

#include "cgroupkey.h"
#include "namekey.h"
#include "report/fold/record.h"
#include "report/options.h"

/* The labels of a thread's row that name it. */
enum label { LABEL_NONE, LABEL_CGROUP, LABEL_PCOMM, LABEL_COMM, N_LABELS };

typedef struct axis {
	const char *word;   /* as --group-by takes it */
	const char *header; /* of the group column */
	enum label labels[KEY_NAMES];
	guint n_names;
	NameRule rule;
	gboolean by_thread; /* each thread for itself, by tid and start */
} Axis;

const Axis *axis_of(GroupBy group_by);
gboolean axis_has(const Axis *axis, enum label label);

/* What makes keys of names. */
typedef struct namer {
	const Axis *axis;
	CgroupKeys *cgroups;
	NameKeys *names;
	Store *store;
	gboolean is_done; /* records have the keys of their groups already */
} Namer;

/* A record's names take part in the making of keys. */
void namer_add(Namer *namer, const RecordKey *literal);
void namer_key(Namer *namer, const RecordKey *literal, RecordKey *ret_key);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --group-by: which names of a thread make its group, and by which rules. */
#pragma once

#include <glib.h>

#include "cgroupkey.h"
#include "key.h"
#include "namekey.h"

typedef enum group_by {
	GROUP_BY_PCOMM,
	GROUP_BY_CGROUP,
	GROUP_BY_COMM,
	GROUP_BY_COMM_EXACT,
	GROUP_BY_ALL,
	GROUP_BY_THREAD,
	GROUP_BY_UNIT,
	GROUP_BY_PROCESS,
	GROUP_BY_USER,
	GROUP_BY_CMDLINE,
	GROUP_BY_SCHEDULER,
	GROUP_BY_LAYER,
	N_GROUP_BY
} GroupBy;

/* The labels of a thread's row that name it. */
enum label {
	LABEL_NONE,
	LABEL_CGROUP,
	LABEL_PCOMM,
	LABEL_COMM,
	/* Derived from another label: the unit of the cgroup, "pcomm[tgid]". */
	LABEL_UNIT,
	LABEL_PROCESS,
	/* Its leader's row has it. */
	LABEL_USER,
	LABEL_CMDLINE,
	/* By the thread's class or cgroup. */
	LABEL_SCHEDULER,
	/* Found by a configuration of layers (layers.h). */
	LABEL_LAYER,
	N_LABELS
};

typedef struct axis {
	const char *word;   /* as --group-by takes it */
	const char *header; /* of the group column */
	enum label labels[KEY_NAMES];
	guint n_names;
	NameRule rule;
	gboolean by_thread; /* each thread separately, by tid and start */
} Axis;

const Axis *axis_of(GroupBy group_by);
/* A label's text, made from the row and its process: mostly the row's text. */
const char *label_name(enum label label, Store *store, const char *text, gint32 tgid);
/* Whether only leaders' rows have it. */
gboolean label_is_of_process(enum label label);
/* Whether it is made from the cgroup. */
gboolean label_is_of_cgroup(enum label label);
/* The option of capture without which no row has it; NULL: every capture has it. */
const char *label_capture(enum label label);
gboolean axis_has(const Axis *axis, enum label label);

/* Makes keys from names. */
typedef struct namer {
	const Axis *axis;
	CgroupKeys *cgroups;
	NameKeys *names;
	Store *store;
	gboolean is_done;    /* records of threads have the keys of their groups */
	const char *watched; /* a group as it is shown; NULL: none */
	GHashTable *threads; /* takes the tids of its threads */
	/* Keys do not depend on the names in other runs: those of cgroups are their
	 * shapes. */
	gboolean of_runs;
} Namer;

/* Adds a record's names, which keys may depend on. */
void namer_add(Namer *namer, const RecordKey *literal);
void namer_key(Namer *namer, const RecordKey *literal, RecordKey *ret_key);
/* Lists the thread if its key is that of the group that is watched. */
void namer_watch(const Namer *namer, const RecordKey *key, gint32 tid);
/* For runs, after all names have been added: the display name of name i of a key. */
const char *namer_name(const Namer *namer, guint i, const char *key);

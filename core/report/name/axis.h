/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --group-by: the names of a thread that determine its group, and the rules applied to them. */
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

/* The labels of a thread's row that can be part of its group's name. */
enum label {
	LABEL_NONE,
	LABEL_CGROUP,
	LABEL_PCOMM,
	LABEL_COMM,
	/* Derived from another label: the unit from the cgroup, "pcomm[tgid]" from pcomm. */
	LABEL_UNIT,
	LABEL_PROCESS,
	/* Present in the leader's row only. */
	LABEL_USER,
	LABEL_CMDLINE,
	/* Determined by the thread's scheduling class or cgroup. */
	LABEL_SCHEDULER,
	/* Determined by a configuration of layers (layers.h). */
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
/* Returns the text of a label: the row's text, unless it is derived from that (unit, process). */
const char *label_name(enum label label, Store *store, const char *text, gint32 tgid);
/* Whether only the rows of leaders have the label. */
gboolean label_is_of_process(enum label label);
/* Whether the label is derived from the cgroup. */
gboolean label_is_of_cgroup(enum label label);
/* Returns the capture option that the label requires; NULL: every capture has the label. */
const char *label_capture(enum label label);
gboolean axis_has(const Axis *axis, enum label label);

/* Makes keys from names. */
typedef struct namer {
	const Axis *axis;
	CgroupKeys *cgroups;
	NameKeys *names;
	Store *store;
	gboolean is_done;    /* the records of threads already have the keys of their groups */
	const char *watched; /* displayed name of a group to watch; NULL: none */
	GHashTable *threads; /* receives the tids of that group's threads */
	/* Keys must not depend on the names in other runs: the key of a cgroup is its shape. */
	gboolean of_runs;
} Namer;

/* Adds a record's names; the keys of all records may depend on them. */
void namer_add(Namer *namer, const RecordKey *literal);
void namer_key(Namer *namer, const RecordKey *literal, RecordKey *ret_key);
/* Adds tid to threads if the key is that of the watched group. */
void namer_watch(const Namer *namer, const RecordKey *key, gint32 tid);
/* For runs, after all names have been added: returns the display name of name i of a key. */
const char *namer_name(const Namer *namer, guint i, const char *key);

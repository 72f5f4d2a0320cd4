/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cgroups whose name differs between the sides, identified by the kinds of thread that run in them
 * (patterns of pcomm and of comm) and that both have.  Only cgroups without any group that has a
 * counterpart are considered; several of the candidate may be paired with one of the baseline.
 * Cgroups below a renamed one are paired with it.
 */
#pragma once

#include <glib.h>

#include "groups.h"

typedef struct rename_rules {
	guint min_types;     /* minimum kinds of thread that both have in common */
	gdouble min_jaccard; /* common kinds as a share of all kinds of both, 0..1 */
} RenameRules;

typedef struct renames {
	GArray *pairs;       /* struct ctprof_report_rename */
	GHashTable *cgroups; /* candidate's cgroup -> baseline's, by address */
	GPtrArray *lists;    /* of the residuals of pairs */
} Renames;

void renames_init(Renames *renames);
void renames_clear(Renames *renames);

/* Joins orphans of groups made by the axis "all"; paired groups move to the list of joined ones. */
void renames_find(Renames *renames, Groups *groups, const RenameRules *rules, Store *store);
/* Returns the baseline's name of a candidate's cgroup; NULL: it was not paired. */
const char *renames_cgroup(const Renames *renames, const char *candidate);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which sorts of thread (pattern of pcomm and of comm) run in a cgroup. */
#pragma once

#include <glib.h>

#include "report/join/groups.h"

typedef struct typed_cgroup {
	const char *path;  /* the groups' name of it */
	GHashTable *types; /* a set of RecordKey: pcomm, comm */
} TypedCgroup;

/* TypedCgroup of the groups' cgroups that are not in except (by address),
 * ordered bytewise, owned.  Groups are those of the axis "all". */
GPtrArray *typed_cgroups_new(const GPtrArray *groups, GHashTable *except, Store *store);

/* Type -> the indices of the cgroups that have it. */
typedef GHashTable TypeIndex;

TypeIndex *type_index_new(const GPtrArray *cgroups);
/* How many types each of the indexed cgroups shares with that one; owned. */
guint *type_index_count(TypeIndex *index, const TypedCgroup *cgroup, guint n_cgroups);

/* "pcomm:comm" of mine that is in none of the others, sorted, NULL-terminated;
 * texts lie in the store, the array is the caller's.  others: TypedCgroup. */
const char **typed_cgroup_rest(const TypedCgroup *mine, const GPtrArray *others, Store *store,
			       guint64 *ret_n);

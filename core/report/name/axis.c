/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "axis.h"

static const Axis axes[] = {
	[GROUP_BY_PCOMM] = {"pcomm", "pcomm", {LABEL_PCOMM}, 1, NAME_PEERS, FALSE},
	[GROUP_BY_CGROUP] = {"cgroup", "cgroup", {LABEL_CGROUP}, 1, NAME_LITERAL, FALSE},
	[GROUP_BY_COMM] = {"comm", "comm-pattern", {LABEL_COMM}, 1, NAME_PEERS, FALSE},
	[GROUP_BY_COMM_EXACT] = {"comm-exact", "comm", {LABEL_COMM}, 1, NAME_LITERAL, FALSE},
	/* Under all, a name keeps its pattern without a peer: what it is joined
	 * with is on the other side, maybe in a renamed cgroup. */
	[GROUP_BY_ALL] =
		{"all", "comm", {LABEL_CGROUP, LABEL_PCOMM, LABEL_COMM}, 3, NAME_PATTERN, FALSE},
	[GROUP_BY_THREAD] = {"thread", "thread", {LABEL_COMM}, 1, NAME_LITERAL, TRUE},
};

const Axis *axis_of(GroupBy group_by)
{
	return &axes[group_by];
}

gboolean axis_has(const Axis *axis, enum label label)
{
	for (guint i = 0; i < axis->n_names; i++)
		if (axis->labels[i] == label)
			return TRUE;
	return FALSE;
}

void namer_add(Namer *namer, const RecordKey *literal)
{
	for (guint i = 0; i < namer->axis->n_names; i++)
		if (namer->axis->labels[i] == LABEL_CGROUP)
			cgroup_keys_add(namer->cgroups, literal->names[i]);
		else
			name_keys_add(namer->names, literal->names[i]);
}

void namer_key(Namer *namer, const RecordKey *literal, RecordKey *ret_key)
{
	*ret_key = *literal;
	/* A thread is known by its number; its name is no part of the key, for it
	 * may change it. */
	if (namer->axis->by_thread)
		ret_key->names[0] = NULL;
	else
		for (guint i = 0; i < namer->axis->n_names; i++)
			ret_key->names[i] =
				namer->axis->labels[i] == LABEL_CGROUP
					? store_text(namer->store,
						     cgroup_keys_get(namer->cgroups,
								     literal->names[i]))
					: name_keys_get(namer->names, literal->names[i]);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "axis.h"

#include <string.h>

#include "unit.h"

static const Axis axes[] = {
	[GROUP_BY_PCOMM] = {"pcomm", "pcomm", {LABEL_PCOMM}, 1, NAME_PEERS, FALSE},
	[GROUP_BY_CGROUP] = {"cgroup", "cgroup", {LABEL_CGROUP}, 1, NAME_LITERAL, FALSE},
	[GROUP_BY_COMM] = {"comm", "comm-pattern", {LABEL_COMM}, 1, NAME_PEERS, FALSE},
	[GROUP_BY_COMM_EXACT] = {"comm-exact", "comm", {LABEL_COMM}, 1, NAME_LITERAL, FALSE},
	/* With "all", a name keeps its pattern even without a peer: its
	 * counterpart is on the other side, possibly in a renamed cgroup. */
	[GROUP_BY_ALL] =
		{"all", "comm", {LABEL_CGROUP, LABEL_PCOMM, LABEL_COMM}, 3, NAME_PATTERN, FALSE},
	[GROUP_BY_UNIT] = {"unit", "unit", {LABEL_UNIT}, 1, NAME_LITERAL, FALSE},
	[GROUP_BY_PROCESS] = {"process", "process", {LABEL_PROCESS}, 1, NAME_LITERAL, FALSE},
	[GROUP_BY_USER] = {"user", "user", {LABEL_USER}, 1, NAME_LITERAL, FALSE},
	[GROUP_BY_CMDLINE] = {"cmdline", "cmdline", {LABEL_CMDLINE}, 1, NAME_LITERAL, FALSE},
	[GROUP_BY_SCHEDULER] =
		{"scheduler", "scheduler", {LABEL_SCHEDULER}, 1, NAME_LITERAL, FALSE},
	[GROUP_BY_LAYER] = {"layer", "layer", {LABEL_LAYER}, 1, NAME_LITERAL, FALSE},
	[GROUP_BY_THREAD] = {"thread", "thread", {LABEL_COMM}, 1, NAME_LITERAL, TRUE},
};

const Axis *axis_of(GroupBy group_by)
{
	return &axes[group_by];
}

const char *label_name(enum label label, Store *store, const char *text, gint32 tgid)
{
	if (label == LABEL_UNIT)
		return store_take(store, unit_of_cgroup(text));
	if (label == LABEL_PROCESS)
		return store_take(store, g_strdup_printf("%s[%d]", text, tgid));
	return text;
}

gboolean label_is_of_process(enum label label)
{
	return label == LABEL_USER || label == LABEL_CMDLINE;
}

gboolean label_is_of_cgroup(enum label label)
{
	return label == LABEL_CGROUP || label == LABEL_UNIT;
}

const char *label_capture(enum label label)
{
	return label_is_of_process(label) ? "--memory=processes"
	       : label == LABEL_SCHEDULER ? "--groups=all,scx-threads"
					  : NULL;
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

static const char *cgroup_key(const Namer *namer, const char *path)
{
	return store_text(namer->store, namer->of_runs ? cgroup_keys_shape(namer->cgroups, path)
						       : cgroup_keys_get(namer->cgroups, path));
}

void namer_key(Namer *namer, const RecordKey *literal, RecordKey *ret_key)
{
	*ret_key = *literal;
	/* A thread is identified by its ID; its name may change, and so is not
	 * part of the key. */
	if (namer->axis->by_thread)
		ret_key->names[0] = NULL;
	else
		for (guint i = 0; i < namer->axis->n_names; i++)
			ret_key->names[i] =
				namer->axis->labels[i] == LABEL_CGROUP
					? cgroup_key(namer, literal->names[i])
					: name_keys_get(namer->names, literal->names[i]);
}

void namer_watch(const Namer *namer, const RecordKey *key, gint32 tid)
{
	const char *rest = namer->watched;

	for (guint i = 0; rest && i < namer->axis->n_names; i++) {
		const char *name = key->names[i] ? key->names[i] : "";
		gsize length = strlen(name);

		if (strncmp(rest, name, length) != 0)
			return;
		rest += length;
		if (i + 1 < namer->axis->n_names && *rest++ != ' ')
			return;
	}
	if (rest && *rest == '\0')
		g_hash_table_add(namer->threads, GINT_TO_POINTER(tid));
}

const char *namer_name(const Namer *namer, guint i, const char *key)
{
	return namer->axis->labels[i] == LABEL_CGROUP ? cgroup_keys_name(namer->cgroups, key)
						      : name_keys_name(namer->names, key);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "moment.h"

#include "row/rowset.h"

struct moment {
	const Registry *registry;       /* NULL: no row came */
	Roster *rosters[N_ROW_CLASSES]; /* rosters of threads and of exit records */
	Rowset *others[N_ROW_CLASSES];  /* NULL: no row of that class was received */
};

static gboolean is_packed(enum row_class row)
{
	return row == ROW_THREAD || row == ROW_EXIT;
}

Moment *moment_new(void)
{
	return g_new0(Moment, 1);
}

void moment_free(Moment *moment)
{
	for (guint row = 0; row < N_ROW_CLASSES; row++) {
		g_clear_pointer(&moment->rosters[row], roster_free);
		g_clear_pointer(&moment->others[row], rowset_free);
	}
	g_free(moment);
}

void moment_bind(Moment *moment, const Registry *registry)
{
	if (moment->registry)
		return;
	moment->registry = registry;
	for (guint row = 0; row < N_ROW_CLASSES; row++)
		if (is_packed(row))
			moment->rosters[row] = roster_new(registry, row, NULL, NULL);
}

gboolean moment_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error)
{
	Moment *moment = data;
	enum row_class row = registry_row_of_scope(rows->scope);

	(void)error;
	moment_bind(moment, registry);
	if (!is_packed(row) && !moment->others[row])
		moment->others[row] = rowset_new();
	for (guint64 i = 0; i < rows->n; i++)
		if (is_packed(row))
			roster_add(moment->rosters[row], rows, i);
		else
			rowset_add(moment->others[row], registry, rows, i, NULL, NULL);
	return TRUE;
}

void moment_end(Moment *moment)
{
	for (guint row = 0; row < N_ROW_CLASSES; row++)
		if (moment->rosters[row])
			roster_sort(moment->rosters[row]);
}

const Registry *moment_registry(const Moment *moment)
{
	return moment->registry;
}

const Roster *moment_threads(const Moment *moment)
{
	return moment->rosters[ROW_THREAD];
}

const Roster *moment_exits(const Moment *moment)
{
	return moment->rosters[ROW_EXIT];
}

static gboolean has_value(const Rowset *set, guint32 index)
{
	struct ctprof_rows rows;

	rowset_view_all(set, &rows);
	for (guint64 i = 0; i < rows.n; i++)
		if (rows.states[i * rows.n_slots + index] == CTPROF_PRESENT)
			return TRUE;
	return FALSE;
}

gboolean moment_has(const Moment *moment, const char *name)
{
	for (guint row = 0; moment->registry && row < N_ROW_CLASSES; row++) {
		const Metric *metric = registry_named(moment->registry, row, name);

		if (!metric || metric->slot == 0)
			continue;
		if (is_packed(row)
			    ? roster_has(moment->rosters[row], metric->index)
			    : moment->others[row] && has_value(moment->others[row], metric->index))
			return TRUE;
	}
	return FALSE;
}

static gboolean each_packed(const Moment *moment, const Roster *roster, TakeRows each,
			    gpointer data, GError **error)
{
	g_auto(RosterRow) row;

	roster_row_init(&row, roster);
	for (guint i = 0; i < roster_length(roster); i++) {
		roster_read(roster, roster_entry(roster, i), &row);
		if (!each(data, moment->registry, &row.rows, error))
			return FALSE;
	}
	return TRUE;
}

gboolean moment_each_other(const Moment *moment, TakeRows each, gpointer data, GError **error)
{
	for (guint row = 0; row < N_ROW_CLASSES; row++) {
		struct ctprof_rows rows;

		if (!moment->others[row])
			continue;
		rowset_view_all(moment->others[row], &rows);
		if (rows.n > 0 && !each(data, moment->registry, &rows, error))
			return FALSE;
	}
	return TRUE;
}

gboolean moment_each(const Moment *moment, TakeRows each, gpointer data, GError **error)
{
	for (guint row = 0; row < N_ROW_CLASSES; row++)
		if (moment->rosters[row] &&
		    !each_packed(moment, moment->rosters[row], each, data, error))
			return FALSE;
	return moment_each_other(moment, each, data, error);
}

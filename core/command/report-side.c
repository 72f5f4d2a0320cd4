/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report-side.h"

#include "guard/crash.h"

/* Our own processes, and those they start.  The first one also started the command. */
static gboolean is_hidden(const ReportSide *side, const Registry *registry,
			  const struct ctprof_rows *rows, guint64 row)
{
	const struct ctprof_target *target = ctprof_rows_target(rows, row);
	/* Older kernels do not report the process of ended threads. */
	gint32 process = target->tgid ? target->tgid : target->tid;
	guint64 parent = registry_number(registry, rows, row, "ppid");

	for (guint i = 0; i < side->hidden->len; i++) {
		gint32 hidden = g_array_index(side->hidden, gint32, i);

		if (hidden == process || (i > 0 && (guint64)hidden == parent))
			return TRUE;
	}
	return FALSE;
}

static gboolean add_rows(const ReportSide *side, const Registry *registry,
			 const struct ctprof_rows *rows, guint64 from, guint64 to, GError **error)
{
	struct ctprof_rows part = *rows;

	if (from == to)
		return TRUE;
	part.n = to - from;
	part.targets = ctprof_rows_target(rows, from);
	part.values += from * rows->n_slots;
	part.states += from * rows->n_slots;
	return analysis_add(side->analysis, side->index, registry, &part, error);
}

/* Passes on the rows between hidden ones, and those for what they cost. */
static gboolean add_seen_rows(const ReportSide *side, const Registry *registry,
			      const struct ctprof_rows *rows, GError **error)
{
	guint64 from = 0;

	for (guint64 i = 0; i < rows->n; i++) {
		if (!is_hidden(side, registry, rows, i))
			continue;
		analysis_add_own(side->analysis, side->index, registry, rows, i);
		if (!add_rows(side, registry, rows, from, i, error))
			return FALSE;
		from = i + 1;
	}
	return add_rows(side, registry, rows, from, rows->n, error);
}

gboolean report_side_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			  GError **error)
{
	ReportSide *side = data;

	if (crash_fail_interrupted(error))
		return FALSE;
	context_note_rows(side->context, registry, rows);
	if (side->hidden &&
	    (rows->scope == CTPROF_SCOPE_THREAD || rows->scope == CTPROF_SCOPE_EXIT))
		return add_seen_rows(side, registry, rows, error);
	return analysis_add(side->analysis, side->index, registry, rows, error);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hosts.h"

#include "pressure.h"

#define SCHED_EXT "sched_ext."

static const char host_name[] = "host";

const Fold *hosts_choose(gconstpointer data, const Metric *metric, Measure *measure)
{
	(void)data;
	(void)measure;
	if (metric->def.kind == CTPROF_LABEL)
		return fold_label(metric->def.unit);
	return fold_find(metric->def.kind, metric->def.unit);
}

static void add_row(const Hosts *hosts, const View *view, const Measure *measure,
		    const char *metric, struct ctprof_value values[SIDES], GArray *rows)
{
	const char *names[] = {host_name};
	struct ctprof_report_row row;
	Told told = {
		.metric = metric,
		.unit = unit_word(measure->unit),
		.tags = measure->tags,
		.ladder = ladder_of(measure->kind, measure->unit),
		.kind = measure->kind,
	};

	(void)hosts;
	for (guint side = 0; side < SIDES; side++) {
		/* There is one host: no majority to tell of. */
		if (values[side].type == CTPROF_VALUE_MODE)
			values[side].type = CTPROF_VALUE_TEXT;
	}
	view_fill_row(view, names, 1, &told, values, &row);
	g_array_append_val(rows, row);
}

static void map_value(const MapItem *item, struct ctprof_value *ret_value)
{
	*ret_value = (struct ctprof_value){.struct_size = sizeof *ret_value};
	if (!item)
		return;
	ret_value->type = item->text ? CTPROF_VALUE_TEXT : CTPROF_VALUE_NUMBER;
	ret_value->text = item->text;
	ret_value->number = item->number;
}

/* The rows of a metric: of a map, one for each key. */
static void add_metric(const Hosts *hosts, const View *view, const Measure *measure,
		       const char *shown, GArray *rows)
{
	const GArray *maps[SIDES] = {NULL, NULL};
	struct ctprof_value values[SIDES];
	guint at[SIDES] = {0};
	MapPair pair;

	for (guint side = 0; side < SIDES; side++)
		record_value(hosts->sides[side], hosts->layouts[side], measure, &values[side]);
	if (measure->kind != CTPROF_MAP) {
		if (values[0].type != CTPROF_VALUE_ABSENT || values[1].type != CTPROF_VALUE_ABSENT)
			add_row(hosts, view, measure, shown, values, rows);
		return;
	}
	for (guint side = 0; side < SIDES; side++)
		maps[side] = record_map(hosts->sides[side], hosts->layouts[side], measure);
	while (map_pair_next(maps, at, &pair)) {
		for (guint side = 0; side < SIDES; side++)
			map_value(pair.items[side], &values[side]);
		add_row(hosts, view, measure,
			store_take(hosts->store, g_strdup_printf("%s.%s", shown, pair.key)), values,
			rows);
	}
}

static gboolean all_same(const GArray *rows)
{
	for (guint i = 0; i < rows->len; i++)
		if (!(g_array_index(rows, struct ctprof_report_row, i).flags & CTPROF_ROW_SAME))
			return FALSE;
	return TRUE;
}

static void finish(enum section_id id, const char *heading, enum ctprof_layout layout,
		   const char *header, const View *view, GArray *rows, Draft *draft)
{
	guint64 n_cut = draft_cut(rows, layout, view->limit);

	draft_add(draft, id, heading, layout, header, rows, n_cut);
}

void hosts_draft_pressure(const Hosts *hosts, const View *view, Draft *draft)
{
	const char *heading = sections[SECTION_HOST_PRESSURE].heading;
	Pressure pressure = {hosts->measures, {hosts->layouts[0], hosts->layouts[1]}};

	for (guint resource = 0; resource < PRESSURE_RESOURCES; resource++) {
		g_autoptr(GArray) rows = draft_rows_new();

		pressure_add_rows(&pressure, view, resource, NULL, hosts->sides, rows);
		if (!pressure_has_any(rows))
			continue;
		finish(SECTION_HOST_PRESSURE,
		       store_take(hosts->store, g_strdup_printf("%s / %s", heading,
								pressure_resources[resource])),
		       CTPROF_LAYOUT_WIDE, "row", view, g_steal_pointer(&rows), draft);
	}
}

/* All of it when any of it changed: it is read together. */
void hosts_draft_sched_ext(const Hosts *hosts, const View *view, Draft *draft)
{
	g_autoptr(GArray) rows = draft_rows_new();

	for (guint i = 0; i < hosts->measures->list->len; i++) {
		const Measure *measure = g_ptr_array_index(hosts->measures->list, i);

		if (g_str_has_prefix(measure->name, SCHED_EXT))
			add_metric(hosts, view, measure, measure->name + sizeof SCHED_EXT - 1,
				   rows);
	}
	if (rows->len > 0 && !(view->compare && all_same(rows)))
		finish(SECTION_SCHED_EXT, NULL, CTPROF_LAYOUT_LONG, host_name, view,
		       g_steal_pointer(&rows), draft);
}

void hosts_draft_host(const Hosts *hosts, const View *view, Draft *draft)
{
	g_autoptr(GArray) rows = draft_rows_new();
	g_autoptr(GArray) kept = draft_rows_new();

	for (guint i = 0; i < hosts->measures->list->len; i++) {
		const Measure *measure = g_ptr_array_index(hosts->measures->list, i);

		if (!g_str_has_prefix(measure->name, SCHED_EXT) &&
		    !g_str_has_prefix(measure->name, "psi."))
			add_metric(hosts, view, measure, measure->name, rows);
	}
	for (guint i = 0; i < rows->len; i++) {
		const struct ctprof_report_row *row =
			&g_array_index(rows, struct ctprof_report_row, i);

		if (!(row->flags & CTPROF_ROW_SAME))
			g_array_append_vals(kept, row, 1);
	}
	if (kept->len > 0)
		finish(SECTION_HOST, NULL, CTPROF_LAYOUT_LONG, host_name, view,
		       g_steal_pointer(&kept), draft);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "pressure.h"

#include <stdio.h>

#define NAME_ROOM 64

const char *const pressure_resources[PRESSURE_RESOURCES] = {"cpu", "memory", "io", "irq"};

static const char *const halves[] = {"some", "full"};

static const struct {
	const char *name, *shown;
} whats[] = {
	{"avg10", "avg10"},
	{"avg60", "avg60"},
	{"avg300", "avg300"},
	{"total_usec", "total"},
};

gboolean pressure_is_metric(const Metric *metric)
{
	return g_str_has_prefix(metric->def.name, "psi.") &&
	       (metric->def.kind == CTPROF_GAUGE || metric->def.kind == CTPROF_COUNTER);
}

/* A line: what one half of the resource has come to. */
static void add_half(const Pressure *pressure, const View *view, guint resource, guint half,
		     const char *cgroup, Record *const sides[SIDES], GArray *rows)
{
	const char *names[] = {cgroup ? cgroup : halves[half], halves[half]};

	for (guint i = 0; i < G_N_ELEMENTS(whats); i++) {
		struct ctprof_value values[SIDES];
		struct ctprof_report_row row;
		char name[NAME_ROOM];

		snprintf(name, sizeof name, "psi.%s.%s.%s", pressure_resources[resource],
			 halves[half], whats[i].name);
		const Measure *measure = measures_find(pressure->measures, name);
		if (!measure)
			continue;
		Told told = {
			.metric = whats[i].shown,
			.unit = unit_word(measure->unit),
			.tags = measure->tags,
			.ladder = ladder_of(measure->kind, measure->unit),
			.kind = measure->kind,
		};
		for (guint side = 0; side < SIDES; side++)
			record_value(sides[side], pressure->layouts[side], measure, &values[side]);
		view_fill_row(view, names, cgroup ? 2 : 1, &told, values, &row);
		g_array_append_val(rows, row);
	}
}

void pressure_add_rows(const Pressure *pressure, const View *view, guint resource,
		       const char *cgroup, Record *const sides[SIDES], GArray *rows)
{
	for (guint half = 0; half < G_N_ELEMENTS(halves); half++) {
		guint from = rows->len;
		gboolean passes = FALSE;

		add_half(pressure, view, resource, half, cgroup, sides, rows);
		for (guint i = from; i < rows->len; i++)
			passes = passes ||
				 view_passes(view,
					     &g_array_index(rows, struct ctprof_report_row, i));
		if (!passes)
			g_array_set_size(rows, from);
	}
}

gboolean pressure_has_any(const GArray *rows)
{
	for (guint i = 0; i < rows->len; i++) {
		const struct ctprof_report_row *row =
			&g_array_index(rows, struct ctprof_report_row, i);

		if (row->value[0].number > 0 || row->value[1].number > 0)
			return TRUE;
	}
	return FALSE;
}

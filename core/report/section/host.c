/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections about the host: its pressure, the BPF scheduler, the rest. */
#include <string.h>

#include "choices.h"

#define SCHED_EXT "sched_ext."
#define PSI "psi."

extern const Section section_sched_ext;

static const char *const host_name[] = {"host"};

const Fold *host_choose(gconstpointer data, const Metric *metric)
{
	(void)data;
	if (metric->def.kind == CTPROF_LABEL)
		return fold_label(metric->def.unit);
	return fold_find(metric->def.kind, metric->def.unit);
}

static void add_metric(const Draft *draft, Table *table, const Measure *measure, const char *name,
		       struct ctprof_value values[SIDES])
{
	struct ctprof_report_field field = measure->field;

	field.name = field.header = name;
	for (guint side = 0; side < SIDES; side++) {
		/* There is one host, so there is no majority to report. */
		if (values[side].type == CTPROF_VALUE_MODE)
			values[side].type = CTPROF_VALUE_TEXT;
	}
	draft_metric(draft, table, host_name, 1, &field, values);
}

/* Adds the lines of a metric; for a map, one for each key. */
static void add_measure(const Draft *draft, Table *table, const Measure *measure)
{
	const char *name = measure->field.name;
	struct ctprof_value values[SIDES];

	if (measure->kind != CTPROF_MAP) {
		pair_values(draft->host, measure, values);
		if (values[0].type != CTPROF_VALUE_ABSENT || values[1].type != CTPROF_VALUE_ABSENT)
			add_metric(draft, table, measure, name, values);
		return;
	}
	MapWalk walk = map_walk_of(draft->host, measure);
	walk.unit = 1;
	while (map_walk_next(&walk))
		add_metric(draft, table, measure,
			   store_take(draft->store, g_strdup_printf("%s.%s", name, walk.key)),
			   walk.values);
}

/* Drafts the metrics of the host that no other section shows; in compare, only those that differ.
 * For the BPF scheduler, drafts all if any differs, as they are read together. */
static void draft_host(const Draft *draft, const Section *section)
{
	const GPtrArray *list = draft->intake->measures[TABLE_HOST].list;
	gboolean of_scheduler = section == &section_sched_ext;
	Table *table = draft_long(draft, section->name, section->heading, host_name[0]);
	guint kept = 0;

	for (guint i = 0; i < list->len; i++) {
		const Measure *measure = g_ptr_array_index(list, i);
		const char *name = measure->field.name;

		if (g_str_has_prefix(name, SCHED_EXT) != of_scheduler ||
		    g_str_has_prefix(name, PSI) || !plan_shows_host(draft->plan, measure))
			continue;
		add_measure(draft, table, measure);
	}
	for (guint i = 0; i < table->lines->len; i++) {
		const struct ctprof_report_line *line =
			&g_array_index(table->lines, struct ctprof_report_line, i);

		if (line->cells[0].flags & CTPROF_CELL_SAME)
			continue;
		if (!of_scheduler)
			g_array_index(table->lines, struct ctprof_report_line, kept) = *line;
		kept++;
	}
	if (!of_scheduler || kept == 0)
		g_array_set_size(table->lines, kept);
	draft_close(draft, table);
}

const Section section_sched_ext = {
	.name = "sched-ext",
	.heading = "sched_ext",
	.help = "state of the BPF scheduler",
	.place = {13, 13},
	.draft = draft_host,
};

const Section section_host = {
	.name = SECTION_HOST_METRICS,
	.heading = "Host metrics",
	.help = "kernel, CPUs, tunables: compare shows differences, show everything",
	.flags = SECTION_SHOW_NAMED,
	.place = {14, 14},
	.draft = draft_host,
};

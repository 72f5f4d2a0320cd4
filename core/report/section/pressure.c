/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pressure stall information, of the host and of cgroups: metrics named
 * psi.RESOURCE.some|full.WHAT. */
#include <stdio.h>

#include "choices.h"
#include "report/draft/draft.h"

#define NAME_ROOM 64

extern const Section section_host_pressure;

static const char *const resources[] = {"cpu", "memory", "io", "irq"};
static const char *const halves[] = {"some", "full"};

static const char *const whats[] = {"avg10", "avg60", "avg300", "total_usec"};

gboolean pressure_is_metric(const Metric *metric)
{
	return g_str_has_prefix(metric->def.name, "psi.") &&
	       (metric->def.kind == CTPROF_GAUGE || metric->def.kind == CTPROF_COUNTER);
}

static const Measure *find_measure(const Draft *draft, enum intake_table from, guint resource,
				   guint half, guint what)
{
	char name[NAME_ROOM];

	snprintf(name, sizeof name, "psi.%s.%s.%s", resources[resource], halves[half], whats[what]);
	return draft_measure(draft, from, name);
}

/* Begins the table of one resource's pressure. */
static Table *begin(const Draft *draft, const Section *section, enum intake_table from,
		    guint resource)
{
	const char *names_header = from == TABLE_HOST ? "row" : "cgroup";
	char *heading = g_strdup_printf("%s / %s", section->heading, resources[resource]);
	Table *table =
		draft_wide(draft, section->name, store_take(draft->store, heading), names_header);

	for (guint half = 0; half < G_N_ELEMENTS(halves); half++)
		for (guint i = 0; i < G_N_ELEMENTS(whats); i++) {
			const Measure *measure = find_measure(draft, from, resource, half, i);

			if (!measure)
				continue;
			struct ctprof_report_field field = measure->field;
			field.name = field.header = whats[i];
			table_take_field(table, &field);
		}
	return table;
}

/* Adds a line for one half ("some" or "full") of the resource, with the cgroup's name before it.
 * FALSE: no value to show. */
static gboolean add_half(const Draft *draft, Table *table, enum intake_table from, guint resource,
			 guint half, const Pair *pair)
{
	const char *cgroup = pair->key.names[0];
	const char *names[] = {cgroup ? cgroup : halves[half], halves[half]};
	struct ctprof_cell *cells = table_named_line(table, names, cgroup ? 2 : 1);
	gboolean passes = FALSE;

	for (guint i = 0; i < G_N_ELEMENTS(whats); i++) {
		const Measure *measure = find_measure(draft, from, resource, half, i);
		struct ctprof_value values[SIDES];

		if (!measure)
			continue;
		struct ctprof_report_field field = measure->field;
		field.name = field.header = whats[i];
		struct ctprof_cell *cell = &cells[table_take_field(table, &field)];
		pair_values(pair->sides, measure, values);
		view_cell(draft->view, values, &field, cell);
		passes = passes || view_passes(draft->view, cell, &field);
	}
	return passes;
}

static gboolean has_any(const Table *table)
{
	for (guint i = 0; i < table->lines->len; i++) {
		const struct ctprof_cell *cells = g_ptr_array_index(table->cells, i);

		for (guint c = 0; c < table->fields->len; c++)
			if (cells[c].value[0].number > 0 || cells[c].value[1].number > 0)
				return TRUE;
	}
	return FALSE;
}

static void draft_resource(const Draft *draft, const Section *section, enum intake_table from,
			   guint resource, const GPtrArray *pairs)
{
	Table *table = begin(draft, section, from, resource);

	for (guint i = 0; i < pairs->len; i++)
		for (guint half = 0; half < G_N_ELEMENTS(halves); half++)
			if (!add_half(draft, table, from, resource, half,
				      g_ptr_array_index(pairs, i)))
				table_drop_last(table);
	/* If all values are 0, no pressure was measured. */
	if (!has_any(table))
		g_array_set_size(table->lines, 0);
	draft_close(draft, table);
}

static void draft_pressure(const Draft *draft, const Section *section)
{
	gboolean of_host = section == &section_host_pressure;
	g_autoptr(GHashTable) by_key = pairs_new();
	g_autoptr(GPtrArray) hosts = draft_pairs(draft, TABLE_HOST, by_key);

	for (guint resource = 0; resource < G_N_ELEMENTS(resources); resource++)
		draft_resource(draft, section, of_host ? TABLE_HOST : TABLE_CGROUPS, resource,
			       of_host ? hosts : draft->cgroups);
}

const Section section_pressure = {
	.name = "pressure",
	.heading = "Pressure",
	.help = "pressure stall information of each cgroup",
	.flags = SECTION_OF_CGROUPS,
	.place = {10, 10},
	.draft = draft_pressure,
};

const Section section_host_pressure = {
	.name = "host-pressure",
	.heading = "Host pressure",
	.help = "pressure stall information of the host",
	.place = {11, 11},
	.draft = draft_pressure,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "draft.h"

guint draft_n_sides(const Draft *draft)
{
	return draft->view->compare ? SIDES : 1;
}

const Measure *draft_measure(const Draft *draft, enum intake_table table, const char *name)
{
	return measures_find(&draft->intake->measures[table], name);
}

void draft_values(const Draft *draft, enum intake_table table, Record *const sides[SIDES],
		  const Measure *measure, struct ctprof_value ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		record_value(sides[side], &draft->sides[side].layouts[table], measure,
			     &ret_values[side]);
}

void draft_maps(const Draft *draft, enum intake_table table, Record *const sides[SIDES],
		const Measure *measure, const GArray *ret_maps[SIDES],
		Coverage ret_coverages[SIDES])
{
	for (guint side = 0; side < SIDES; side++)
		ret_maps[side] = record_map(sides[side], &draft->sides[side].layouts[table],
					    measure, &ret_coverages[side]);
}

void draft_entry(const MapPair *pair, const Coverage coverages[SIDES], guint64 unit,
		 struct ctprof_value ret_values[SIDES])
{
	for (guint side = 0; side < SIDES; side++) {
		const MapItem *item = pair->items[side];

		ret_values[side] = (struct ctprof_value){.type = CTPROF_VALUE_ABSENT};
		if (!item)
			continue;
		ret_values[side].type = item->text ? CTPROF_VALUE_TEXT : CTPROF_VALUE_NUMBER;
		ret_values[side].text = item->text;
		ret_values[side].number = fold_multiply_saturated(item->number, unit);
		coverage_tell(&coverages[side], &ret_values[side]);
	}
}

Table *draft_long(const Draft *draft, const char *name, const char *heading,
		  const char *names_header)
{
	return tables_add(draft->tables, name, heading, names_header,
			  CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG);
}

Table *draft_wide(const Draft *draft, const char *name, const char *heading,
		  const char *names_header)
{
	return tables_add(draft->tables, name, heading, names_header, CTPROF_SECTION_METRICS);
}

struct ctprof_cell *draft_metric(const Draft *draft, Table *table, const char *const *names,
				 guint n_names, const struct ctprof_report_field *field,
				 const struct ctprof_value values[SIDES])
{
	struct ctprof_cell *cell =
		table_metric(table, names, n_names, table_take_field(table, field));

	view_cell(draft->view, values, field, cell);
	return cell;
}

void draft_close(const Draft *draft, Table *table)
{
	table_cut(table, draft->view->limit);
	if (table->lines->len == 0)
		tables_drop(draft->tables);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory-kit.h"

#include <string.h>

void memory_kit_init(MemoryKit *kit)
{
	*kit = (MemoryKit){.options = {.file = "x.ctprof.zst"}};
	memory_data_init(&kit->data);
}

void memory_kit_clear(MemoryKit *kit)
{
	g_clear_pointer(&kit->tables, g_ptr_array_unref);
	memory_data_clear(&kit->data);
}

static guint find_cell(enum memory_group group, const char *metric)
{
	guint cell = 0;

	while (strcmp(memory_data_metric(group, cell), metric) != 0)
		g_assert_cmpuint(++cell, <, memory_data_n_cells(group));
	return cell;
}

MemoryRow *memory_kit_row(MemoryKit *kit, enum memory_group group, const char *name, gint32 pid,
			  const char *cells)
{
	g_auto(GStrv) words = g_strsplit(cells, ";", -1);
	MemoryRow *row = memory_data_new_row(&kit->data, group, name, pid);

	kit->data.captured[group] = TRUE;
	for (guint i = 0; words[i] && words[i][0]; i++) {
		g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);
		MemoryCell *cell = &row->cells[find_cell(group, pair[0])];

		cell->state = CTPROF_PRESENT;
		cell->type = CTPROF_TYPE_U64;
		if (g_ascii_string_to_unsigned(pair[1], 10, 0, G_MAXUINT64, &cell->number, NULL))
			continue;
		cell->type = CTPROF_TYPE_TEXT;
		cell->text = memory_data_keep(&kit->data, pair[1]);
	}
	return row;
}

void memory_kit_map(MemoryKit *kit, MemoryRow *row, guint cell, const char *entries)
{
	g_auto(GStrv) words = g_strsplit(entries, ";", -1);
	GArray *map = g_array_new(FALSE, FALSE, sizeof(MemoryEntry));

	for (guint i = 0; words[i]; i++) {
		g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);
		MemoryEntry entry = {.key = memory_data_keep(&kit->data, pair[0]),
				     .number = g_ascii_strtoull(pair[1], NULL, 10)};

		g_array_append_val(map, entry);
	}
	g_ptr_array_add(kit->data.maps, map);
	row->cells[cell] =
		(MemoryCell){.state = CTPROF_PRESENT, .type = CTPROF_TYPE_MAP, .map = map};
}

void memory_kit_draw(MemoryKit *kit, void (*draft)(MemoryDraft *), MemorySorts sorts)
{
	MemoryDraft d = {.data = &kit->data, .options = &kit->options};
	g_autoptr(GRegex) filter = NULL;

	if (kit->options.filter)
		filter = g_regex_new(kit->options.filter, G_REGEX_RAW, 0, NULL);
	while (kit->options.sort && strcmp(sorts(d.sort), kit->options.sort) != 0)
		d.sort++;
	g_clear_pointer(&kit->tables, g_ptr_array_unref);
	kit->tables = memory_tables_new();
	d.filter = filter;
	d.tables = kit->tables;
	draft(&d);
}

const MemoryTable *memory_kit_table(const MemoryKit *kit, const char *name)
{
	for (guint i = 0; i < kit->tables->len; i++) {
		const MemoryTable *table = g_ptr_array_index(kit->tables, i);

		if (strcmp(table->name, name) == 0)
			return table;
	}
	return NULL;
}

static void dump_value(GString *text, const struct ctprof_value *value)
{
	gboolean is_estimate = value->type == CTPROF_VALUE_ESTIMATE;

	if (is_estimate || value->type == CTPROF_VALUE_NUMBER)
		g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, is_estimate ? "~" : "",
				       value->number);
	else if (value->type == CTPROF_VALUE_REAL)
		g_string_append_printf(text, "%.1f%%", value->real);
	else if (value->type == CTPROF_VALUE_TEXT)
		g_string_append(text, value->text);
	else
		g_string_append(text, value->type == CTPROF_VALUE_UNLIMITED ? "max" : "-");
}

static guint find_field(const MemoryTable *table, const char *name)
{
	guint field = 0;

	while (strcmp(g_array_index(table->fields, struct ctprof_report_field, field).name, name) !=
	       0)
		g_assert_cmpuint(++field, <, table->fields->len);
	return field;
}

char *memory_kit_dump(const MemoryKit *kit, const char *name, const char *fields)
{
	const MemoryTable *table = memory_kit_table(kit, name);
	g_auto(GStrv) words = g_strsplit(fields, " ", -1);
	GString *text = g_string_new(NULL);

	g_assert_nonnull(table);
	for (guint i = 0; i < table->lines->len; i++) {
		const struct ctprof_report_line *line =
			&g_array_index(table->lines, struct ctprof_report_line, i);

		g_string_append_printf(text, "%*s%s", (int)line->depth * 2, "",
				       line->flags & CTPROF_LINE_CONTEXT ? "^"
				       : line->flags & CTPROF_LINE_TOTAL ? "="
									 : "");
		for (guint f = 0; words[f]; f++) {
			if (f > 0)
				g_string_append_c(text, ' ');
			dump_value(text, &line->cells[find_field(table, words[f])]);
		}
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

char *memory_kit_notes(const MemoryKit *kit, const char *name)
{
	const MemoryTable *table = memory_kit_table(kit, name);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < table->notes->len; i++)
		g_string_append_printf(text, "%s\n",
				       (const char *)g_ptr_array_index(table->notes, i));
	return g_string_free(text, FALSE);
}

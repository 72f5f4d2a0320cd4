/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "sample.h"

static char *dump_value(const struct ctprof_value *value)
{
	switch (value->type) {
	case CTPROF_VALUE_NUMBER:
		return g_strdup_printf("%" G_GUINT64_FORMAT, value->number);
	case CTPROF_VALUE_REAL:
		return g_strdup_printf("%.3f", value->real);
	case CTPROF_VALUE_RANGE:
		return g_strdup_printf("%" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, value->min,
				       value->max);
	case CTPROF_VALUE_MODE:
		return g_strdup_printf("%s(%" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT ")",
				       value->text, value->count, value->n);
	case CTPROF_VALUE_CPUS:
		return g_strdup_printf("%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "cpus(%s)",
				       value->min, value->max, value->text ? value->text : "mixed");
	case CTPROF_VALUE_UNLIMITED:
		return g_strdup("max");
	case CTPROF_VALUE_TEXT:
		return g_strdup_printf("'%s'", value->text);
	default:
		return g_strdup(".");
	}
}

char *sample_dump_value(const struct ctprof_value *value)
{
	g_autofree char *text = dump_value(value);

	return g_strconcat(value->flags & CTPROF_VALUE_PARTIAL ? "~" : "", text, NULL);
}

char *sample_group(const struct ctprof_report_line *line)
{
	g_autoptr(GString) out = g_string_new(line->names[0]);

	for (guint i = 1; i < line->n_names; i++)
		g_string_append_printf(out, "|%s", line->names[i]);
	return g_strdup(out->str);
}

const struct ctprof_report_section *sample_section(const struct ctprof_report *report,
						   const char *name)
{
	for (guint64 i = 0; i < report->n_sections; i++)
		if (strcmp(report->sections[i].name, name) == 0)
			return &report->sections[i];
	g_error("there is no section '%s'", name);
}

GArray *sample_rows(const struct ctprof_report_section *section)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SampleRow));

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = &section->lines[i];

		for (guint64 c = 0; c < line->n_cells; c++) {
			const struct ctprof_report_field *field = &section->fields[line->first + c];
			const struct ctprof_cell *cell = &line->cells[c];
			SampleRow row = {line,        field,       cell,      field->name,
					 cell->value, cell->delta, cell->pct, cell->flags};

			g_array_append_val(rows, row);
		}
	}
	return rows;
}

static void dump_row(GString *out, const struct ctprof_report *report, const char *section,
		     const SampleRow *row)
{
	static const struct {
		guint32 flag;
		char letter;
	} flags[] = {
		{CTPROF_CELL_SAME, 'S'},
		{CTPROF_CELL_DIFFERS, 'D'},
	};
	g_autofree char *group = sample_group(row->line);
	g_autofree char *a = sample_dump_value(&row->value[0]);
	g_autofree char *b = sample_dump_value(&row->value[1]);

	g_string_append_printf(out, "%s %s %s %s", section, group, row->metric, a);
	if (report->flags & CTPROF_REPORT_COMPARE) {
		g_string_append_printf(out, " %s", b);
		if (row->flags & CTPROF_CELL_HAS_DELTA)
			g_string_append_printf(out, " %+g", row->delta);
		if (row->flags & CTPROF_CELL_HAS_PCT)
			g_string_append_printf(out, " %+.1f%%", row->pct);
		for (guint i = 0; i < G_N_ELEMENTS(flags); i++)
			if (row->flags & flags[i].flag)
				g_string_append_printf(out, " %c", flags[i].letter);
		g_string_append(out, row->line->renamed ? " R" : "");
		g_string_append(out, row->flags & CTPROF_CELL_RATE ? " r" : "");
		g_string_append(out, row->flags & CTPROF_CELL_PARTIAL ? " ~" : "");
	}
	g_string_append_c(out, '\n');
}

static void dump_section(GString *out, const struct ctprof_report *report,
			 const struct ctprof_report_section *section)
{
	g_autoptr(GArray) rows = sample_rows(section);

	for (guint i = 0; i < rows->len; i++)
		dump_row(out, report, section->name, &g_array_index(rows, SampleRow, i));
	if (section->n_cut > 0)
		g_string_append_printf(out, "%s cut %" G_GUINT64_FORMAT "\n", section->name,
				       section->n_cut);
}

char *sample_dump(const struct ctprof_report *report)
{
	return sample_dump_section(report, NULL);
}

char *sample_dump_section(const struct ctprof_report *report, const char *section)
{
	GString *out = g_string_new(NULL);

	for (guint64 i = 0; i < report->n_sections; i++)
		if (section ? strcmp(report->sections[i].name, section) == 0
			    : !(report->sections[i].flags & CTPROF_SECTION_BARE))
			dump_section(out, report, &report->sections[i]);
	return g_string_free(out, FALSE);
}

const SampleRow *sample_find(const struct ctprof_report *report, const char *section,
			     const char *group, const char *metric)
{
	static SampleRow found[64];
	static guint next;

	for (guint64 s = 0; s < report->n_sections; s++) {
		if (strcmp(report->sections[s].name, section) != 0)
			continue;
		g_autoptr(GArray) rows = sample_rows(&report->sections[s]);
		for (guint i = 0; i < rows->len; i++) {
			const SampleRow *row = &g_array_index(rows, SampleRow, i);
			g_autofree char *name = sample_group(row->line);

			if (strcmp(name, group) != 0 || strcmp(row->metric, metric) != 0)
				continue;
			next = (next + 1) % G_N_ELEMENTS(found);
			found[next] = *row;
			return &found[next];
		}
	}
	return NULL;
}

char *sample_dump_only(const struct ctprof_report *report, guint side)
{
	GString *out = g_string_new(NULL);

	for (guint64 i = 0; i < report->n_only[side]; i++) {
		const struct ctprof_report_line *orphan = &report->only[side][i];
		g_autofree char *group = sample_group(orphan);

		g_string_append_printf(out, "%s %" G_GUINT64_FORMAT "\n", group,
				       orphan->threads[side]);
	}
	return g_string_free(out, FALSE);
}

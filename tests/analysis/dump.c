/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "sample.h"

char *sample_dump_value(const struct ctprof_value *value)
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
				       value->text, value->count, value->total);
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

static char *dump_group(const char *const *names, guint n)
{
	g_autoptr(GString) out = g_string_new(names[0]);

	for (guint i = 1; i < n; i++)
		g_string_append_printf(out, "|%s", names[i]);
	return g_strdup(out->str);
}

static void dump_row(GString *out, const struct ctprof_report *report, const char *section,
		     const struct ctprof_report_row *row)
{
	static const struct {
		guint32 flag;
		char letter;
	} flags[] = {
		{CTPROF_ROW_SAME, 'S'},
		{CTPROF_ROW_DIFFERS, 'D'},
		{CTPROF_ROW_RENAMED, 'R'},
		{CTPROF_ROW_RATE, 'r'},
	};
	g_autofree char *group = dump_group(row->group, row->n_group);
	g_autofree char *a = sample_dump_value(&row->value[0]);
	g_autofree char *b = sample_dump_value(&row->value[1]);

	g_string_append_printf(out, "%s %s %s %s", section, group, row->metric, a);
	if (report->flags & CTPROF_REPORT_COMPARE) {
		g_string_append_printf(out, " %s", b);
		if (row->flags & CTPROF_ROW_HAS_DELTA)
			g_string_append_printf(out, " %+g", row->delta);
		if (row->flags & CTPROF_ROW_HAS_PCT)
			g_string_append_printf(out, " %+.1f%%", row->pct);
		for (guint i = 0; i < G_N_ELEMENTS(flags); i++)
			if (row->flags & flags[i].flag)
				g_string_append_printf(out, " %c", flags[i].letter);
	}
	g_string_append_c(out, '\n');
}

static void dump_section(GString *out, const struct ctprof_report *report,
			 const struct ctprof_report_section *section)
{
	for (guint64 i = 0; i < section->n_rows; i++)
		dump_row(out, report, section->name, &section->rows[i]);
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
		if (!section || strcmp(report->sections[i].name, section) == 0)
			dump_section(out, report, &report->sections[i]);
	return g_string_free(out, FALSE);
}

const struct ctprof_report_row *sample_find(const struct ctprof_report *report, const char *section,
					    const char *group, const char *metric)
{
	for (guint64 s = 0; s < report->n_sections; s++) {
		const struct ctprof_report_section *one = &report->sections[s];

		for (guint64 i = 0; strcmp(one->name, section) == 0 && i < one->n_rows; i++) {
			const struct ctprof_report_row *row = &one->rows[i];
			g_autofree char *name = dump_group(row->group, row->n_group);

			if (strcmp(name, group) == 0 && strcmp(row->metric, metric) == 0)
				return row;
		}
	}
	return NULL;
}

char *sample_dump_only(const struct ctprof_report *report, guint side)
{
	GString *out = g_string_new(NULL);

	for (guint64 i = 0; i < report->n_only[side]; i++) {
		const struct ctprof_report_orphan *orphan = &report->only[side][i];
		g_autofree char *group = dump_group(orphan->group, orphan->n_group);

		g_string_append_printf(out, "%s %" G_GUINT64_FORMAT "\n", group, orphan->threads);
	}
	return g_string_free(out, FALSE);
}

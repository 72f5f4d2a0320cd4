/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "draft.h"

GArray *draft_rows_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_row));
}

void draft_init(Draft *draft)
{
	draft->sections = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_section));
	draft->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
}

void draft_clear(Draft *draft)
{
	g_clear_pointer(&draft->sections, g_array_unref);
	g_clear_pointer(&draft->rows, g_ptr_array_unref);
}

void draft_add(Draft *draft, enum section_id id, const char *heading, enum ctprof_layout layout,
	       const char *group_header, GArray *rows, guint64 n_cut)
{
	draft_add_named(draft, sections[id].name, heading ? heading : sections[id].heading, layout,
			group_header, rows, n_cut);
}

void draft_add_named(Draft *draft, const char *name, const char *heading, enum ctprof_layout layout,
		     const char *group_header, GArray *rows, guint64 n_cut)
{
	struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.layout = layout,
		.name = name,
		.heading = heading,
		.group_header = group_header,
		.n_rows = rows->len,
		.rows = (const void *)rows->data,
		.n_cut = n_cut,
	};

	g_array_append_val(draft->sections, section);
	g_ptr_array_add(draft->rows, rows);
}

static gboolean same_line(const struct ctprof_report_row *a, const struct ctprof_report_row *b)
{
	for (guint i = 0; i < G_N_ELEMENTS(a->group); i++)
		if (g_strcmp0(a->group[i], b->group[i]) != 0)
			return FALSE;
	return TRUE;
}

guint64 draft_cut(GArray *rows, enum ctprof_layout layout, guint limit)
{
	guint64 lines = 0;
	guint kept = rows->len;

	for (guint i = 0; i < rows->len; i++) {
		const struct ctprof_report_row *row =
			&g_array_index(rows, struct ctprof_report_row, i);

		if (layout == CTPROF_LAYOUT_WIDE && i > 0 && same_line(row - 1, row))
			continue;
		if (limit > 0 && lines == limit)
			kept = MIN(kept, i);
		lines++;
	}
	g_array_set_size(rows, kept);
	return limit > 0 && lines > limit ? lines - limit : 0;
}

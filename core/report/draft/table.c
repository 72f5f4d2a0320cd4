/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "table.h"

#include <string.h>

static void table_free(gpointer data)
{
	Table *table = data;

	g_array_unref(table->fields);
	g_array_unref(table->lines);
	g_ptr_array_unref(table->cells);
	g_ptr_array_unref(table->notes);
	g_ptr_array_unref(table->sentences);
	g_hash_table_unref(table->places);
	g_free(table);
}

Tables *tables_new(void)
{
	return g_ptr_array_new_with_free_func(table_free);
}

Table *tables_add(Tables *tables, const char *name, const char *heading, const char *names_header,
		  guint32 flags)
{
	Table *table = g_new0(Table, 1);

	table->section = (struct ctprof_report_section){
		.struct_size = sizeof table->section,
		.flags = flags,
		.name = name,
		.heading = heading,
		.names_header = names_header,
	};
	table->fields = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_field));
	table->lines = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_line));
	table->cells = g_ptr_array_new_with_free_func(g_free);
	table->notes = g_ptr_array_new_with_free_func(g_free);
	table->sentences = g_ptr_array_new();
	table->places = g_hash_table_new(g_str_hash, g_str_equal);
	g_ptr_array_add(tables, table);
	return table;
}

void tables_drop(Tables *tables)
{
	g_ptr_array_set_size(tables, (gint)tables->len - 1);
}

const struct ctprof_report_section *table_finish(Table *table)
{
	struct ctprof_report_section *section = &table->section;

	section->n_fields = table->fields->len;
	section->fields = (const void *)table->fields->data;
	section->n_lines = table->lines->len;
	section->lines = (const void *)table->lines->data;
	section->n_notes = table->notes->len;
	section->notes = (const char *const *)table->notes->pdata;
	section->sentences = (const struct ctprof_sentence *const *)table->sentences->pdata;
	return section;
}

static gboolean has_verdict(const struct ctprof_report_section *section)
{
	for (guint64 i = 0; i < section->n_lines; i++)
		for (guint64 j = 0; j < section->lines[i].n_cells; j++) {
			const struct ctprof_cell *cell = &section->lines[i].cells[j];

			if (cell->runs || cell->flags & (CTPROF_CELL_WORSE | CTPROF_CELL_BETTER))
				return TRUE;
		}
	return FALSE;
}

void tables_drop_verdicts(const GArray *sections, GArray *columns)
{
	for (guint i = 0; i < sections->len; i++)
		if (has_verdict(&g_array_index(sections, struct ctprof_report_section, i)))
			return;
	for (guint i = 0; i < columns->len; i++)
		if (g_array_index(columns, guint32, i) == CTPROF_COLUMN_VERDICT)
			g_array_remove_index(columns, i--);
}

GArray *tables_finish(Tables *tables)
{
	GArray *sections = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_section));

	for (guint i = 0; i < tables->len; i++) {
		Table *table = g_ptr_array_index(tables, i);

		(void)table_finish(table);
		g_array_append_val(sections, table->section);
	}
	return sections;
}

/* ---- fields ---- */

void table_add_fields(Table *table, const struct ctprof_report_field *fields, guint n)
{
	for (guint i = 0; i < n; i++)
		(void)table_take_field(table, &fields[i]);
}

guint table_take_field(Table *table, const struct ctprof_report_field *field)
{
	guint place = GPOINTER_TO_UINT(g_hash_table_lookup(table->places, field->name));

	if (place > 0)
		return place - 1;
	g_array_append_val(table->fields, *field);
	g_hash_table_insert(table->places, (gpointer)(uintptr_t)field->name,
			    GUINT_TO_POINTER(table->fields->len));
	return table->fields->len - 1;
}

struct ctprof_report_field *table_field(Table *table, guint i)
{
	return &g_array_index(table->fields, struct ctprof_report_field, i);
}

void table_hide(Table *table, guint field, gboolean hide)
{
	guint32 *flags = &table_field(table, field)->flags;

	*flags = hide ? *flags | CTPROF_FIELD_HIDDEN : *flags & ~CTPROF_FIELD_HIDDEN;
}

/* ---- lines ---- */

static struct ctprof_cell *add_line(Table *table, struct ctprof_report_line line, guint n_cells)
{
	struct ctprof_cell *cells = g_new0(struct ctprof_cell, MAX(n_cells, 1));

	for (guint i = 0; i < n_cells; i++)
		cells[i].struct_size = sizeof cells[i];
	line.struct_size = sizeof line;
	if (line.flags & CTPROF_LINE_TOTAL && line.role == CTPROF_ROLE_NONE)
		line.role = CTPROF_ROLE_TOTAL;
	line.n_cells = n_cells;
	line.cells = cells;
	g_array_append_val(table->lines, line);
	g_ptr_array_add(table->cells, cells);
	return cells;
}

struct ctprof_cell *table_line(Table *table, guint32 flags, guint depth)
{
	return add_line(table, (struct ctprof_report_line){.flags = flags, .depth = depth},
			table->fields->len);
}

struct ctprof_cell *table_role_line(Table *table, guint32 flags, guint32 role)
{
	return add_line(table, (struct ctprof_report_line){.flags = flags, .role = role},
			table->fields->len);
}

struct ctprof_report_line table_names(const char *const *names, guint n_names)
{
	struct ctprof_report_line line = {.struct_size = sizeof line, .n_names = n_names};

	for (guint i = 0; i < n_names; i++)
		line.names[i] = names[i];
	return line;
}

struct ctprof_cell *table_named_line(Table *table, const char *const *names, guint n_names)
{
	return add_line(table, table_names(names, n_names), table->fields->len);
}

struct ctprof_cell *table_metric(Table *table, const char *const *names, guint n_names, guint field)
{
	struct ctprof_report_line line = table_names(names, n_names);

	line.first = field;
	return add_line(table, line, 1);
}

struct ctprof_report_line *table_last(Table *table)
{
	return &g_array_index(table->lines, struct ctprof_report_line, table->lines->len - 1);
}

void table_drop_last(Table *table)
{
	g_array_set_size(table->lines, table->lines->len - 1);
	g_ptr_array_set_size(table->cells, (gint)table->cells->len - 1);
}

gboolean table_has_room(Table *table, guint limit)
{
	if (limit == 0 || table->lines->len < limit)
		return TRUE;
	table->section.n_cut++;
	return FALSE;
}

/* Whether the subject of the line is among the first limit ones, which kept
 * contains. */
static gboolean is_kept(GHashTable *kept, const struct ctprof_report_line *line, guint limit)
{
	GString *key = g_string_new(NULL);

	for (guint i = 0; i < line->n_names; i++)
		g_string_append_printf(key, "%s\n", line->names[i] ? line->names[i] : "");
	/* Without names, each line is a subject of its own. */
	if (line->n_names == 0)
		g_string_append_printf(key, "%u", g_hash_table_size(kept));
	g_autofree char *text = g_string_free(key, FALSE);
	if (g_hash_table_contains(kept, text))
		return TRUE;
	return g_hash_table_size(kept) < limit && g_hash_table_add(kept, g_steal_pointer(&text));
}

void table_cut(Table *table, guint limit)
{
	g_autoptr(GHashTable) kept = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	guint n = 0;

	if (limit == 0 || table->lines->len <= limit)
		return;
	for (guint i = 0; i < table->lines->len; i++) {
		const struct ctprof_report_line *line =
			&g_array_index(table->lines, struct ctprof_report_line, i);

		if (is_kept(kept, line, limit))
			g_array_index(table->lines, struct ctprof_report_line, n++) = *line;
	}
	table->section.n_cut += table->lines->len - n;
	g_array_set_size(table->lines, n);
}

/* ---- trees ---- */

static void add_heading(GArray *lines, const char *first, const char *second, guint depth)
{
	struct ctprof_report_line heading = {
		.struct_size = sizeof heading,
		.flags = CTPROF_LINE_HEADING,
		.depth = depth,
		.n_names = second ? 2 : 1,
		.names = {first, second},
	};

	g_array_append_val(lines, heading);
}

/* Adds headings for the segments of path that before does not begin with;
 * returns the depth of the path.  owned owns their texts. */
static guint add_path(GArray *lines, GPtrArray *owned, const char *before, const char *path)
{
	gboolean shared = before != NULL;
	guint depth = 0;

	for (;; depth++) {
		path += strspn(path, "/");
		gsize len = strcspn(path, "/");
		if (len == 0)
			return depth;
		if (shared) {
			before += strspn(before, "/");
			gsize old = strcspn(before, "/");

			shared = old == len && strncmp(before, path, len) == 0;
			before += old;
		}
		if (!shared) {
			g_ptr_array_add(owned, g_strndup(path, len));
			add_heading(lines, owned->pdata[owned->len - 1], NULL, depth);
		}
		path += len;
	}
}

static const char *name_of(const struct ctprof_report_line *line, guint i)
{
	return line && i < line->n_names && line->names[i] ? line->names[i] : "";
}

void table_make_tree(Table *table)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_line));
	const struct ctprof_report_line *before = NULL;

	for (guint i = 0; i < table->lines->len; i++) {
		struct ctprof_report_line *line =
			&g_array_index(table->lines, struct ctprof_report_line, i);
		gboolean same = before && strcmp(name_of(before, 0), name_of(line, 0)) == 0;
		guint depth = add_path(lines, table->cells, before ? name_of(before, 0) : NULL,
				       name_of(line, 0));

		if (line->n_names > 2) {
			if (!same || strcmp(name_of(before, 1), name_of(line, 1)) != 0)
				add_heading(lines, line->names[0], line->names[1], depth);
			depth++;
		}
		line->depth = depth;
		g_array_append_val(lines, *line);
		before = line;
	}
	g_array_unref(table->lines);
	table->lines = lines;
	table->section.flags |= CTPROF_SECTION_TREE;
}

/* ---- coverage and notes ---- */

void tally_add(Tally *tally, const struct ctprof_value *amounts, guint n)
{
	guint n_there = 0, n_whole = 0;

	for (guint i = 0; i < n; i++) {
		if (amounts[i].type == CTPROF_VALUE_ABSENT)
			continue;
		n_there++;
		if (!(amounts[i].flags & CTPROF_VALUE_PARTIAL))
			n_whole++;
	}
	if (n_there == 0)
		tally->n[READ_MISSING]++;
	else
		tally->n[n_whole < n ? READ_APPROXIMATE : READ_EXACT]++;
}

void table_note_coverage(Table *table, const char *covered, const Tally *tally)
{
	struct ctprof_report_section *section = &table->section;

	section->flags |= CTPROF_SECTION_HAS_COVERAGE;
	section->covered = covered;
	section->n_exact = tally->n[READ_EXACT];
	section->n_approximate = tally->n[READ_APPROXIMATE];
	section->n_missing = tally->n[READ_MISSING];
}

void table_mark_totals(Table *table)
{
	for (guint i = 0; i < table->lines->len; i++) {
		const struct ctprof_report_line *line =
			&g_array_index(table->lines, struct ctprof_report_line, i);
		struct ctprof_cell *cells = (struct ctprof_cell *)(uintptr_t)line->cells;

		for (guint64 c = 0; line->flags & CTPROF_LINE_TOTAL && c < line->n_cells; c++)
			for (guint side = 0; side < G_N_ELEMENTS(cells[c].value); side++)
				if (cells[c].value[side].type == CTPROF_VALUE_NUMBER)
					cells[c].value[side].flags |= CTPROF_VALUE_PARTIAL;
	}
}

void table_note(Table *table, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_ptr_array_add(table->notes, g_strdup_vprintf(format, ap));
	g_ptr_array_add(table->sentences, NULL);
	va_end(ap);
}

void table_note_sentence(Table *table, const char *before, Sentence *sentence)
{
	g_ptr_array_add(table->notes, g_strconcat(before, sentence_text(sentence), NULL));
	g_ptr_array_add(table->sentences, (gpointer)(uintptr_t)sentence_data(sentence));
}

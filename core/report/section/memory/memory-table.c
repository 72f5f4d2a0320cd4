/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "memory-table.h"

/* ---- amounts ---- */

static guint64 add(guint64 a, guint64 b)
{
	return a + b < a ? G_MAXUINT64 : a + b;
}

void amount_sum_add(AmountSum *sum, Amount part)
{
	sum->n++;
	if (part.type == CTPROF_VALUE_ABSENT) {
		sum->n_absent++;
		return;
	}
	sum->n_estimates += part.type == CTPROF_VALUE_ESTIMATE;
	sum->number = add(sum->number, part.number);
}

void amount_sum_merge(AmountSum *sum, const AmountSum *part)
{
	sum->number = add(sum->number, part->number);
	sum->n += part->n;
	sum->n_estimates += part->n_estimates;
	sum->n_absent += part->n_absent;
}

Amount amount_sum_total(const AmountSum *sum)
{
	if (sum->n == sum->n_absent)
		return AMOUNT_ABSENT;
	/* What lacks a part stands in for the whole. */
	return (Amount){
		.type = sum->n_absent + sum->n_estimates > 0 ? CTPROF_VALUE_ESTIMATE
							     : CTPROF_VALUE_NUMBER,
		.number = sum->number,
	};
}

Amount amount_sum_of_all(const AmountSum *sum)
{
	return sum->n == 0 ? (Amount){.type = CTPROF_VALUE_NUMBER} : amount_sum_total(sum);
}

gint amount_compare(Amount a, Amount b)
{
	gboolean has_a = a.type != CTPROF_VALUE_ABSENT, has_b = b.type != CTPROF_VALUE_ABSENT;

	if (has_a != has_b)
		return has_a ? -1 : 1;
	if (!has_a || a.number == b.number)
		return 0;
	return a.number > b.number ? -1 : 1;
}

/* ---- values ---- */

struct ctprof_value value_of_amount(Amount amount)
{
	return (struct ctprof_value){
		.struct_size = sizeof(struct ctprof_value),
		.type = amount.type,
		.number = amount.number,
	};
}

struct ctprof_value value_of_number(guint64 number)
{
	return value_of_amount((Amount){.type = CTPROF_VALUE_NUMBER, .number = number});
}

struct ctprof_value value_of_text(const char *text)
{
	return (struct ctprof_value){
		.struct_size = sizeof(struct ctprof_value),
		.type = text ? CTPROF_VALUE_TEXT : CTPROF_VALUE_ABSENT,
		.text = text,
	};
}

struct ctprof_value value_of_share(guint64 part, guint64 whole)
{
	return (struct ctprof_value){
		.struct_size = sizeof(struct ctprof_value),
		.type = whole > 0 ? CTPROF_VALUE_REAL : CTPROF_VALUE_ABSENT,
		.real = whole > 0 ? (gdouble)part / (gdouble)whole * 100 : 0,
	};
}

/* ---- tables ---- */

static void table_free(gpointer data)
{
	MemoryTable *table = data;

	g_array_unref(table->fields);
	g_array_unref(table->lines);
	g_ptr_array_unref(table->cells);
	g_ptr_array_unref(table->notes);
	g_free(table);
}

MemoryTables *memory_tables_new(void)
{
	return g_ptr_array_new_with_free_func(table_free);
}

MemoryTable *memory_tables_add(MemoryTables *tables, const char *name, const char *heading,
			       const struct ctprof_report_field *fields, guint n_fields)
{
	MemoryTable *table = g_new0(MemoryTable, 1);

	table->name = name;
	table->heading = heading;
	table->fields = g_array_new(FALSE, FALSE, sizeof *fields);
	g_array_append_vals(table->fields, fields, n_fields);
	table->lines = g_array_new(FALSE, FALSE, sizeof(struct ctprof_report_line));
	table->cells = g_ptr_array_new_with_free_func(g_free);
	table->notes = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(tables, table);
	return table;
}

void memory_table_hide(MemoryTable *table, guint field, gboolean hide)
{
	struct ctprof_report_field *f =
		&g_array_index(table->fields, struct ctprof_report_field, field);

	f->flags = hide ? f->flags | CTPROF_FIELD_HIDDEN : f->flags & ~CTPROF_FIELD_HIDDEN;
}

void memory_table_flag(MemoryTable *table, guint field, guint32 flag)
{
	g_array_index(table->fields, struct ctprof_report_field, field).flags |= flag;
}

struct ctprof_value *memory_table_line(MemoryTable *table, guint32 flags, guint depth)
{
	struct ctprof_value *cells = g_new0(struct ctprof_value, table->fields->len);
	struct ctprof_report_line line = {
		.struct_size = sizeof line,
		.flags = flags,
		.depth = depth,
		.cells = cells,
	};

	for (guint i = 0; i < table->fields->len; i++)
		cells[i].struct_size = sizeof cells[i];
	g_array_append_val(table->lines, line);
	g_ptr_array_add(table->cells, cells);
	return cells;
}

void memory_table_cover(MemoryTable *table, const char *noun, const Coverage *coverage)
{
	table->table.flags |= CTPROF_TABLE_HAS_COVERAGE;
	table->table.covered = noun;
	table->table.n_exact = coverage->exact;
	table->table.n_approximate = coverage->approximate;
	table->table.n_missing = coverage->missing;
}

void memory_table_estimate_totals(MemoryTable *table)
{
	for (guint i = 0; i < table->lines->len; i++) {
		struct ctprof_value *cells = g_ptr_array_index(table->cells, i);
		guint32 flags = g_array_index(table->lines, struct ctprof_report_line, i).flags;

		for (guint f = 0; flags & CTPROF_LINE_TOTAL && f < table->fields->len; f++)
			if (cells[f].type == CTPROF_VALUE_NUMBER)
				cells[f].type = CTPROF_VALUE_ESTIMATE;
	}
}

void memory_table_note(MemoryTable *table, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	g_ptr_array_add(table->notes, g_strdup_vprintf(format, ap));
	va_end(ap);
}

gboolean memory_table_has_room(MemoryTable *table, guint limit)
{
	if (limit == 0 || table->lines->len < limit)
		return TRUE;
	table->n_cut++;
	return FALSE;
}

struct ctprof_report_section memory_table_section(MemoryTable *table)
{
	struct ctprof_report_table *t = &table->table;

	t->struct_size = sizeof *t;
	t->n_fields = table->fields->len;
	t->fields = (const void *)table->fields->data;
	t->n_lines = table->lines->len;
	t->lines = (const void *)table->lines->data;
	t->n_notes = table->notes->len;
	t->notes = (const char *const *)table->notes->pdata;
	return (struct ctprof_report_section){
		.struct_size = sizeof(struct ctprof_report_section),
		.layout = CTPROF_LAYOUT_TABLE,
		.name = table->name,
		.heading = table->heading,
		.n_cut = table->n_cut,
		.table = t,
	};
}

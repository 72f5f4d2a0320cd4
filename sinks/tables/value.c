/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "value.h"

#include <math.h>

#include "ctprof/numbers.h"
#include "drawing.h"
#include "label.h"
#include "scale.h"

void value_append_percent(GString *text, double value, int decimals, gboolean is_signed)
{
	char number[REAL_ROOM];

	real_fixed(value, decimals, is_signed, number);
	g_string_append_printf(text, "%s%%", number);
}

static void append_number(GString *text, const struct ctprof_report_field *field,
			  const struct ctprof_value *value)
{
	char number[SCALE_ROOM];

	if (drawing_is_partial(value))
		g_string_append_c(text, '~');
	if (value->type == CTPROF_VALUE_REAL && field->flags & CTPROF_FIELD_PERCENT) {
		value_append_percent(text, value->real, 1, FALSE);
		return;
	}
	if (field->flags & CTPROF_FIELD_SHORT) {
		char brief[CTPROF_SHORT_ROOM];

		ctprof_number_short(field->ladder,
				    value->type == CTPROF_VALUE_REAL ? value->real
								     : (double)value->number,
				    brief);
		g_string_append(text, brief);
		return;
	}
	if (value->type == CTPROF_VALUE_REAL)
		scale_real(field->ladder, value->real, number);
	else
		scale_number(field->ladder, value->number, number);
	g_string_append(text, number);
}

void value_append(GString *text, const struct ctprof_report_field *field,
		  const struct ctprof_value *value)
{
	struct drawing_words words;

	if (value->type == CTPROF_VALUE_NUMBER || value->type == CTPROF_VALUE_REAL) {
		append_number(text, field, value);
	} else if (drawing_words(value, &words)) {
		g_string_append(text, words.before);
		label_append(text, words.text);
		g_string_append(text, words.after);
	} else {
		g_string_append_c(text, '-');
	}
}

double value_rank(const struct ctprof_value *value)
{
	switch (value->type) {
	case CTPROF_VALUE_NUMBER:
		return (double)value->number;
	case CTPROF_VALUE_REAL:
		return value->real;
	case CTPROF_VALUE_RANGE:
	case CTPROF_VALUE_CPUS:
		return (double)value->max;
	case CTPROF_VALUE_UNLIMITED:
		return INFINITY;
	default:
		return NAN;
	}
}

void value_append_delta(GString *text, const struct ctprof_report_field *field,
			const struct ctprof_cell *cell)
{
	gboolean is_computed = cell->value[0].type == CTPROF_VALUE_REAL ||
			       cell->value[1].type == CTPROF_VALUE_REAL;
	char number[SCALE_ROOM];

	if (cell->flags & CTPROF_CELL_PARTIAL)
		g_string_append_c(text, '~');
	if (field->flags & CTPROF_FIELD_PERCENT) {
		value_append_percent(text, cell->delta, 1, TRUE);
	} else {
		scale_delta(field->ladder, cell->delta, is_computed, number);
		g_string_append(text, number);
	}
	if (cell->flags & CTPROF_CELL_RATE)
		g_string_append(text, "/s");
}

void value_append_pair(GString *text, const struct ctprof_report_field *field,
		       const struct ctprof_cell *cell)
{
	gboolean has_delta = (cell->flags & CTPROF_CELL_HAS_DELTA) != 0;

	value_append(text, field, &cell->value[0]);
	/* The change of a metric is shown even if it is 0; a column of a table is
	 * read down, so only changes are shown. */
	if ((cell->flags & CTPROF_CELL_SAME) && cell->value[0].flags == cell->value[1].flags &&
	    (!has_delta || field->kind == 0))
		return;
	if (drawing_is_absent(cell, true))
		return;
	g_string_append(text, " → ");
	value_append(text, field, &cell->value[1]);
	/* Short numbers have few digits, so the change is easy to see without it. */
	if (!has_delta || field->flags & CTPROF_FIELD_SHORT)
		return;
	g_string_append(text, " (");
	value_append_delta(text, field, cell);
	g_string_append_c(text, ')');
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "grouping.h"

#include <string.h>

#include "base/ui.h"
#include "frame/quantity.h"
#include "report/plan/sections.h"
#include "road/filling.h"

struct grouping {
	Sheet *sheet;
	GroupBy group_by;
	const Axis *axis;
	char *file;
	/* With windows, the rows of a sample end one window and begin the next. */
	Filling *ending, *beginning;
	const Origin *origin; /* while records are made */
	gdouble seconds;
	GString *partial; /* metrics of the current row that lack threads */
};

static gboolean is_of_windows(const Grouping *self)
{
	return self->sheet->rows == CTPROF_TABLE_WINDOWS;
}

static Filling *begin_filling(const Grouping *self, GError **error)
{
	static char wanted[] = SECTION_PRIMARY "," SECTION_DELAY "," SECTION_DERIVED;
	gboolean is_window = is_of_windows(self);
	const AnalysisOptions options = {
		.compare = is_window,
		.may_be_window = is_window,
		.files = {self->file, self->file},
		.group_by = self->group_by,
		.sections = wanted,
		.rename_min_types = 1,
	};

	return filling_new(&options, NULL, error);
}

Grouping *grouping_new(Sheet *sheet, GroupBy group_by)
{
	Grouping *self = g_new0(Grouping, 1);

	self->sheet = sheet;
	self->group_by = group_by;
	self->axis = axis_of(group_by);
	self->partial = g_string_new(NULL);
	return self;
}

static void forget(Grouping *self)
{
	g_clear_pointer(&self->ending, filling_free);
	g_clear_pointer(&self->beginning, filling_free);
}

void grouping_free(Grouping *self)
{
	forget(self);
	g_string_free(self->partial, TRUE);
	g_free(self->file);
	g_free(self);
}

void grouping_begin_file(Grouping *self, const char *file)
{
	forget(self);
	g_free(self->file);
	self->file = g_strdup(file);
}

gboolean grouping_begin(Grouping *self, GError **error)
{
	self->ending = g_steal_pointer(&self->beginning);
	self->beginning = begin_filling(self, error);
	return self->beginning != NULL;
}

gboolean grouping_rows(Grouping *self, const Registry *registry, const struct ctprof_rows *rows,
		       GError **error)
{
	return filling_take(self->beginning, 0, registry, rows, error) &&
	       (!self->ending || filling_take(self->ending, 1, registry, rows, error));
}

/* ---- groups as records ---------------------------------------------------------- */

static void put_column_text(Sheet *sheet, const char *name, const char *text)
{
	if (text)
		sheet_put_text(sheet, sheet_find(sheet, name), text, strlen(text));
}

static void take_group(gpointer data, const char *const *names, guint n_names, guint64 threads)
{
	Grouping *self = data;
	Sheet *sheet = self->sheet;

	origin_put(self->origin, sheet);
	for (guint i = 0; i < MIN(n_names, self->axis->n_names); i++)
		put_column_text(sheet, schema_label(self->axis->labels[i]), names[i]);
	sheet_put(sheet, sheet_find(sheet, "threads"), threads);
	sheet_put_real(sheet, sheet_find(sheet, "seconds"), self->seconds);
	g_string_truncate(self->partial, 0);
}

static void put_range(Sheet *sheet, const char *name, const struct ctprof_value *value)
{
	g_autofree char *least = g_strconcat(name, "_min", NULL);
	g_autofree char *most = g_strconcat(name, "_max", NULL);

	sheet_put(sheet, sheet_find(sheet, least), (guint64)value->min);
	sheet_put(sheet, sheet_find(sheet, most), (guint64)value->max);
}

static void put_value(Sheet *sheet, const char *name, guint column,
		      const struct ctprof_value *value)
{
	switch (value->type) {
	case CTPROF_VALUE_NUMBER:
		sheet_put(sheet, column, value->number);
		break;
	case CTPROF_VALUE_UNLIMITED:
		sheet_put(sheet, column, G_MAXUINT64);
		break;
	case CTPROF_VALUE_REAL:
		sheet_put_real(sheet, column, value->real);
		break;
	case CTPROF_VALUE_RANGE:
		put_range(sheet, name, value);
		break;
	default:
		if (value->text)
			sheet_put_text(sheet, column, value->text, strlen(value->text));
	}
}

static void take_value(gpointer data, const struct ctprof_report_field *field,
		       const struct ctprof_value *value)
{
	Grouping *self = data;
	g_autofree char *name = g_strdelimit(g_strdup(field->name), ".:", '_');

	if (value->type == CTPROF_VALUE_ABSENT)
		return;
	put_value(self->sheet, name, sheet_find(self->sheet, name), value);
	if (value->flags & CTPROF_VALUE_PARTIAL)
		g_string_append_printf(self->partial, "%s%s", self->partial->len > 0 ? " " : "",
				       name);
}

static void take_histogram(gpointer data, const struct ctprof_report_field *field,
			   const Histogram *histogram)
{
	const Grouping *self = data;
	g_autofree char *name = g_strdelimit(g_strdup(field->name), ".", '_');
	g_autoptr(Arena) arena = arena_new();

	flatten_put_map(self->sheet, sheet_find(self->sheet, name),
			buckets_store(arena, histogram));
}

static gboolean end_group(gpointer data, GError **error)
{
	Grouping *self = data;

	if (self->partial->len > 0)
		put_column_text(self->sheet, "partial", self->partial->str);
	return sheet_next(self->sheet, error);
}

static gboolean put_groups(Grouping *self, Filling *filling, GError **error)
{
	const GroupTaker taker = {take_group, take_value, take_histogram, end_group, self};

	return analysis_each_group(filling->analysis, &taker, error) &&
	       sheet_hand_over(self->sheet, error);
}

/* Writes the window that has ended.  If there is none, such as between two boots, writes no row. */
static gboolean put_window(Grouping *self, GError **error)
{
	Filling *window = self->ending;
	ContextSpan span = {.seconds = 0};
	const char *why = context_span(window->contexts[0], window->contexts[1], &span);

	if (why || !span.of_one_boot) {
		ui_warning("%s: there is no window between two samples: %s", self->file,
			   why ? why : "their boot is not known");
		return TRUE;
	}
	window->options.is_window = TRUE;
	window->options.elapsed_s = self->seconds = span.seconds;
	window->options.began = span.began;
	return put_groups(self, window, error);
}

gboolean grouping_end(Grouping *self, const Origin *origin, const Registry *registry,
		      const LoadFacts *facts, GError **error)
{
	self->origin = origin;
	if (!filling_end_side(self->beginning, 0, registry, facts, error) ||
	    (self->ending && !filling_end_side(self->ending, 1, registry, facts, error)))
		return FALSE;
	if (is_of_windows(self) ? self->ending && !put_window(self, error)
				: !put_groups(self, self->beginning, error))
		return FALSE;
	g_clear_pointer(is_of_windows(self) ? &self->ending : &self->beginning, filling_free);
	return TRUE;
}

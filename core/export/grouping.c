/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "grouping.h"

#include <string.h>

#include "base/ui.h"
#include "frame/quantity.h"
#include "report/plan/sections.h"
#include "road/filling.h"

struct grouping {
	Writer *writer;
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
	return self->writer->rows == CTPROF_TABLE_WINDOWS;
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

	return filling_new(&options, error);
}

Grouping *grouping_new(Writer *writer, GroupBy group_by)
{
	Grouping *self = g_new0(Grouping, 1);

	self->writer = writer;
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

static void put_column_text(Writer *writer, const char *name, const char *text)
{
	if (text)
		writer_put_text(writer, writer_find(writer, name), text, strlen(text));
}

static void take_group(gpointer data, const char *const *names, guint n_names, guint64 threads)
{
	Grouping *self = data;
	Writer *writer = self->writer;

	origin_put(self->origin, writer);
	for (guint i = 0; i < MIN(n_names, self->axis->n_names); i++)
		put_column_text(writer, schema_label(self->axis->labels[i]), names[i]);
	writer_put(writer, writer_find(writer, "threads"), threads);
	writer_put_real(writer, writer_find(writer, "seconds"), self->seconds);
	g_string_truncate(self->partial, 0);
}

static void put_range(Writer *writer, const char *name, const struct ctprof_value *value)
{
	g_autofree char *least = g_strconcat(name, "_min", NULL);
	g_autofree char *most = g_strconcat(name, "_max", NULL);

	writer_put(writer, writer_find(writer, least), (guint64)value->min);
	writer_put(writer, writer_find(writer, most), (guint64)value->max);
}

static void put_value(Writer *writer, const char *name, guint column,
		      const struct ctprof_value *value)
{
	switch (value->type) {
	case CTPROF_VALUE_NUMBER:
		writer_put(writer, column, value->number);
		break;
	case CTPROF_VALUE_UNLIMITED:
		writer_put(writer, column, G_MAXUINT64);
		break;
	case CTPROF_VALUE_REAL:
		writer_put_real(writer, column, value->real);
		break;
	case CTPROF_VALUE_RANGE:
		put_range(writer, name, value);
		break;
	default:
		if (value->text)
			writer_put_text(writer, column, value->text, strlen(value->text));
	}
}

static void take_value(gpointer data, const struct ctprof_report_field *field,
		       const struct ctprof_value *value)
{
	Grouping *self = data;
	g_autofree char *name = g_strdelimit(g_strdup(field->name), ".:", '_');

	if (value->type == CTPROF_VALUE_ABSENT)
		return;
	put_value(self->writer, name, writer_find(self->writer, name), value);
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

	flatten_put_map(self->writer, writer_find(self->writer, name),
			buckets_store(arena, histogram));
}

static gboolean end_group(gpointer data, GError **error)
{
	Grouping *self = data;

	if (self->partial->len > 0)
		put_column_text(self->writer, "partial", self->partial->str);
	return writer_next(self->writer, error);
}

static gboolean put_groups(Grouping *self, Filling *filling, GError **error)
{
	const GroupTaker taker = {take_group, take_value, take_histogram, end_group, self};

	return analysis_each_group(filling->analysis, &taker, error) &&
	       writer_flush(self->writer, error);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "export.h"

#include "base/error.h"
#include "flatten.h"
#include "grouping.h"
#include "guard/crash.h"

/* A table and the source of its records, which is one of the two. */
typedef struct part {
	Writer *writer;
	Flatten *flatten;
	Grouping *grouping;
} Part;

struct export
{
	Plugin *sink;
	ExportOptions options;
	GArray *parts;
	Origin origin;
	const Recording *recording; /* the sample's source */
	gboolean has_origin;
	gboolean has_host;     /* the host's row was taken */
	gboolean is_redacting; /* the redactor has begun this sample */
	char *phase;           /* the last mark of the recording; NULL: none yet */
};

static Part *part_at(const Export *self, guint i)
{
	return &g_array_index(self->parts, Part, i);
}

static void part_clear(gpointer data)
{
	Part *part = data;

	g_clear_pointer(&part->flatten, flatten_free);
	g_clear_pointer(&part->grouping, grouping_free);
	g_clear_pointer(&part->writer, writer_free);
}

static void add_part(Export *self, guint32 table)
{
	Part part = {.writer = writer_new(self->sink, table, self->parts->len)};

	schema_begin(part.writer, axis_of(self->options.group_by));
	g_array_append_val(self->parts, part);
}

static gboolean check_tables(const Plugin *sink, guint32 wanted, GError **error)
{
	guint32 able = sink->sink.tables ? sink->sink.tables : G_MAXUINT32;
	g_autoptr(GString) list = g_string_new(NULL);

	if ((wanted & ~able) == 0)
		return TRUE;
	for (guint32 table = 1; table <= WRITER_LAST; table <<= 1)
		if (able & table)
			g_string_append_printf(list, " %ss", writer_table_name(table));
	return error_set_usage(error, "--rows: %s takes only:%s", plugin_name(sink), list->str);
}

Export *export_new(Plugin *sink, Output *output, const ExportOptions *options, GError **error)
{
	g_autoptr(Export) self = g_new0(Export, 1);
	guint32 usual = sink->sink.usual_tables ? sink->sink.usual_tables : CTPROF_TABLE_THREADS;
	guint32 tables = options->tables ? options->tables : usual;

	self->sink = sink;
	self->options = *options;
	self->parts = g_array_new(FALSE, FALSE, sizeof(Part));
	g_array_set_clear_func(self->parts, part_clear);
	if (!check_tables(sink, tables, error))
		return NULL;
	for (guint32 table = 1; table <= WRITER_LAST; table <<= 1)
		if (tables & table)
			add_part(self, table);
	plugin_write_to(sink, output);
	return g_steal_pointer(&self);
}

void export_free(Export *self)
{
	g_array_unref(self->parts);
	origin_clear(&self->origin);
	g_free(self->phase);
	g_free(self);
}

void export_learn(Export *self, const Registry *registry)
{
	for (guint i = 0; i < self->parts->len; i++)
		schema_learn(part_at(self, i)->writer, registry);
}

gboolean export_begin(Export *self, GError **error)
{
	for (guint i = 0; i < self->parts->len; i++) {
		Part *part = part_at(self, i);

		if (!writer_begin(part->writer, error))
			return FALSE;
		if (schema_source(part->writer->rows) == N_ROW_CLASSES)
			part->grouping = grouping_new(part->writer, self->options.group_by);
		else
			part->flatten = flatten_new(part->writer);
	}
	return TRUE;
}

/* ---- samples ------------------------------------------------------------------- */

gboolean export_begin_sample(Export *self, const ExportSample *sample, GError **error)
{
	origin_begin(&self->origin, sample->host);
	self->origin.realtime_ns = sample->realtime_ns;
	self->recording = sample->recording;
	if (!sample->goes_on)
		g_clear_pointer(&self->phase, g_free);
	self->has_origin = self->has_host = self->is_redacting = FALSE;
	for (guint i = 0; i < self->parts->len; i++) {
		Part *part = part_at(self, i);

		if (part->flatten)
			flatten_again(part->flatten);
		if (part->grouping && !sample->goes_on)
			grouping_begin_file(part->grouping, sample->file);
		if (part->grouping && !grouping_begin(part->grouping, error))
			return FALSE;
	}
	return TRUE;
}

/* Returns the rows, with pseudonyms if requested. */
static struct ctprof_rows redact(Export *self, const Registry *registry,
				 const struct ctprof_rows *rows)
{
	Redactor *redactor = self->options.redactor;
	struct ctprof_capture capture = {.struct_size = sizeof capture};
	struct ctprof_rows redacted = *rows;

	if (!redactor)
		return redacted;
	if (!self->is_redacting)
		redactor_begin(redactor, registry, &capture);
	self->is_redacting = TRUE;
	redactor_rows(redactor, rows, &redacted);
	return redacted;
}

static void set_phase(Export *self, const GArray *marks)
{
	g_free(self->phase);
	self->phase = g_strdup(g_array_index(marks, struct ctprof_fact, marks->len - 1).value);
}

/* Takes the origin before the first row, even if the host's row comes last. */
static void note_origin(Export *self, const Registry *registry)
{
	struct ctprof_rows host;

	if (!self->recording || self->has_origin)
		return;
	const LoadFacts *facts = recording_facts(self->recording);
	if (facts->realtime_ns > 0)
		self->origin.realtime_ns = facts->realtime_ns;
	if (facts->marks->len > 0)
		set_phase(self, facts->marks);
	/* A name chosen by the user may reveal anything. */
	if (self->phase && !self->options.redactor)
		origin_note_phase(&self->origin, self->phase);
	if (recording_peek_host(self->recording, &host)) {
		host = redact(self, registry, &host);
		origin_note(&self->origin, registry, &host);
	}
	self->has_origin = TRUE;
}

static gboolean take(Export *self, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error)
{
	enum row_class class = registry_row_of_scope(rows->scope);

	if (rows->n == 0)
		return TRUE;
	if (rows->scope == CTPROF_SCOPE_HOST) {
		origin_note(&self->origin, registry, rows);
		self->has_host = TRUE;
	}
	for (guint i = 0; i < self->parts->len; i++) {
		const Part *part = part_at(self, i);

		if (part->grouping && !grouping_rows(part->grouping, registry, rows, error))
			return FALSE;
		if (part->flatten && schema_source(part->writer->rows) == class &&
		    !flatten_rows(part->flatten, &self->origin, registry, rows, error))
			return FALSE;
	}
	return TRUE;
}

gboolean export_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error)
{
	Export *self = data;

	if (crash_fail_interrupted(error))
		return FALSE;
	note_origin(self, registry);
	const struct ctprof_rows own = redact(self, registry, rows);
	return take(self, registry, &own, error);
}

/* Takes the cgroups that the redactor held back until all were known. */
static gboolean take_cgroups(Export *self, const Registry *registry, GError **error)
{
	struct ctprof_rows rows;

	while (self->is_redacting && redactor_next_cgroup(self->options.redactor, &rows))
		if (!take(self, registry, &rows, error))
			return FALSE;
	return TRUE;
}

/* Writes what is known of a capture that has no host row. */
static gboolean put_capture(const Export *self, Writer *writer, GError **error)
{
	if (self->has_host || writer->rows != CTPROF_TABLE_CAPTURES)
		return TRUE;
	origin_put(&self->origin, writer);
	return writer_next(writer, error) && writer_flush(writer, error);
}

gboolean export_end_sample(Export *self, const Registry *registry, const LoadFacts *facts,
			   GError **error)
{
	/* Even a sample without rows can have a mark. */
	note_origin(self, registry);
	if (!take_cgroups(self, registry, error))
		return FALSE;
	if (facts && facts->realtime_ns > 0)
		self->origin.realtime_ns = facts->realtime_ns;
	for (guint i = 0; i < self->parts->len; i++) {
		const Part *part = part_at(self, i);

		if (!put_capture(self, part->writer, error) ||
		    (part->grouping &&
		     !grouping_end(part->grouping, &self->origin, registry, facts, error)))
			return FALSE;
	}
	return TRUE;
}

gboolean export_finish(Export *self, GError **error)
{
	return plugin_finish(self->sink, error);
}

guint64 export_n_records(const Export *self)
{
	guint64 n = 0;

	for (guint i = 0; i < self->parts->len; i++)
		n += part_at(self, i)->writer->n_rows;
	return n;
}

gboolean export_needs_windows(const Export *self)
{
	return self->parts->len == 1 && part_at(self, 0)->writer->rows == CTPROF_TABLE_WINDOWS;
}

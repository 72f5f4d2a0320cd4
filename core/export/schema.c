/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "schema.h"

#include <string.h>

#include "base/ui.h"
#include "frame/percentile.h"
#include "frame/quantity.h"
#include "frame/units.h"

#define NAMING(type_, name_, unit_, help_)                                                         \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_table_column), .type = CTPROF_TYPE_##type_,    \
		.flags = CTPROF_TABLE_COLUMN_NAMES, .name = (name_), .unit = (unit_),              \
		.help = (help_)                                                                    \
	}

#define OF_THREADS CTPROF_TABLE_THREADS
#define OF_ALL G_MAXUINT32
#define OF_GROUPS (CTPROF_TABLE_GROUPS | CTPROF_TABLE_WINDOWS)

/* In the order of the table; those of an axis come before "threads". */
static const struct naming {
	guint32 rows;
	struct ctprof_table_column column;
} namings[] = {
	{OF_ALL, NAMING(TEXT, "host", "text", "name of the host, from the file name")},
	{OF_ALL, NAMING(TEXT, "boot", "text", "random ID of the boot")},
	{OF_ALL, NAMING(TEXT, "kernel", "text", "release of the kernel")},
	{OF_ALL, NAMING(TIME, "captured_at", "time", "when the capture or sample began, UTC")},
	{CTPROF_TABLE_CAPTURES,
	 NAMING(TEXT, "phase", "text", "in a recording: the last mark before the sample began")},
	{OF_THREADS, NAMING(I64, "tgid", "none", "process")},
	{OF_THREADS, NAMING(I64, "tid", "none", "thread")},
	{OF_THREADS, NAMING(TEXT, "pcomm", "text", "name of the process")},
	{OF_THREADS, NAMING(TEXT, "comm", "text", "name of the thread")},
	{OF_THREADS, NAMING(TEXT, "pattern", "text", "comm with {N} in place of numbers")},
	{OF_THREADS | CTPROF_TABLE_CGROUPS, NAMING(TEXT, "cgroup", "text", "path of the cgroup")},
	{OF_THREADS | CTPROF_TABLE_CGROUPS,
	 NAMING(TEXT, "unit", "text", "systemd unit, container or pod")},
	{OF_THREADS, NAMING(TEXT, "user", "text", "name of the user of the process")},
	{CTPROF_TABLE_OBJECTS,
	 NAMING(TEXT, "kind", "text", "kind of the object: its metric group")},
	{CTPROF_TABLE_OBJECTS, NAMING(TEXT, "object", "text", "name of the object")},
	{CTPROF_TABLE_WINDOWS,
	 NAMING(REAL, "seconds", "s", "from the previous sample to this one")},
	{OF_GROUPS, NAMING(U64, "threads", "none", "number of threads in the group")},
	{OF_GROUPS, NAMING(TEXT, "partial", "text", "metrics for which some threads had no value")},
};

/* Columns that a metric of the same name fills. */
static const char *const filled[] = {"pcomm", "comm", "cgroup", "user"};

const char *schema_label(enum label label)
{
	static const char *const columns[N_LABELS] = {
		[LABEL_CGROUP] = "cgroup",   [LABEL_PCOMM] = "pcomm",
		[LABEL_COMM] = "comm",       [LABEL_UNIT] = "unit",
		[LABEL_PROCESS] = "process", [LABEL_USER] = "user",
		[LABEL_CMDLINE] = "cmdline", [LABEL_SCHEDULER] = "scheduler",
		[LABEL_LAYER] = "layer",
	};

	return columns[label];
}

static void add_axis(Writer *writer, const Axis *axis)
{
	for (guint i = 0; i < axis->n_names; i++) {
		const struct ctprof_table_column column =
			NAMING(TEXT, schema_label(axis->labels[i]), "text", "of the group");

		writer_add(writer, &column);
	}
}

void schema_begin(Writer *writer, const Axis *axis)
{
	for (guint i = 0; i < G_N_ELEMENTS(namings); i++) {
		if (!(namings[i].rows & writer->rows))
			continue;
		if (strcmp(namings[i].column.name, "threads") == 0)
			add_axis(writer, axis);
		writer_add(writer, &namings[i].column);
	}
}

enum row_class schema_source(guint32 rows)
{
	switch (rows) {
	case CTPROF_TABLE_THREADS:
		return ROW_THREAD;
	case CTPROF_TABLE_CGROUPS:
		return ROW_CGROUP;
	case CTPROF_TABLE_OBJECTS:
		return ROW_OBJECT;
	case CTPROF_TABLE_CAPTURES:
		return ROW_HOST;
	default:
		return N_ROW_CLASSES;
	}
}

/* ---- metrics as they were captured ------------------------------------------ */

static guint32 type_of(const Metric *metric)
{
	if (metric->type == CTPROF_TYPE_I64)
		return CTPROF_TYPE_I64;
	if (metric->type != CTPROF_TYPE_U64 || metric->def.unit == CTPROF_UNIT_CHAR)
		return CTPROF_TYPE_TEXT;
	return metric->def.unit == CTPROF_UNIT_BOOL ? CTPROF_TYPE_BOOL : CTPROF_TYPE_U64;
}

static struct ctprof_table_column column_of(const Metric *metric)
{
	const struct ctprof_metric *def = &metric->def;
	gboolean is_limit = def->flags & CTPROF_METRIC_UNLIMITED;

	return (struct ctprof_table_column){
		.type = type_of(metric),
		.flags = (metric->type == CTPROF_TYPE_MAP ? CTPROF_TABLE_COLUMN_JSON : 0) |
			 (is_limit ? CTPROF_TABLE_COLUMN_UNLIMITED : 0),
		.kind = def->kind,
		.name = def->name,
		.unit = registry_unit_word(def->unit),
		.help = def->help,
	};
}

/* Whether the metric may fill the column: one that names the row takes only certain metrics. */
static gboolean may_fill(const Writer *writer, guint column, const char *name)
{
	const struct ctprof_table_column *known =
		&g_array_index(writer->columns, struct ctprof_table_column, column);

	if (!(known->flags & CTPROF_TABLE_COLUMN_NAMES))
		return TRUE;
	for (guint i = 0; i < G_N_ELEMENTS(filled); i++)
		if (strcmp(name, filled[i]) == 0)
			return TRUE;
	return FALSE;
}

static guint add(Writer *writer, const struct ctprof_table_column *column)
{
	guint place = writer_add(writer, column);

	if (place != G_MAXUINT && may_fill(writer, place, column->name))
		return place;
	ui_warning("metric '%s' is left out: it has a different type or unit elsewhere, or the "
		   "name of another column",
		   column->name);
	return G_MAXUINT;
}

guint schema_find(const Writer *writer, const Metric *metric)
{
	struct ctprof_table_column column = column_of(metric);
	g_autofree char *name = g_strdelimit(g_strdup(column.name), ".", '_');
	guint place = writer_find(writer, name);

	if (place == G_MAXUINT || !may_fill(writer, place, name))
		return G_MAXUINT;
	const struct ctprof_table_column *known =
		&g_array_index(writer->columns, struct ctprof_table_column, place);
	return known->type == column.type && strcmp(known->unit, column.unit) == 0 ? place
										   : G_MAXUINT;
}

/* ---- metrics of groups ------------------------------------------------------- */

/* Adds the buckets as a JSON object, and the usual percentiles. */
static void learn_histogram(Writer *writer, struct ctprof_table_column column)
{
	const char *metric = column.name;

	column.type = CTPROF_TYPE_TEXT;
	column.flags = CTPROF_TABLE_COLUMN_JSON;
	add(writer, &column);
	column.type = CTPROF_TYPE_U64;
	column.flags = column.kind = 0;
	for (const Percentile *one = percentiles; one->suffix; one++) {
		g_autofree char *name =
			g_strdelimit(g_strconcat(metric, one->suffix, NULL), ":", '_');

		column.name = name;
		if (!one->quiet)
			add(writer, &column);
	}
}

static void learn_folded(Writer *writer, const Metric *metric)
{
	const struct ctprof_metric *def = &metric->def;
	gboolean is_text = def->kind == CTPROF_CATEGORY || def->kind == CTPROF_CPUSET;
	struct ctprof_table_column column = {
		.type = is_text ? CTPROF_TYPE_TEXT : CTPROF_TYPE_U64,
		.flags = def->flags & CTPROF_METRIC_UNLIMITED ? CTPROF_TABLE_COLUMN_UNLIMITED : 0,
		.kind = def->kind,
		.name = def->name,
		.unit = unit_word(def->unit),
		.help = def->help,
	};

	if (def->kind == CTPROF_LABEL || def->kind == CTPROF_MAP ||
	    def->flags & CTPROF_METRIC_QUIET)
		return;
	if (def->kind == CTPROF_HISTOGRAM) {
		learn_histogram(writer, column);
		return;
	}
	if (def->kind != CTPROF_ORDINAL) {
		add(writer, &column);
		return;
	}
	g_autofree char *least = g_strconcat(def->name, "_min", NULL);
	g_autofree char *most = g_strconcat(def->name, "_max", NULL);
	column.type = CTPROF_TYPE_I64;
	column.name = least;
	add(writer, &column);
	column.name = most;
	add(writer, &column);
}

static void learn_derived(Writer *writer, const Registry *registry)
{
	for (const Quantity *derived = quantities; derived->name; derived++) {
		const Formula *formula = &derived->formulas[0];
		const struct ctprof_table_column column = {
			.type = CTPROF_TYPE_REAL,
			.name = derived->name,
			.unit = quantity_unit(derived),
			.help = derived->help,
		};
		gboolean is_there =
			quantity_is_derived(derived) && !(derived->flags & CTPROF_METRIC_QUIET);

		for (guint i = 0; i < formula_n_inputs(formula); i++)
			is_there = is_there &&
				   registry_named(registry, ROW_THREAD, formula->inputs[i]);
		if (is_there)
			add(writer, &column);
	}
}

void schema_learn(Writer *writer, const Registry *registry)
{
	enum row_class source = schema_source(writer->rows);
	g_autoptr(GPtrArray) list = registry_list(registry);

	for (guint i = 0; i < list->len; i++) {
		const Metric *metric = g_ptr_array_index(list, i);
		const struct ctprof_table_column column = column_of(metric);

		if (metric->slot == 0 || !metric->wanted)
			continue;
		if (source == N_ROW_CLASSES && metric->row == ROW_THREAD)
			learn_folded(writer, metric);
		else if (source == metric->row)
			add(writer, &column);
	}
	if (source == N_ROW_CLASSES)
		learn_derived(writer, registry);
}

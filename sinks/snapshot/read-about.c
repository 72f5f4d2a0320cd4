/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "read-about.h"

#include <inttypes.h>
#include <stdio.h>

#include "words.h"

/* This reader would misunderstand a file with a newer version. */
#define VERSION 1
/* The members of "plugins", which report the work of each plugin. */
#define REPORT_BYTES 256

/* A member to be read; others are skipped. */
struct field {
	const char *name;
	enum value_kind kind;
};

enum { FORMAT_NAME, FORMAT_VERSION, FORMAT_FRAME };
static const struct field format_fields[] = {
	[FORMAT_NAME] = {"name", VALUE_TEXT},
	[FORMAT_VERSION] = {"version", VALUE_U64},
	[FORMAT_FRAME] = {"frame", VALUE_TEXT},
};

enum {
	METRIC_NAME,
	METRIC_KIND,
	METRIC_UNIT,
	METRIC_SCOPE,
	METRIC_GROUP,
	METRIC_PLUGIN,
	METRIC_RANK,
	METRIC_TAG,
	METRIC_GATES,
	METRIC_HELP,
	METRIC_ORIGIN,
	METRIC_POLARITY,
	METRIC_GATE_PERCENT,
	METRIC_GATE
};
static const struct field metric_fields[] = {
	[METRIC_NAME] = {"name", VALUE_TEXT},
	[METRIC_KIND] = {"kind", VALUE_TEXT},
	[METRIC_UNIT] = {"unit", VALUE_TEXT},
	[METRIC_SCOPE] = {"scope", VALUE_TEXT},
	[METRIC_GROUP] = {"group", VALUE_TEXT},
	[METRIC_PLUGIN] = {"plugin", VALUE_TEXT},
	[METRIC_RANK] = {"rank", VALUE_U32},
	[METRIC_TAG] = {"tag", VALUE_TEXT},
	[METRIC_GATES] = {"gates", VALUE_TEXT},
	[METRIC_HELP] = {"help", VALUE_TEXT},
	[METRIC_ORIGIN] = {"origin", VALUE_TEXT},
	[METRIC_POLARITY] = {"polarity", VALUE_TEXT},
	[METRIC_GATE_PERCENT] = {"gate_percent", VALUE_U32},
	[METRIC_GATE] = {"gate", VALUE_U64},
};

enum {
	PLUGIN_NAME,
	PLUGIN_STATE,
	PLUGIN_VERSION,
	PLUGIN_KIND,
	PLUGIN_BATCHES,
	PLUGIN_FAILURES,
	PLUGIN_CPU
};
static const struct field plugin_fields[] = {
	[PLUGIN_NAME] = {"name", VALUE_TEXT},       [PLUGIN_STATE] = {"state", VALUE_TEXT},
	[PLUGIN_VERSION] = {"version", VALUE_TEXT}, [PLUGIN_KIND] = {"kind", VALUE_TEXT},
	[PLUGIN_BATCHES] = {"batches", VALUE_U64},  [PLUGIN_FAILURES] = {"failures", VALUE_U64},
	[PLUGIN_CPU] = {"cpu_ns", VALUE_U64},
};

enum { MARK_NAME, MARK_UNIX_NS };
static const struct field mark_fields[] = {
	[MARK_NAME] = {"name", VALUE_TEXT},
	[MARK_UNIX_NS] = {"unix_ns", VALUE_U64},
};

#define FIELDS(table) (table), sizeof(table) / sizeof((table)[0])

/* Returns an empty shape if out of memory, which stops reading. */
static struct shape make_shape(struct pull *pull, const struct field *fields, size_t n)
{
	struct shape shape = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = shape_add_field(&shape, fields[i].name, fields[i].kind);
	if (r < 0)
		pull_stop(pull, r);
	return shape;
}

/* Reads an array of objects with those fields; other() reads the values of other members (NULL:
 * they are skipped), whole() is called after each object, and stops reading if it returns
 * -errno. */
static void
read_records(struct pull *pull, struct cells *cells, const struct field *fields, size_t n,
	     void (*other)(struct cells *cells, struct pull *pull, struct text key, void *context),
	     int (*whole)(const struct cells *cells, void *context), void *context)
{
	__attribute__((cleanup(shape_free))) struct shape shape = make_shape(pull, fields, n);
	struct pull_list list;

	pull_open(pull, '[', &list);
	while (pull_more(pull, &list)) {
		cells_begin(cells, pull, shape.n);
		cells_read_object(cells, pull, &shape, 0, shape.n, other, context);
		int r = pull->error ? 0 : whole(cells, context);
		if (r < 0)
			pull_stop(pull, r);
	}
}

void about_read_format(struct pull *pull, struct cells *cells, bool is_delta)
{
	__attribute__((cleanup(shape_free))) struct shape shape =
		make_shape(pull, FIELDS(format_fields));
	char found[32];

	cells_begin(cells, pull, shape.n);
	cells_read_object(cells, pull, &shape, 0, shape.n, NULL, NULL);
	if (pull->error)
		return;
	struct text name = cells_text(cells, FORMAT_NAME), frame = cells_text(cells, FORMAT_FRAME);
	uint64_t version = cells->cells[FORMAT_VERSION].bits;
	int n = snprintf(found, sizeof found, "%" PRIu64, version);
	if (!text_equal(name, "ctprof"))
		pull_fail_at(pull, pull->p, "the name \"ctprof\"", name);
	else if (version != VERSION)
		pull_fail_at(pull, pull->p, "version 1", (struct text){found, (size_t)n});
	else if (!text_equal(frame, is_delta ? "delta" : ""))
		pull_fail_at(pull, pull->p, is_delta ? "a frame of changes" : "a whole snapshot",
			     frame);
}

struct metrics_reading {
	uint32_t flags;
	int (*each)(void *context, const char *plugin, const struct ctprof_metric *metric);
	void *context;
};

static void read_metric_other(struct cells *cells, struct pull *pull, struct text key,
			      void *context)
{
	struct metrics_reading *reading = context;
	struct pull_list list;
	struct text word;
	uint32_t flag;

	(void)cells;
	if (!text_equal(key, "flags")) {
		pull_skip(pull);
		return;
	}
	pull_open(pull, '[', &list);
	while (pull_more(pull, &list) && pull_string(pull, &word))
		if (words_value(words_flags, word, &flag))
			reading->flags |= flag;
}

static const char *text_or_null(const struct cells *cells, uint32_t i)
{
	return cells->cells[i].state == CELL_VALUE ? cells_text(cells, i).p : NULL;
}

/* A definition of an unknown kind is skipped, together with its values. */
static int take_metric(const struct cells *cells, void *context)
{
	struct metrics_reading *reading = context;
	struct ctprof_metric metric = {
		.struct_size = sizeof metric,
		.flags = reading->flags,
		.rank = (uint32_t)cells->cells[METRIC_RANK].bits,
		.name = cells_text(cells, METRIC_NAME).p,
		.group = cells_text(cells, METRIC_GROUP).p,
		.tag = text_or_null(cells, METRIC_TAG),
		.gates = text_or_null(cells, METRIC_GATES),
		.help = cells_text(cells, METRIC_HELP).p,
		.origin = cells_text(cells, METRIC_ORIGIN).p,
		.gate_percent = (uint32_t)cells->cells[METRIC_GATE_PERCENT].bits,
		.gate = cells->cells[METRIC_GATE].bits,
	};

	reading->flags = 0;
	if (!words_value(words_kinds, cells_text(cells, METRIC_KIND), &metric.kind) ||
	    !words_value(words_units, cells_text(cells, METRIC_UNIT), &metric.unit) ||
	    !words_value(words_scopes, cells_text(cells, METRIC_SCOPE), &metric.scope))
		return 0;
	(void)words_value(words_polarities, cells_text(cells, METRIC_POLARITY), &metric.polarity);
	/* Other bucket rules would need a member of their own in the file. */
	metric.buckets = metric.kind == CTPROF_HISTOGRAM ? CTPROF_BUCKETS_QUARTERS : 0;
	return reading->each(reading->context, cells_text(cells, METRIC_PLUGIN).p, &metric);
}

void about_read_metrics(struct pull *pull, struct cells *cells,
			int (*each)(void *context, const char *plugin,
				    const struct ctprof_metric *metric),
			void *context)
{
	struct metrics_reading reading = {.each = each, .context = context};

	read_records(pull, cells, FIELDS(metric_fields), read_metric_other, take_metric, &reading);
}

void about_read_time(struct pull *pull, struct cells *cells, const struct ctprof_input *input)
{
	uint64_t time;
	char text[24];

	(void)cells;
	if (!pull_integer(pull, 0, UINT64_MAX, "a time in ns", &time))
		return;
	(void)snprintf(text, sizeof text, "%" PRIu64, time);
	input->fact(input, CTPROF_FACT_CAPTURE, "captured_at_unix_ns", text);
}

static int take_plugin(const struct cells *cells, void *context)
{
	const struct ctprof_input *input = context;

	const struct cell *cell = cells->cells;
	const char *name = cells_text(cells, PLUGIN_NAME).p;
	char report[REPORT_BYTES];

	(void)snprintf(report, sizeof report, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s",
		       cells_text(cells, PLUGIN_KIND).p, cell[PLUGIN_BATCHES].bits,
		       cell[PLUGIN_FAILURES].bits, cell[PLUGIN_CPU].bits,
		       cells_text(cells, PLUGIN_VERSION).p);
	input->fact(input, CTPROF_FACT_PLUGIN, name, cells_text(cells, PLUGIN_STATE).p);
	input->fact(input, CTPROF_FACT_REPORT, name, report);
	return 0;
}

void about_read_plugins(struct pull *pull, struct cells *cells, const struct ctprof_input *input)
{
	/* The interface has no const context; take_plugin() casts it back. */
	read_records(pull, cells, FIELDS(plugin_fields), NULL, take_plugin,
		     (void *)(uintptr_t)input);
}

static int take_mark(const struct cells *cells, void *context)
{
	const struct ctprof_input *input = context;
	char moment[24];

	(void)snprintf(moment, sizeof moment, "%" PRIu64, cells->cells[MARK_UNIX_NS].bits);
	input->fact(input, CTPROF_FACT_MARK, moment, cells_text(cells, MARK_NAME).p);
	return 0;
}

/* The members of the capture that are objects, and the kind of facts in them. */
static bool is_nested(struct text key, uint32_t *ret_kind)
{
	if (!text_equal(key, "options") && !text_equal(key, "redacted"))
		return false;
	*ret_kind = text_equal(key, "options") ? CTPROF_FACT_OPTION : CTPROF_FACT_REDACTED;
	return true;
}

/* Reads the members of an object that are not lists as facts, including those of nested objects. */
static void read_facts(struct pull *pull, struct cells *cells, const struct ctprof_input *input,
		       uint32_t kind)
{
	struct pull_list list;
	struct text key, value;
	size_t key_at, value_at;
	uint32_t nested;

	pull_open(pull, '{', &list);
	while (pull_more(pull, &list) && pull_key(pull, &key)) {
		cells_begin(cells, pull, 0);
		if (kind == CTPROF_FACT_CAPTURE && is_nested(key, &nested)) {
			read_facts(pull, cells, input, nested);
			continue;
		}
		if (kind == CTPROF_FACT_CAPTURE && text_equal(key, "marks")) {
			read_records(pull, cells, FIELDS(mark_fields), NULL, take_mark,
				     (void *)(uintptr_t)input);
			continue;
		}
		if (!cells_keep(cells, pull, key, &key_at) || !pull_scalar(pull, &value) ||
		    !cells_keep(cells, pull, value, &value_at))
			continue;
		input->fact(input, kind, cells->bytes.data + key_at, cells->bytes.data + value_at);
	}
}

void about_read_capture(struct pull *pull, struct cells *cells, const struct ctprof_input *input)
{
	read_facts(pull, cells, input, CTPROF_FACT_CAPTURE);
}

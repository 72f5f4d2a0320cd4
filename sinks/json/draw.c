/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A report as one JSON object, written as it is walked. */
#include "ctprof/sink.h"
#include "drawing.h"
#include "json.h"
#include "real.h"

#define FORMAT_VERSION 1

static int draw_drain(void *context, const char *data, size_t used)
{
	const struct ctprof_host *host = context;

	return host->write(host, data, used);
}

/* Begins element i of an array, each on a line of its own. */
static void draw_element(struct json *json, uint64_t i)
{
	if (i > 0)
		json_literal(json, ",\n");
	else
		json_literal(json, "\n");
}

static void draw_real(struct json *json, bool is_set, double value)
{
	char text[REAL_ROOM];

	real_shortest(value, text);
	if (is_set && text[0])
		json_raw(json, text, strlen(text));
	else
		json_literal(json, "null");
}

static void draw_range(struct json *json, const struct ctprof_value *value)
{
	json_literal(json, "{\"min\":");
	json_i64(json, value->min);
	json_key(json, "max");
	json_i64(json, value->max);
	json_literal(json, "}");
}

static void draw_mode(struct json *json, const struct ctprof_value *value)
{
	json_literal(json, "{\"mode\":");
	json_string(json, value->text);
	json_member_u64(json, "count", value->count);
	json_member_u64(json, "total", value->total);
	json_literal(json, "}");
}

static void draw_cpus(struct json *json, const struct ctprof_value *value)
{
	json_literal(json, "{\"cpus_min\":");
	json_i64(json, value->min);
	json_key(json, "cpus_max");
	json_i64(json, value->max);
	json_member_string(json, "list", value->text);
	json_literal(json, "}");
}

static void draw_value(struct json *json, const struct ctprof_value *value)
{
	switch (value->type) {
	case CTPROF_VALUE_NUMBER:
	case CTPROF_VALUE_ESTIMATE:
		json_u64(json, value->number);
		return;
	case CTPROF_VALUE_REAL:
		draw_real(json, true, value->real);
		return;
	case CTPROF_VALUE_RANGE:
		draw_range(json, value);
		return;
	case CTPROF_VALUE_MODE:
		draw_mode(json, value);
		return;
	case CTPROF_VALUE_CPUS:
		draw_cpus(json, value);
		return;
	case CTPROF_VALUE_UNLIMITED:
		json_literal(json, "\"max\"");
		return;
	case CTPROF_VALUE_TEXT:
		json_string(json, value->text);
		return;
	default:
		json_literal(json, "null");
		return;
	}
}

/* A string, or one for each part; hex digits of the bytes when asked for.
 * False when some part is not UTF-8. */
static bool draw_names(struct json *json, const char *const *parts, uint32_t n, bool as_hex)
{
	bool valid = true;

	if (n > 1)
		json_literal(json, "[");
	for (uint32_t i = 0; i < n; i++) {
		const char *part = parts[i] ? parts[i] : "";

		if (i > 0)
			json_literal(json, ",");
		if (as_hex)
			json_hex(json, part, strlen(part));
		else
			valid &= json_text(json, part, strlen(part));
	}
	if (n > 1)
		json_literal(json, "]");
	return valid;
}

/* `"group":NAME`; what is not UTF-8 stands beside it in hex, as in a snapshot. */
static void draw_group(struct json *json, const char *const *parts, uint32_t n)
{
	json_literal(json, "\"group\":");
	if (draw_names(json, parts, n, false))
		return;
	json_key(json, "group_hex");
	draw_names(json, parts, n, true);
}

static void draw_sides(struct json *json, const struct ctprof_report_row *row)
{
	json_key(json, "baseline");
	draw_value(json, &row->value[0]);
	json_key(json, "candidate");
	draw_value(json, &row->value[1]);
	json_key(json, "delta");
	draw_real(json, row->flags & CTPROF_ROW_HAS_DELTA, row->delta);
	json_key(json, "pct");
	draw_real(json, row->flags & CTPROF_ROW_HAS_PCT, row->pct);
}

static void draw_row(struct json *json, const struct ctprof_report_row *row, bool is_compare)
{
	json_literal(json, "{");
	draw_group(json, row->group, row->n_group);
	json_member_string(json, "metric", row->metric);
	json_member_string(json, "unit", row->unit);
	json_key(json, "threads");
	json_literal(json, "[");
	json_u64(json, row->threads[0]);
	if (is_compare) {
		json_literal(json, ",");
		json_u64(json, row->threads[1]);
	}
	json_literal(json, "]");
	if (is_compare) {
		draw_sides(json, row);
	} else {
		json_key(json, "value");
		draw_value(json, &row->value[0]);
	}
	if (row->flags & CTPROF_ROW_RENAMED)
		json_member_string(json, "renamed", row->renamed);
	if (row->flags & CTPROF_ROW_RATE)
		json_literal(json, ",\"rate\":true");
	json_literal(json, "}");
}

static void draw_strings(struct json *json, const char *key, const char *const *strings, uint64_t n)
{
	json_key(json, key);
	json_literal(json, "[");
	for (uint64_t i = 0; i < n; i++) {
		if (i > 0)
			json_literal(json, ",");
		json_string(json, strings[i]);
	}
	json_literal(json, "]");
}

static void draw_fields(struct json *json, const struct ctprof_report_table *table)
{
	json_literal(json, ",\"fields\":[");
	for (uint64_t i = 0; i < table->n_fields; i++) {
		const struct ctprof_report_field *field = drawing_field(table, i);

		draw_element(json, i);
		json_literal(json, "{\"name\":");
		json_string(json, field->name);
		json_member_string(json, "unit", field->unit);
		json_literal(json, "}");
	}
	json_literal(json, "]");
}

/* `"NAME":VALUE`; text that is not UTF-8 stands beside it in hex. */
static void draw_cell(struct json *json, const char *name, const struct ctprof_value *value)
{
	const char *text = value->type == CTPROF_VALUE_TEXT ? value->text : NULL;

	json_string(json, name);
	json_literal(json, ":");
	if (!text) {
		draw_value(json, value);
		return;
	}
	if (json_text(json, text, strlen(text)))
		return;
	json_literal(json, ",\"");
	json_raw(json, name, strlen(name));
	json_literal(json, "_hex\":");
	json_hex(json, text, strlen(text));
}

/* The names of the fields whose numbers are none that was read. */
static void draw_estimates(struct json *json, const struct ctprof_report_table *table,
			   const struct ctprof_report_line *line)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < table->n_fields; i++) {
		if (line->cells[i].type != CTPROF_VALUE_ESTIMATE)
			continue;
		if (n++ == 0)
			json_literal(json, ",\"estimates\":[");
		else
			json_literal(json, ",");
		json_string(json, drawing_field(table, i)->name);
	}
	if (n > 0)
		json_literal(json, "]");
}

static void draw_line(struct json *json, const struct ctprof_report_table *table,
		      const struct ctprof_report_line *line)
{
	json_literal(json, "{");
	for (uint64_t i = 0; i < table->n_fields; i++) {
		if (i > 0)
			json_literal(json, ",");
		draw_cell(json, drawing_field(table, i)->name, &line->cells[i]);
	}
	json_member_u64(json, "depth", line->depth);
	if (line->flags & CTPROF_LINE_CONTEXT)
		json_literal(json, ",\"context\":true");
	draw_estimates(json, table, line);
	json_literal(json, "}");
}

static void draw_lines(struct json *json, const char *key, const struct ctprof_report_table *table,
		       bool totals)
{
	uint64_t n = 0;

	json_key(json, key);
	json_literal(json, "[");
	for (uint64_t i = 0; i < table->n_lines; i++) {
		const struct ctprof_report_line *line = drawing_line(table, i);

		if (drawing_is_total(line) != totals)
			continue;
		draw_element(json, n++);
		draw_line(json, table, line);
	}
	json_literal(json, "]");
}

static void draw_coverage(struct json *json, const struct ctprof_report_table *table)
{
	if (!(table->flags & CTPROF_TABLE_HAS_COVERAGE))
		return;
	json_literal(json, ",\"coverage\":{");
	if (drawing_covered(table)) {
		json_literal(json, "\"of\":");
		json_string(json, drawing_covered(table));
		json_literal(json, ",");
	}
	json_literal(json, "\"exact\":");
	json_u64(json, table->n_exact);
	json_member_u64(json, "approximate", table->n_approximate);
	json_member_u64(json, "missing", table->n_missing);
	json_literal(json, "}");
}

static void draw_table(struct json *json, const struct ctprof_report_table *table)
{
	draw_fields(json, table);
	draw_lines(json, "lines", table, false);
	draw_lines(json, "totals", table, true);
	draw_coverage(json, table);
	draw_strings(json, "notes", table->notes, table->n_notes);
	json_literal(json, "}");
}

static void draw_section(struct json *json, const struct ctprof_report_section *section,
			 bool is_compare)
{
	json_literal(json, "{\"name\":");
	json_string(json, section->name);
	json_member_string(json, "heading", section->heading);
	if (section->n_cut > 0)
		json_member_u64(json, "cut", section->n_cut);
	if (drawing_table(section)) {
		draw_table(json, drawing_table(section));
		return;
	}
	json_literal(json, ",\"rows\":[");
	for (uint64_t i = 0; i < section->n_rows; i++) {
		draw_element(json, i);
		draw_row(json, drawing_row(section, i), is_compare);
	}
	json_literal(json, "]}");
}

static void draw_only(struct json *json, const char *key, const struct ctprof_report *report,
		      unsigned int side)
{
	bool wanted = report->flags & CTPROF_REPORT_ORPHANS;

	json_key(json, key);
	json_literal(json, "[");
	for (uint64_t i = 0; wanted && i < report->n_only[side]; i++) {
		const struct ctprof_report_orphan *orphan = drawing_only(report, side, i);

		draw_element(json, i);
		json_literal(json, "{");
		draw_group(json, orphan->group, orphan->n_group);
		json_member_u64(json, "threads", orphan->threads);
		json_literal(json, "}");
	}
	json_literal(json, "]");
}

static void draw_rename(struct json *json, const struct ctprof_report_rename *rename)
{
	json_literal(json, "{\"baseline\":");
	json_string(json, rename->baseline);
	json_member_string(json, "candidate", rename->candidate);
	json_member_string(json, "baseline_root", rename->baseline_root);
	json_member_string(json, "candidate_root", rename->candidate_root);
	json_member_u64(json, "overlap", rename->overlap);
	json_key(json, "jaccard");
	draw_real(json, true, rename->jaccard);
	json_member_u64(json, "cascaded", rename->cascaded);
	draw_strings(json, "only_baseline", rename->only_baseline, rename->n_only_baseline);
	draw_strings(json, "only_candidate", rename->only_candidate, rename->n_only_candidate);
	json_literal(json, "}");
}

static void draw_renames(struct json *json, const struct ctprof_report *report)
{
	if (report->n_renames == 0 || !(report->flags & CTPROF_REPORT_ORPHANS))
		return;
	json_key(json, "renames");
	json_literal(json, "[");
	for (uint64_t i = 0; i < report->n_renames; i++) {
		draw_element(json, i);
		draw_rename(json, drawing_rename(report, i));
	}
	json_literal(json, "]");
}

static void draw_report(struct json *json, const struct ctprof_report *report)
{
	bool is_compare = drawing_is_compare(report);

	json_literal(json, "{\"format\":{\"name\":\"ctprof-report\"");
	json_member_u64(json, "version", FORMAT_VERSION);
	json_literal(json, "}");
	json_member_string(json, "command", drawing_command(report));
	if (report->group_by)
		json_member_string(json, "group_by", report->group_by);
	draw_strings(json, "files", report->files, is_compare ? 2 : 1);
	draw_strings(json, "warnings", report->warnings, report->n_warnings);
	json_key(json, "sections");
	json_literal(json, "[");
	for (uint64_t i = 0; i < report->n_sections; i++) {
		draw_element(json, i);
		draw_section(json, drawing_section(report, i), is_compare);
	}
	json_literal(json, "]");
	if (is_compare) {
		draw_only(json, "only_baseline", report, 0);
		draw_only(json, "only_candidate", report, 1);
		draw_renames(json, report);
	}
	json_literal(json, "}\n");
}

static int draw(void *self, const struct ctprof_report *report)
{
	__attribute__((cleanup(json_free))) struct json json = {0};
	int result = json_init(&json, 65536);

	if (result < 0)
		return result;
	json.drain = draw_drain;
	json.context = self;
	draw_report(&json, report);
	return json.error ? json.error : draw_drain(self, json.data, json.used);
}

static const struct ctprof_sink_ops ops = {
	.struct_size = sizeof ops,
	.open = drawing_open,
	.close = drawing_close,
	.report = draw,
};

static const struct ctprof_plugin descriptor = {
	.struct_size = sizeof descriptor,
	.abi_major = CTPROF_ABI_MAJOR,
	.abi_minor = CTPROF_ABI_MINOR,
	.kind = CTPROF_KIND_SINK,
	.thread_model = CTPROF_THREADS_SERIAL,
	.cost = CTPROF_COST_CHEAP,
	.name = "json",
	.version = CTPROF_VERSION,
	.summary = "Writes a report as JSON",
	.ops = &ops,
};

CTPROF_PLUGIN(descriptor)

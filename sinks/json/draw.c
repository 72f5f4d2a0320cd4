/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes a report as one JSON object, while walking it. */
#include <math.h>

#include "drawing.h"
#include "json.h"

#define FORMAT_VERSION 1

static int draw_drain(void *context, const char *data, size_t used)
{
	const struct ctprof_host *host = context;

	return host->write(host, data, used);
}

/* Begins element i of an array; each element is on a line of its own. */
static void draw_element(struct json *json, uint64_t i)
{
	json_print(json, i > 0 ? ",\n" : "\n");
}

static void draw_value(struct json *json, const struct ctprof_value *value)
{
	switch (value->type) {
	case CTPROF_VALUE_NUMBER:
		json_u64(json, value->number);
		return;
	case CTPROF_VALUE_REAL:
		json_real(json, value->real);
		return;
	case CTPROF_VALUE_RANGE:
		json_print(json, "{\"min\":%jd,\"max\":%jd}", value->min, value->max);
		return;
	case CTPROF_VALUE_MODE:
		json_print(json, "{\"mode\":%s,\"count\":%ju,\"total\":%ju}", value->text,
			   value->count, value->n);
		return;
	case CTPROF_VALUE_CPUS:
		json_print(json, "{\"cpus_min\":%jd,\"cpus_max\":%jd,\"list\":%s}", value->min,
			   value->max, value->text);
		return;
	case CTPROF_VALUE_UNLIMITED:
		json_print(json, "\"max\"");
		return;
	default:
		json_print(json, "null");
		return;
	}
}

/* Writes `"NAME":VALUE`; text that is not UTF-8 is also written in hex. */
static void draw_named(struct json *json, const char *name, const struct ctprof_value *value)
{
	const char *text = value->type == CTPROF_VALUE_TEXT ? value->text : NULL;

	json_print(json, "%s:", name);
	if (!text) {
		draw_value(json, value);
		return;
	}
	if (json_text(json, text, strlen(text)))
		return;
	json_print(json, ",\"");
	json_raw(json, name, strlen(name));
	json_print(json, "_hex\":");
	json_hex(json, text, strlen(text));
}

/* Writes one name as a string, or several as an array; in hex if as_hex.  Returns false if some
 * name is not UTF-8. */
static bool draw_names(struct json *json, const struct ctprof_report_line *line, bool as_hex)
{
	bool valid = true;

	json_print(json, line->n_names > 1 ? "[" : "");
	for (uint32_t i = 0; i < line->n_names; i++) {
		const char *name = line->names[i];

		json_print(json, i > 0 ? "," : "");
		if (as_hex)
			json_hex(json, name, strlen(name));
		else
			valid &= json_text(json, name, strlen(name));
	}
	json_print(json, line->n_names > 1 ? "]" : "");
	return valid;
}

/* Writes `"group":NAME`; a name that is not UTF-8 is also written in hex, as in a snapshot. */
static void draw_group(struct json *json, const struct ctprof_report_line *line)
{
	json_print(json, "\"group\":");
	if (draw_names(json, line, false))
		return;
	json_print(json, ",\"group_hex\":");
	draw_names(json, line, true);
}

static void draw_strings(struct json *json, const char *key, const char *const *strings, uint64_t n)
{
	json_print(json, ",%s:[", key);
	for (uint64_t i = 0; i < n; i++)
		json_print(json, i > 0 ? ",%s" : "%s", strings[i]);
	json_print(json, "]");
}

/* ---- cells --------------------------------------------------------------- */

/* Names are not numbers, so their comparison has no delta. */
static void draw_change(struct json *json, const struct ctprof_cell *cell, bool has_size)
{
	draw_named(json, "baseline", &cell->value[0]);
	json_print(json, ",");
	draw_named(json, "candidate", &cell->value[1]);
	if (has_size)
		json_print(json, ",\"delta\":%g,\"pct\":%g",
			   cell->flags & CTPROF_CELL_HAS_DELTA ? cell->delta : NAN,
			   cell->flags & CTPROF_CELL_HAS_PCT ? cell->pct : NAN);
	if (drawing_judgement(cell)[0])
		json_print(json, ",\"judgement\":%s", drawing_judgement(cell));
}

/* Writes the number of rows folded into the values, the number of rows without a value, and the
 * most common reason for that. */
static void draw_rows(struct json *json, const struct ctprof_cell *cell, bool is_compare)
{
	const struct ctprof_value *a = &cell->value[0], *b = &cell->value[1];
	const char *why = drawing_absence(is_compare && b->missing > a->missing ? b : a);

	if (is_compare)
		json_print(json, "\"n\":[%ju,%ju],\"missing\":[%ju,%ju]", a->n, b->n, a->missing,
			   b->missing);
	else
		json_print(json, "\"n\":%ju,\"missing\":%ju", a->n, a->missing);
	if (why)
		json_print(json, ",\"why\":%s", why);
}

/* Writes a list of numbers; NaN and infinity become null. */
static void draw_reals(struct json *json, const char *key, const double *reals, uint64_t n)
{
	json_print(json, ",%s:[", key);
	for (uint64_t i = 0; i < n; i++)
		json_print(json, i > 0 ? ",%g" : "%g", reals[i]);
	json_print(json, "]");
}

/* Writes the statistics of runs; the medians and the shift are the cell's values and delta. */
static void draw_runs(struct json *json, const struct ctprof_runs *runs)
{
	bool has_test = runs->flags & CTPROF_RUNS_HAS_TEST;
	bool has_interval = runs->flags & CTPROF_RUNS_HAS_INTERVAL;

	json_print(json, ",\"runs\":{\"verdict\":%s,\"n\":[%ju,%ju]", drawing_verdict_word(runs),
		   (uintmax_t)runs->n[0], (uintmax_t)runs->n[1]);
	draw_reals(json, "min", runs->min, 2);
	draw_reals(json, "max", runs->max, 2);
	json_print(json, ",\"low\":%g,\"high\":%g,\"level\":%g", has_interval ? runs->low : NAN,
		   has_interval ? runs->high : NAN, has_interval ? runs->level : NAN);
	json_print(json, has_interval && runs->flags & CTPROF_RUNS_APPROXIMATE
				 ? ",\"approximate\":true"
				 : ",\"approximate\":false");
	json_print(json, ",\"p\":%g,\"q\":%g", has_test ? runs->p : NAN,
		   runs->flags & CTPROF_RUNS_HAS_Q ? runs->q : NAN);
	draw_reals(json, "baseline", runs->values[0], runs->n_runs[0]);
	draw_reals(json, "candidate", runs->values[1], runs->n_runs[1]);
	json_print(json, "}");
}

/* Writes the role of a line, which its name does not show. */
static void draw_role(struct json *json, const struct ctprof_report_line *line)
{
	static const char *const words[] = {"pool",        "rest",  "own",  "exited",
					    "unaccounted", "total", "host", "cgroup"};
	/* Roles are numbered in multiples of the first one. */
	uint32_t i = drawing_role(line) / CTPROF_ROLE_POOL;

	if (i > 0 && i <= sizeof words / sizeof words[0])
		json_print(json, ",\"role\":%s", words[i - 1]);
}

/* Writes a sentence as text, and the numbers in it by name. */
static void draw_sentence(struct json *json, const struct ctprof_sentence *sentence)
{
	uint64_t n = 0;

	json_print(json, ",\"template\":[");
	for (uint64_t i = 0; i < sentence->n_pieces; i++) {
		const struct ctprof_piece *piece = BORDER_AT(sentence->pieces, i);

		json_print(json, i > 0 ? ",%s" : "%s", piece->words);
	}
	json_print(json, "],\"numbers\":{");
	for (uint64_t i = 0; i < sentence->n_pieces; i++) {
		const struct ctprof_piece *piece = BORDER_AT(sentence->pieces, i);

		for (uint64_t t = 0; t < piece->n_terms; t++) {
			const struct ctprof_term *term = BORDER_AT(piece->terms, t);

			if (!term->name)
				continue;
			json_print(json, n++ > 0 ? ",%s:{" : "%s:{", term->name);
			json_print(json, "\"value\":%g,\"unit\":%s}", term->number, term->unit);
		}
	}
	json_print(json, "}");
}

/* Writes the buckets with values as [[least, most, count], ...], or null. */
static void draw_buckets(struct json *json, const struct ctprof_histogram *histogram)
{
	if (!histogram) {
		json_print(json, "null");
		return;
	}
	json_print(json, "[");
	for (uint32_t i = 0; i < histogram->n; i++) {
		const struct ctprof_bucket *bucket = BORDER_AT(histogram->buckets, i);

		json_print(json, i > 0 ? ",[%ju,%ju,%ju]" : "[%ju,%ju,%ju]",
			   (uintmax_t)bucket->least, (uintmax_t)bucket->most,
			   (uintmax_t)bucket->count);
	}
	json_print(json, "]");
}

/* Writes the distribution of show, or both distributions of compare. */
static void draw_histogram(struct json *json, const struct ctprof_cell *cell, bool is_compare)
{
	if (!drawing_histogram(cell, 0) && !drawing_histogram(cell, 1))
		return;
	json_print(json, is_compare ? ",\"histogram\":[" : ",\"histogram\":");
	draw_buckets(json, drawing_histogram(cell, 0));
	if (!is_compare)
		return;
	json_print(json, ",");
	draw_buckets(json, drawing_histogram(cell, 1));
	json_print(json, "]");
}

/* Writes one metric of one group. */
static void draw_row(struct json *json, const struct ctprof_report_line *line,
		     const struct ctprof_report_field *field, const struct ctprof_cell *cell,
		     bool is_compare)
{
	json_print(json, "{");
	draw_group(json, line);
	json_print(json, ",\"metric\":%s,\"unit\":%s,\"threads\":[%ju", field->name, field->unit,
		   line->threads[0]);
	if (is_compare) {
		json_print(json, ",%ju],", line->threads[1]);
		draw_change(json, cell, true);
	} else {
		json_print(json, "],");
		draw_named(json, "value", &cell->value[0]);
	}
	if (drawing_has_partial(cell, is_compare) || cell->value[0].missing > 0 ||
	    (is_compare && cell->value[1].missing > 0)) {
		json_print(json, ",");
		draw_rows(json, cell, is_compare);
	}
	if (line->renamed)
		json_print(json, ",\"renamed\":%s", line->renamed);
	if (drawing_runs(cell))
		draw_runs(json, drawing_runs(cell));
	draw_histogram(json, cell, is_compare);
	json_print(json, cell->flags & CTPROF_CELL_RATE ? ",\"rate\":true" : "");
	draw_role(json, line);
	json_print(json, "}");
}

/* Writes the value of show, or both values of compare and their change; equal names are written
 * once. */
static void draw_cell(struct json *json, const struct ctprof_report_field *field,
		      const struct ctprof_cell *cell, bool is_compare)
{
	bool is_text = drawing_is_text(field);

	if (!is_compare || (is_text && cell->flags & CTPROF_CELL_SAME)) {
		draw_named(json, field->name, &cell->value[0]);
		return;
	}
	json_print(json, "%s:{", field->name);
	draw_change(json, cell, !is_text);
	json_print(json, "}");
}

/* ---- sections ------------------------------------------------------------ */

/* Writes one row for each cell. */
static void draw_metrics(struct json *json, const struct ctprof_report_section *section,
			 bool is_compare)
{
	uint64_t n = 0;

	json_print(json, ",\"rows\":[");
	for (uint64_t i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);

		for (uint64_t j = 0; j < line->n_cells; j++) {
			draw_element(json, n++);
			draw_row(json, line, BORDER_AT(section->fields, line->first + j),
				 BORDER_AT(line->cells, j), is_compare);
		}
	}
	json_print(json, "]");
}

static void draw_line(struct json *json, const struct ctprof_report_section *section,
		      const struct ctprof_report_line *line, bool is_compare)
{
	uint64_t n_partial = 0;

	for (uint64_t i = 0; i < line->n_cells; i++) {
		json_print(json, i > 0 ? "," : "{");
		draw_cell(json, BORDER_AT(section->fields, line->first + i),
			  BORDER_AT(line->cells, i), is_compare);
	}
	json_print(json, ",\"depth\":%ju", (uintmax_t)line->depth);
	json_print(json, line->flags & CTPROF_LINE_CONTEXT ? ",\"context\":true" : "");
	for (uint64_t i = 0; i < line->n_cells; i++) {
		if (!drawing_has_partial(BORDER_AT(line->cells, i), is_compare))
			continue;
		json_print(json, n_partial++ > 0 ? ",%s:{" : ",\"partial\":{%s:{",
			   BORDER_AT(section->fields, line->first + i)->name);
		draw_rows(json, BORDER_AT(line->cells, i), is_compare);
		json_print(json, "}");
	}
	json_print(json, n_partial > 0 ? "}" : "");
	draw_role(json, line);
	if (drawing_line_sentence(line))
		draw_sentence(json, drawing_line_sentence(line));
	json_print(json, "}");
}

/* Writes an object for each line that is (or is not) a total. */
static void draw_lines(struct json *json, const char *key,
		       const struct ctprof_report_section *section, bool totals, bool is_compare)
{
	uint64_t n = 0;

	json_print(json, ",%s:[", key);
	for (uint64_t i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = BORDER_AT(section->lines, i);

		if (drawing_is_total(line) != totals || line->flags & CTPROF_LINE_HEADING)
			continue;
		draw_element(json, n++);
		draw_line(json, section, line, is_compare);
	}
	json_print(json, "]");
}

static void draw_table(struct json *json, const struct ctprof_report_section *section,
		       bool is_compare)
{
	json_print(json, ",\"fields\":[");
	for (uint64_t i = 0; i < section->n_fields; i++) {
		const struct ctprof_report_field *field = BORDER_AT(section->fields, i);

		draw_element(json, i);
		json_print(json, "{\"name\":%s,\"unit\":%s}", field->name, field->unit);
	}
	json_print(json, "]");
	draw_lines(json, "lines", section, false, is_compare);
	draw_lines(json, "totals", section, true, is_compare);
}

static void draw_section(struct json *json, const struct ctprof_report_section *section,
			 bool is_compare)
{
	bool is_metrics = drawing_has(section, CTPROF_SECTION_METRICS);

	json_print(json, "{\"name\":%s,\"heading\":%s", section->name, section->heading);
	if (section->n_cut > 0)
		json_print(json, ",\"cut\":%ju", section->n_cut);
	if (is_metrics)
		draw_metrics(json, section, is_compare);
	else
		draw_table(json, section, is_compare);
	if (drawing_has(section, CTPROF_SECTION_HAS_COVERAGE)) {
		json_print(json, ",\"coverage\":{");
		if (section->covered)
			json_print(json, "\"of\":%s,", section->covered);
		json_print(json, "\"exact\":%ju,\"approximate\":%ju,\"missing\":%ju}",
			   section->n_exact, section->n_approximate, section->n_missing);
	}
	if (!is_metrics || section->n_notes > 0)
		draw_strings(json, "notes", section->notes, section->n_notes);
	json_print(json, "}");
}

/* ---- the report ---------------------------------------------------------- */

static void draw_only(struct json *json, const char *key, const struct ctprof_report *report,
		      unsigned int side)
{
	bool wanted = report->flags & CTPROF_REPORT_ORPHANS;

	json_print(json, ",%s:[", key);
	for (uint64_t i = 0; wanted && i < report->n_only[side]; i++) {
		const struct ctprof_report_line *line = BORDER_AT(report->only[side], i);

		draw_element(json, i);
		json_print(json, "{");
		draw_group(json, line);
		json_print(json, ",\"threads\":%ju}", line->threads[side]);
	}
	json_print(json, "]");
}

static void draw_rename(struct json *json, const struct ctprof_report_rename *rename)
{
	json_print(json, "{\"baseline\":%s,\"candidate\":%s", rename->baseline, rename->candidate);
	json_print(json, ",\"baseline_root\":%s,\"candidate_root\":%s", rename->baseline_root,
		   rename->candidate_root);
	json_print(json, ",\"overlap\":%ju,\"jaccard\":%g,\"cascaded\":%ju",
		   (uintmax_t)rename->overlap, rename->jaccard, rename->cascaded);
	draw_strings(json, "only_baseline", rename->only_baseline, rename->n_only_baseline);
	draw_strings(json, "only_candidate", rename->only_candidate, rename->n_only_candidate);
	json_print(json, "}");
}

static void draw_renames(struct json *json, const struct ctprof_report *report)
{
	if (report->n_renames == 0 || !(report->flags & CTPROF_REPORT_ORPHANS))
		return;
	json_print(json, ",\"renames\":[");
	for (uint64_t i = 0; i < report->n_renames; i++) {
		draw_element(json, i);
		draw_rename(json, BORDER_AT(report->renames, i));
	}
	json_print(json, "]");
}

static void draw_window(struct json *json, const struct ctprof_report_window *window)
{
	json_print(json,
		   ",\"window\":{\"seconds\":%g,\"threads_before\":%ju,\"threads_after\":%ju,"
		   "\"born\":%ju,\"gone\":%ju",
		   window->seconds, (uintmax_t)window->threads[0], (uintmax_t)window->threads[1],
		   (uintmax_t)window->n_born, (uintmax_t)window->n_gone);
	if (window->flags & CTPROF_WINDOW_HAS_EXITS)
		json_print(json,
			   window->flags & CTPROF_WINDOW_LOST_EXITS
				   ? ",\"exited_with_record\":%ju,\"exited_unseen\":%ju,"
				     "\"exits_lost\":true"
				   : ",\"exited_with_record\":%ju,\"exited_unseen\":%ju,"
				     "\"exits_lost\":false",
			   (uintmax_t)window->n_recorded, (uintmax_t)window->n_unseen);
	json_print(json, "}");
}

static void draw_hits(struct json *json, const struct ctprof_report *report)
{
	for (uint64_t i = 0; i < BORDER_MEMBER(report, n_hits, 0); i++) {
		const struct ctprof_report_hit *hit = BORDER_AT(report->hits, i);
		struct ctprof_report_line line = {.n_names = hit->n_names};

		json_print(json, i > 0 ? ",\n{" : ",\"fail_on\":[\n{");
		for (uint32_t n = 0; n < hit->n_names && n < CTPROF_LINE_NAMES; n++)
			line.names[n] = hit->names[n];
		draw_group(json, &line);
		json_print(json, ",\"condition\":%s,\"metric\":%s,\"unit\":%s", hit->condition,
			   hit->metric, hit->unit);
		json_print(json, ",\"value\":%g,\"limit\":%g}", hit->value, hit->limit);
	}
	if (BORDER_MEMBER(report, n_hits, 0) > 0)
		json_print(json, "]");
}

static void draw_report(struct json *json, const struct ctprof_report *report)
{
	bool is_compare = drawing_is_compare(report);

	json_print(json, "{\"format\":{\"name\":\"ctprof-report\",\"version\":%jd},\"command\":%s",
		   (intmax_t)FORMAT_VERSION, report->command);
	if (report->group_by)
		json_print(json, ",\"group_by\":%s", report->group_by);
	draw_strings(json, "files", report->files, is_compare ? 2 : 1);
	draw_strings(json, "warnings", report->warnings, report->n_warnings);
	if (drawing_window(report))
		draw_window(json, drawing_window(report));
	draw_hits(json, report);
	json_print(json, ",\"sections\":[");
	for (uint64_t i = 0; i < report->n_sections; i++) {
		draw_element(json, i);
		draw_section(json, BORDER_AT(report->sections, i), is_compare);
	}
	json_print(json, "]");
	if (is_compare) {
		draw_only(json, "only_baseline", report, 0);
		draw_only(json, "only_candidate", report, 1);
		draw_renames(json, report);
	}
	json_print(json, "}\n");
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

SINK_PLUGIN("json", "Writes a report as JSON", .open = drawing_open, .close = drawing_close,
	    .report = draw)

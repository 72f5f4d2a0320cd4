/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include "ctprof/numbers.h"
#include "real.h"

#define Q_DECIMALS 3
#define LEAST_Q 0.0005

/* The state of a walk over a report. */
struct walk {
	const struct ctprof_report *report;
	bool *has_line; /* for each hit */
	void (*each)(void *data, const struct verdict_case *found);
	void *data;
};

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool hit_is_of_cell(const struct ctprof_report_hit *hit,
			   const struct ctprof_report_line *line,
			   const struct ctprof_report_field *field)
{
	if (hit->n_names != line->n_names || !is_same_text(hit->metric, field->name))
		return false;
	for (uint32_t i = 0; i < hit->n_names && i < CTPROF_LINE_NAMES; i++)
		if (!is_same_text(hit->names[i], line->names[i]))
			return false;
	return true;
}

static const struct ctprof_report_hit *find_hit(const struct walk *walk,
						const struct ctprof_report_line *line,
						const struct ctprof_report_field *field)
{
	for (uint64_t i = 0; i < BORDER_MEMBER(walk->report, n_hits, 0); i++) {
		const struct ctprof_report_hit *hit = BORDER_AT(walk->report->hits, i);

		if (!hit_is_of_cell(hit, line, field))
			continue;
		walk->has_line[i] = true;
		return hit;
	}
	return NULL;
}

static void take_names(struct verdict_case *found, const char *const *names, uint32_t n)
{
	found->n_names = n < CTPROF_LINE_NAMES ? n : CTPROF_LINE_NAMES;
	memcpy(found->names, names, found->n_names * sizeof *names);
}

static void walk_line(const struct walk *walk, const struct ctprof_report_section *section,
		      const struct ctprof_report_line *line)
{
	for (uint64_t i = 0; i < line->n_cells; i++) {
		const struct ctprof_report_field *field =
			BORDER_AT(section->fields, line->first + i);
		const struct ctprof_cell *cell = BORDER_AT(line->cells, i);
		const struct ctprof_runs *runs = drawing_runs(cell);
		struct verdict_case found = {.metric = field->name, .field = field, .cell = cell};

		take_names(&found, line->names, line->n_names);
		found.hit = find_hit(walk, line, field);
		if (found.hit)
			found.result = VERDICT_FAILED;
		else if (runs && runs->verdict == CTPROF_VERDICT_FEW)
			found.result = VERDICT_SKIPPED;
		walk->each(walk->data, &found);
	}
}

static void release(bool **flags)
{
	free(*flags);
}

void verdict_walk(const struct ctprof_report *report,
		  void (*each)(void *data, const struct verdict_case *found), void *data)
{
	uint64_t n_hits = BORDER_MEMBER(report, n_hits, 0);
	__attribute__((cleanup(release))) bool *has_line = calloc(n_hits + 1, sizeof(bool));
	struct walk walk = {report, has_line, each, data};

	if (!has_line)
		return;
	for (uint64_t i = 0; i < report->n_sections; i++) {
		const struct ctprof_report_section *section = BORDER_AT(report->sections, i);

		for (uint64_t j = 0; j < section->n_lines; j++)
			if (drawing_has(section, CTPROF_SECTION_METRICS))
				walk_line(&walk, section, BORDER_AT(section->lines, j));
	}
	for (uint64_t i = 0; i < n_hits; i++) {
		const struct ctprof_report_hit *hit = BORDER_AT(report->hits, i);
		struct verdict_case found = {
			.result = VERDICT_FAILED, .metric = hit->metric, .hit = hit};

		take_names(&found, hit->names, hit->n_names);
		if (!has_line[i])
			each(data, &found);
	}
}

void verdict_put_names(FILE *stream, const struct verdict_case *found,
		       void (*put)(FILE *stream, const char *text))
{
	for (uint32_t i = 0; i < found->n_names; i++) {
		if (i > 0)
			fputc(' ', stream);
		put(stream, found->names[i] ? found->names[i] : "");
	}
}

/* ---- in words ---- */

/* A stream, and how text is written to it. */
struct pen {
	FILE *stream;
	void (*put)(FILE *stream, const char *text);
};

static void add(const struct pen *pen, const char *text)
{
	pen->put(pen->stream, text);
}

static void add_short(const struct pen *pen, uint32_t ladder, double value)
{
	char number[CTPROF_SHORT_ROOM];

	ctprof_number_short(ladder, value, number);
	add(pen, number);
}

static void add_side(const struct pen *pen, const struct verdict_case *found, unsigned int side)
{
	const struct ctprof_runs *runs = drawing_runs(found->cell);
	uint32_t ladder = found->field->ladder;

	add(pen, side == 1 && runs->n[0] > 0 ? ", " : "");
	add(pen, side == 0 ? "A " : "B ");
	add_short(pen, ladder, found->cell->value[side].real);
	add(pen, " [");
	add_short(pen, ladder, runs->min[side]);
	add(pen, "…");
	add_short(pen, ladder, runs->max[side]);
	add(pen, "]");
}

static void add_change(const struct pen *pen, uint32_t ladder, const struct ctprof_cell *cell)
{
	char number[REAL_ROOM];

	add(pen, "change ");
	add_short(pen, ladder, cell->delta);
	if (cell->flags & CTPROF_CELL_HAS_PCT) {
		real_fixed(cell->pct, 1, true, number);
		add(pen, " (");
		add(pen, number);
		add(pen, " %)");
	}
	add(pen, drawing_judgement(cell)[0] ? ", " : "");
	add(pen, drawing_judgement(cell));
}

static void add_q(const struct pen *pen, const struct ctprof_runs *runs)
{
	char number[REAL_ROOM];

	if (!(runs->flags & CTPROF_RUNS_HAS_Q))
		return;
	real_fixed(runs->q, Q_DECIMALS, false, number);
	add(pen, runs->q < LEAST_Q ? ", q < 0.001" : ", q ");
	add(pen, runs->q < LEAST_Q ? "" : number);
}

static void add_hit(const struct pen *pen, const struct ctprof_report_hit *hit)
{
	char number[REAL_ROOM];

	add(pen, "--fail-on '");
	add(pen, hit->condition);
	add(pen, "': condition met by ");
	real_shortest(hit->value, number);
	add(pen, number);
	add(pen, " ");
	add(pen, hit->unit);
	real_shortest(hit->limit, number);
	add(pen, " (limit ");
	add(pen, number);
	add(pen, ")");
}

void verdict_put_description(FILE *stream, const struct verdict_case *found,
			     void (*put)(FILE *stream, const char *text))
{
	const struct pen pen = {stream, put};
	const struct ctprof_cell *cell = found->cell;
	const struct ctprof_runs *runs = cell ? drawing_runs(cell) : NULL;

	if (found->hit)
		add_hit(&pen, found->hit);
	if (found->hit && cell)
		add(&pen, ": ");
	for (unsigned int side = 0; runs && side < 2; side++)
		if (runs->n[side] > 0)
			add_side(&pen, found, side);
	if (runs && cell->flags & CTPROF_CELL_HAS_DELTA)
		add(&pen, ", ");
	if (cell && cell->flags & CTPROF_CELL_HAS_DELTA)
		add_change(&pen, found->field->ladder, cell);
	if (runs)
		add_q(&pen, runs);
}

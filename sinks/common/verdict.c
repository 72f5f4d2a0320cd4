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
		const struct ctprof_report_hit *hit = border_element(walk->report->hits, i);

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
		const struct ctprof_report_field *field = drawing_field(section, line->first + i);
		const struct ctprof_cell *cell = drawing_cell(line, i);
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
		const struct ctprof_report_section *section = drawing_section(report, i);

		for (uint64_t j = 0; j < section->n_lines; j++)
			if (drawing_has(section, CTPROF_SECTION_METRICS))
				walk_line(&walk, section, drawing_line(section, j));
	}
	for (uint64_t i = 0; i < n_hits; i++) {
		const struct ctprof_report_hit *hit = border_element(report->hits, i);
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

/* A text being appended to; what does not fit is cut off. */
struct text {
	char *end;
	size_t left;
};

static void add(struct text *text, const char *more)
{
	size_t n = strlen(more) < text->left ? strlen(more) : text->left - 1;

	memcpy(text->end, more, n);
	text->end += n;
	text->left -= n;
	*text->end = '\0';
}

static void add_short(struct text *text, uint32_t ladder, double value)
{
	char number[CTPROF_SHORT_ROOM];

	ctprof_number_short(ladder, value, number);
	add(text, number);
}

static void add_side(struct text *text, const struct verdict_case *found, unsigned int side)
{
	const struct ctprof_runs *runs = drawing_runs(found->cell);
	uint32_t ladder = found->field->ladder;

	add(text, side == 1 && runs->n[0] > 0 ? ", " : "");
	add(text, side == 0 ? "A " : "B ");
	add_short(text, ladder, found->cell->value[side].real);
	add(text, " [");
	add_short(text, ladder, runs->min[side]);
	add(text, "…");
	add_short(text, ladder, runs->max[side]);
	add(text, "]");
}

static void add_change(struct text *text, uint32_t ladder, const struct ctprof_cell *cell)
{
	char number[REAL_ROOM];

	add(text, "change ");
	add_short(text, ladder, cell->delta);
	if (cell->flags & CTPROF_CELL_HAS_PCT) {
		real_fixed(cell->pct, 1, true, number);
		add(text, " (");
		add(text, number);
		add(text, " %)");
	}
	add(text, drawing_judgement(cell)[0] ? ", " : "");
	add(text, drawing_judgement(cell));
}

static void add_q(struct text *text, const struct ctprof_runs *runs)
{
	char number[REAL_ROOM];

	if (!(runs->flags & CTPROF_RUNS_HAS_Q))
		return;
	real_fixed(runs->q, Q_DECIMALS, false, number);
	add(text, runs->q < LEAST_Q ? ", q < 0.001" : ", q ");
	add(text, runs->q < LEAST_Q ? "" : number);
}

static void add_hit(struct text *text, const struct ctprof_report_hit *hit)
{
	char number[REAL_ROOM];

	add(text, "--fail-on '");
	add(text, hit->condition);
	add(text, "': condition met by ");
	real_shortest(hit->value, number);
	add(text, number);
	add(text, " ");
	add(text, hit->unit);
	real_shortest(hit->limit, number);
	add(text, " (limit ");
	add(text, number);
	add(text, ")");
}

void verdict_describe(const struct verdict_case *found, char *ret_text, size_t size)
{
	struct text text = {ret_text, size};
	const struct ctprof_cell *cell = found->cell;
	const struct ctprof_runs *runs = cell ? drawing_runs(cell) : NULL;

	*ret_text = '\0';
	if (found->hit)
		add_hit(&text, found->hit);
	if (found->hit && cell)
		add(&text, ": ");
	for (unsigned int side = 0; runs && side < 2; side++)
		if (runs->n[side] > 0)
			add_side(&text, found, side);
	if (runs && cell->flags & CTPROF_CELL_HAS_DELTA)
		add(&text, ", ");
	if (cell && cell->flags & CTPROF_CELL_HAS_DELTA)
		add_change(&text, found->field->ladder, cell);
	if (runs)
		add_q(&text, runs);
}

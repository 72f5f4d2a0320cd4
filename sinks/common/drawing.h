/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by all sinks that draw a report: access to its parts, whose structs may be longer than
 * ours, and text for values that are not numbers. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "border.h"
#include "ctprof/report.h"

/* open() and close() of a sink that only draws: its only state is the host. */
int drawing_open(const struct ctprof_host *host, void **ret_self);
void drawing_close(void *self);

/* Calls draw() with a stream to the host's output; returns 0, or -errno if writing failed. */
int drawing_to_stream(const struct ctprof_host *host, const struct ctprof_report *report,
		      void (*draw)(const struct ctprof_host *host, FILE *stream,
				   const struct ctprof_report *report));

/* Defines the whole plugin of a sink that only draws, by such a function. */
#define DRAWING_SINK(name_, summary_, draw_)                                                       \
	static int drawing_report(void *self, const struct ctprof_report *report)                  \
	{                                                                                          \
		return drawing_to_stream(self, report, draw_);                                     \
	}                                                                                          \
	SINK_PLUGIN(name_, summary_, .open = drawing_open, .close = drawing_close,                 \
		    .report = drawing_report)

/* Returns the line's cell of a field; if there is none, a cell without values. */
const struct ctprof_cell *drawing_cell_of(const struct ctprof_report_line *line, uint64_t field);

/* Return the roles of a line and of a field; NONE and PLAIN if the host's structs lack them. */
static inline uint32_t drawing_role(const struct ctprof_report_line *line)
{
	return BORDER_MEMBER(line, role, CTPROF_ROLE_NONE);
}

static inline uint32_t drawing_field_role(const struct ctprof_report_field *field)
{
	return BORDER_MEMBER(field, role, CTPROF_FIELD_PLAIN);
}

/* Returns NULL, here and below, if an older host's struct does not have the member. */
static inline const struct ctprof_sentence *
drawing_line_sentence(const struct ctprof_report_line *line)
{
	return BORDER_MEMBER(line, sentence, NULL);
}

/* Element i of an array of sentences: of a section's notes, or of a report's titles or footers.
 * NULL: only the text exists. */
#define DRAWING_SENTENCE_AT(of, sentences, i)                                                      \
	(BORDER_MEMBER(of, sentences, NULL) ? (of)->sentences[i] : NULL)

#define DRAWING_SENTENCE 8192
/* Writes a sentence for people, with local times and at most width columns wide (0: no limit). */
void drawing_say(const struct ctprof_sentence *sentence, uint64_t width,
		 char ret_text[DRAWING_SENTENCE]);

/* flag: CTPROF_SECTION_*. */
static inline bool drawing_has(const struct ctprof_report_section *section, uint32_t flag)
{
	return (section->flags & flag) != 0;
}

static inline bool drawing_is_total(const struct ctprof_report_line *line)
{
	return (line->flags & CTPROF_LINE_TOTAL) != 0;
}

static inline bool drawing_is_partial(const struct ctprof_value *value)
{
	return (value->flags & CTPROF_VALUE_PARTIAL) != 0;
}

/* Whether any value of the cell is partial. */
static inline bool drawing_has_partial(const struct ctprof_cell *cell, bool is_compare)
{
	return drawing_is_partial(&cell->value[0]) ||
	       (is_compare && drawing_is_partial(&cell->value[1]));
}

/* Whether the cell has no value at all. */
static inline bool drawing_is_absent(const struct ctprof_cell *cell, bool is_compare)
{
	return cell->value[0].type == CTPROF_VALUE_ABSENT &&
	       (!is_compare || cell->value[1].type == CTPROF_VALUE_ABSENT);
}

/* Returns why a value is missing: "denied"; NULL: unknown. */
const char *drawing_absence(const struct ctprof_value *value);
/* Whether the field's values are names, which have no change. */
bool drawing_is_text(const struct ctprof_report_field *field);

static inline bool drawing_is_compare(const struct ctprof_report *report)
{
	return (report->flags & CTPROF_REPORT_COMPARE) != 0;
}

/* Returns NULL if the report is not of a window. */
static inline const struct ctprof_report_window *drawing_window(const struct ctprof_report *report)
{
	return BORDER_MEMBER(report, window, NULL);
}

/* Returns NULL if the cell is not of runs, or has no distribution. */
static inline const struct ctprof_runs *drawing_runs(const struct ctprof_cell *cell)
{
	return BORDER_MEMBER(cell, runs, NULL);
}

static inline const struct ctprof_histogram *drawing_histogram(const struct ctprof_cell *cell,
							       unsigned int side)
{
	return cell->struct_size > offsetof(struct ctprof_cell, histogram) ? cell->histogram[side]
									   : NULL;
}

/* Returns "changed", "~", "?"; "" if there was no test. */
const char *drawing_verdict(const struct ctprof_runs *runs);
/* Returns "worse", "better", or "". */
const char *drawing_judgement(const struct ctprof_cell *cell);
/* Returns the verdict for machines: "changed", "same", "few"; or "". */
const char *drawing_verdict_word(const struct ctprof_runs *runs);
static inline bool drawing_is_of_runs(const struct ctprof_report *report)
{
	return (report->flags & CTPROF_REPORT_RUNS) != 0;
}

/* A value as text: words of this plugin around text from the host. */
struct drawing_words {
	char before[64];
	const char *text; /* the host's bytes, to be escaped; never NULL */
	char after[64];
};

/* Writes a value as text: "-5..10", "SCHED_OTHER (3/5)", "4 cpus (0-3)", "max"; false for numbers
 * and absent values. */
bool drawing_words(const struct ctprof_value *value, struct drawing_words *ret_words);

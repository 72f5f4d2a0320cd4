/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Presents a report as cases that pass or fail, for sinks that write for CI. */
#pragma once

#include "drawing.h"

/* The result of a case. */
enum verdict_result {
	VERDICT_PASSED,
	VERDICT_FAILED,  /* --fail-on is met */
	VERDICT_SKIPPED, /* too few runs */
};

/* A case is a metric of a group: a line's cell, or a place without a line where --fail-on is
 * met. */
struct verdict_case {
	enum verdict_result result;
	uint32_t n_names;
	const char *names[CTPROF_LINE_NAMES];
	const char *metric;
	const struct ctprof_report_field *field; /* NULL: no line */
	const struct ctprof_cell *cell;          /* NULL: no line */
	const struct ctprof_report_hit *hit;     /* NULL: none */
};

/* Calls each() for every cell of every section of metrics, then for the places without a line where
 * --fail-on is met. */
void verdict_walk(const struct ctprof_report *report,
		  void (*each)(void *data, const struct verdict_case *found), void *data);
/* Writes the names of a line, separated by blanks. */
void verdict_put_names(FILE *stream, const struct verdict_case *found,
		       void (*put)(FILE *stream, const char *text));
/* Describes a case: "A 49.8ms, B 25.1ms, -49.6 % ...". */
void verdict_put_description(FILE *stream, const struct verdict_case *found,
			     void (*put)(FILE *stream, const char *text));

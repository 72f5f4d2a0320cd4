/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a page, in the order of the page. */
#pragma once

#include "markup.h"

/* page.css and page.js, as the build put them into the plugin. */
extern const char page_css[];
extern const char page_js[];

/* Shows what the RAM is used for; FALSE: the section does not have the values. */
gboolean memory_put_ram(FILE *stream, const struct ctprof_report *report,
			const struct ctprof_report_section *host);
/* Shows where the CPU time of the host went, by pool; nothing if that is unknown.  Returns the
 * pieces drawn (chart.h). */
GArray *pools_put_cpu(FILE *stream, const struct ctprof_report *report);
/* Shows the busy CPUs and the memory of a recording's host, window by window; nothing if no window
 * has such values.  known: pieces of another chart (chart.h); pools have the same colours in both.
 */
void history_put(FILE *stream, const struct ctprof_report *report, const GArray *known);
/* Shows the pools whose cost differs most between the two sides, as bars; nothing if the sides
 * have no cost of their own, as in a report of a window or of one capture. */
void change_put(FILE *stream, const struct ctprof_report *report,
		const struct ctprof_report_section *pools);
/* Shows pools of threads or of processes as a table; a pool of threads can be opened to show its
 * time account. */
void pools_put(FILE *stream, const struct ctprof_report *report,
	       const struct ctprof_report_section *section);
/* Draws each process as wide as its memory with that of its children; nothing for other
 * sections. */
void memory_put_tree(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *section);
/* Lists the metrics for which no line has a value, and why; nothing if all were measured. */
void unmeasured_put(FILE *stream, const struct ctprof_report *report);
/* Writes the exact numbers of the pools, for the script and for programs that read the page. */
void pools_put_data(FILE *stream, const struct ctprof_report *report);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a page, in its order. */
#pragma once

#include "markup.h"

/* page.css and page.js, as the build put them into the plugin. */
extern const char page_css[];
extern const char page_js[];

/* What the RAM is used for; FALSE: the section says nothing of it. */
gboolean memory_put_ram(FILE *stream, const struct ctprof_report *report,
			const struct ctprof_report_section *host);
/* Where the CPU time of the host went, by pool; nothing when it is not known.  Returns the
 * pieces that are drawn (chart.h). */
GArray *pools_put_cpu(FILE *stream, const struct ctprof_report *report);
/* The busy CPUs of a recording's host, window by window; nothing where no window has CPU time.
 * known: pieces of a chart (chart.h) whose colours its pools have in this one, too. */
void history_put(FILE *stream, const struct ctprof_report *report, const GArray *known);
/* The pools whose cost differs most between the two sides, as bars; nothing where the sides have
 * no cost of their own: of a window, of one capture. */
void change_put(FILE *stream, const struct ctprof_report *report,
		const struct ctprof_report_section *pools);
/* Pools of threads, or of processes, as a table, in which each pool of threads opens to show its
 * time account. */
void pools_put(FILE *stream, const struct ctprof_report *report,
	       const struct ctprof_report_section *section);
/* Each process as wide as what it and its children take; nothing for other sections. */
void memory_put_tree(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *section);
/* Which metrics no line has a value of, and why; nothing when all were measured. */
void unmeasured_put(FILE *stream, const struct ctprof_report *report);
/* The exact numbers of the pools, for the script and for whoever reads the page by program. */
void pools_put_data(FILE *stream, const struct ctprof_report *report);

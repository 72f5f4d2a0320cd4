/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lays out a section as columns and lines. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "ctprof/report.h"

/* Appends a sentence, shortened to fit a screen, or otherwise if sentence is NULL. */
void layout_say(GString *text, const struct ctprof_report *report,
		const struct ctprof_sentence *sentence, const char *otherwise);
/* Prints the section's table and the lines below it. */
void layout_draw(FILE *stream, const struct ctprof_report *report,
		 const struct ctprof_report_section *section);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory as pictures: the RAM as a bar, the tree of processes as an icicle. */
#pragma once

#include "markup.h"

/* What the RAM is used for; FALSE: the section says nothing of it. */
gboolean memory_put_ram(FILE *stream, const struct ctprof_report *report,
			const struct ctprof_report_section *host);
/* Each process as wide as what it and its children take; nothing for other sections. */
void memory_put_tree(FILE *stream, const struct ctprof_report *report,
		     const struct ctprof_report_section *section);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes captures, and windows between samples, as records of a table of groups. */
#pragma once

#include <glib.h>

#include "flatten.h"
#include "report/report.h"
#include "snapshot/read.h"

typedef struct grouping Grouping;

/* writer: that of a table of groups or of windows. */
Grouping *grouping_new(Writer *writer, GroupBy group_by);
void grouping_free(Grouping *grouping);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Grouping, grouping_free)

/* Call before the first sample of a file, which has no window before it. */
void grouping_begin_file(Grouping *grouping, const char *file);
gboolean grouping_begin(Grouping *grouping, GError **error);
gboolean grouping_rows(Grouping *grouping, const Registry *registry, const struct ctprof_rows *rows,
		       GError **error);
/* Call after all rows; on return, the sink has the records. facts NULL: not known. */
gboolean grouping_end(Grouping *grouping, const Origin *origin, const Registry *registry,
		      const LoadFacts *facts, GError **error);

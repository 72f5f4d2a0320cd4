/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists that users write: --sort, --columns, --sections, --metrics,
 * --min-delta. Every error is a USAGE_ERROR that names the option and the
 * entry. */
#pragma once

#include <glib.h>

#include "frame/units.h"

typedef struct sort_key {
	char *name;
	gboolean ascending;
} SortKey;

/* Arrays own their entries.  text NULL or "": an empty array. */
GArray *specs_parse_sort(const char *text, GError **error); /* SortKey */
GPtrArray *specs_parse_metrics(const char *text, GError **error);

/* Returns enum ctprof_column as guint32.  text NULL or blank: the columns of the display format
 * (compare; NULL: arrow), or those of show. */
GArray *specs_parse_columns(const char *text, const char *display_format, gboolean compare,
			    GError **error);

/* Bits by index in the table of sections, and names that may be groups of objects, which
 * only the files know.  text NULL or blank: all except those that show omits by default,
 * and NULL. */
gboolean specs_parse_sections(const char *text, gboolean compare, guint32 *ret_set,
			      GPtrArray **ret_groups, GError **error);
/* Sets the USAGE_ERROR for a name in text that is not a section; returns FALSE. groups:
 * names of the existing groups of objects, or NULL. */
gboolean specs_fail_section(const char *text, const char *name, const GPtrArray *groups,
			    GError **error);

/* FALSE with a USAGE_ERROR: no rule's name matches the glob, or the report is one of runs. */
gboolean specs_check_finding(const char *option, const char *glob, gboolean runs, GError **error);

/* "5ms,1MiB,100": the smallest change by dimension, in its base; a number
 * without a unit is a count. */
gboolean specs_parse_min_delta(const char *text, gdouble ret_least[N_DIMENSIONS], GError **error);

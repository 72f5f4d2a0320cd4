/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts, per slot group and reason, the rows that lack a value. */
#pragma once

#include <glib.h>

#include "registry.h"

/* Absences of one group for one reason. */
typedef struct absence {
	const char *group;
	guint32 why;     /* enum ctprof_absence */
	guint64 threads; /* rows where a value of the group is absent for this reason */
} Absence;

typedef struct absence_tally AbsenceTally;

AbsenceTally *absence_tally_new(const Registry *registry);
void absence_tally_free(AbsenceTally *tally);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AbsenceTally, absence_tally_free)

/* Counts the values of thread rows that could not be read. */
void absence_tally_add(AbsenceTally *tally, const struct ctprof_rows *rows);
/* Returns the counts as an array of Absence. */
GArray *absence_tally_sum(const AbsenceTally *tally);
/* Returns "denied" for CTPROF_ABSENT_DENIED, ... */
const char *absence_word(guint32 why);
/* Whether reading a value failed: it was neither skipped on purpose nor inapplicable. */
gboolean absence_is_failure(guint32 why);

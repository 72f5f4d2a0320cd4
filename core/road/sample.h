/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One capture that the screen holds: its rows and the facts about it. */
#pragma once

#include <glib.h>

#include "frame/moment.h"
#include "snapshot/context.h"
#include "snapshot/read.h"

typedef struct sample {
	Moment *moment;
	Context *context; /* facts that decide whether it can be compared */
	Loaded *loaded;   /* owns the moment's registry, if from a file; NULL: from this host */
	guint64 realtime_ns, boottime_ns, skew_ns;
} Sample;

Sample *sample_new(void);
void sample_free(Sample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sample, sample_free)

/* Copies the rows; a TakeRows.  data: the sample. */
gboolean sample_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error);
/* Call after the rows of a file; takes ownership of loaded. */
void sample_adopt(Sample *sample, Loaded *loaded);
/* Call after the rows of this host; facts: as a file would have them. */
void sample_end(Sample *sample, const LoadFacts *facts);

/* Whether any row has a value of one of these metrics (comma-separated names). */
gboolean sample_has(const Sample *sample, const char *metrics);

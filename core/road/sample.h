/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One capture that the screen holds: its rows, and what is known of it besides. */
#pragma once

#include <glib.h>

#include "frame/moment.h"
#include "snapshot/context.h"
#include "snapshot/read.h"

typedef struct sample {
	Moment *moment;
	Context *context; /* what of it decides whether it compares */
	Loaded *loaded;   /* of a file: whose registry the moment has; NULL: this host's */
	guint64 realtime_ns, boottime_ns, skew_ns;
} Sample;

Sample *sample_new(void);
void sample_free(Sample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sample, sample_free)

/* A CaptureRows and a LoadRows.  data: the sample. */
gboolean sample_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error);
/* After the rows of a file; owns it. */
void sample_adopt(Sample *sample, Loaded *loaded);
/* After those of this host; facts: what a file would say of it. */
void sample_end(Sample *sample, const LoadFacts *facts);

/* Whether any row has a value of one of these metrics (names, with commas between them). */
gboolean sample_has(const Sample *sample, const char *metrics);

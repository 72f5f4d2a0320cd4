/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An analysis into which captures are read: one, or two, which may be a window. */
#pragma once

#include "report/report.h"
#include "snapshot/context.h"

typedef struct filling {
	AnalysisOptions options; /* its own copy, in which options that the captures determine are
				  * set */
	Analysis *analysis;
	Context *contexts[2];
} Filling;

/* The filling owns the past and the marks of its options. */
Filling *filling_new(const AnalysisOptions *options, GError **error);
void filling_free(Filling *filling);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Filling, filling_free)

gboolean filling_take(Filling *filling, guint side, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error);
/* Call after the rows of a side.  facts: what else is known about the capture; NULL: nothing. */
gboolean filling_end_side(Filling *filling, guint side, const Registry *registry,
			  const LoadFacts *facts, GError **error);

/* A side into which a sample of a recording is read. */
typedef struct sample_side {
	Filling *filling; /* NULL: the end of a list */
	guint side;
	gboolean of_host; /* only the row of the host */
} SampleSide;

/* Reads the sample once, into all sides of the list; n_exits is that of recording_read(). */
Loaded *filling_read(Recording *recording, guint sample, guint n_exits, const SampleSide *sides,
		     GError **error);

/* Sets the options that two captures determine together; call after all rows.  window: the option
 * that requires two captures of one boot; NULL: none does. */
gboolean filling_relate(AnalysisOptions *options, Analysis *analysis, Context *const contexts[2],
			const char *window, GError **error);

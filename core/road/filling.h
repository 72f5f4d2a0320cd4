/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An analysis while captures are read into it: of one, or of two, which may be a window. */
#pragma once

#include "report/report.h"
#include "snapshot/context.h"

typedef struct filling {
	AnalysisOptions options; /* its own copy: what the captures decide is set there */
	Analysis *analysis;
	Context *contexts[2];
	const GArray *hidden; /* gint32: processes of ctprof itself; NULL: none */
} Filling;

/* hidden must stay valid; the filling owns the past of its options. */
Filling *filling_new(const AnalysisOptions *options, const GArray *hidden, GError **error);
void filling_free(Filling *filling);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Filling, filling_free)

gboolean filling_take(Filling *filling, guint side, const Registry *registry,
		      const struct ctprof_rows *rows, GError **error);
/* After the rows of a side.  facts: what else is known of the capture; NULL: nothing. */
gboolean filling_end_side(Filling *filling, guint side, const Registry *registry,
			  const LoadFacts *facts, GError **error);

/* A side that a sample of a recording is read into. */
typedef struct sample_side {
	Filling *filling; /* NULL: the end of a list */
	guint side;
	gboolean of_host; /* only the row of the host */
} SampleSide;

/* Reads the sample once, into all sides of the list; n_exits is that of recording_read(). */
Loaded *filling_read(Recording *recording, guint sample, guint n_exits, const SampleSide *sides,
		     GError **error);

/* Sets the options that a capture decides: when it was made, and what it lacks. */
void filling_note(AnalysisOptions *options, guint side, const Context *context);
/* Those that two captures decide together, after all rows came.  window: the option by which
 * they must be of one boot; NULL: they need not be. */
gboolean filling_relate(AnalysisOptions *options, Analysis *analysis, Context *const contexts[2],
			const char *window, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of one capture, kept to be analysed again and again. */
#pragma once

#include <glib.h>

#include "report/report.h"
#include "snapshot/context.h"
#include "snapshot/read.h"

typedef struct sample Sample;

Sample *sample_new(void);
void sample_free(Sample *sample);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Sample, sample_free)

/* A CaptureRows and a LoadRows: copies the rows.  data: the sample; the registry must stay as
 * long as it does. */
gboolean sample_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error);
/* Takes the facts and the registry of a sample that was read from a file. */
void sample_adopt(Sample *sample, Loaded *loaded);
/* Of one that was not: what a file would say of it; options: key -> value, which it keeps. */
void sample_note(Sample *sample, guint64 realtime_ns, guint64 boottime_ns, guint64 skew_ns,
		 GHashTable *options);
const LoadFacts *sample_facts(const Sample *sample);

/* Whether any row has a value of one of these metrics (names, with commas between them). */
gboolean sample_has(const Sample *sample, const char *metrics);

/* Hands all rows on, in the order in which they came. */
gboolean sample_replay(const Sample *sample, LoadRows each, gpointer data, GError **error);
const Registry *sample_registry(const Sample *sample);

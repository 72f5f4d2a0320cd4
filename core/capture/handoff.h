/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the rows of a capture go: into a sink, or to a caller in this process. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "redact/redactor.h"
#include "row/registry.h"

/* As LoadRows of a file: rows of one scope, thread rows in many pieces. */
typedef gboolean (*CaptureRows)(gpointer data, const Registry *registry,
				const struct ctprof_rows *rows, GError **error);

typedef struct handoff {
	const Registry *registry;
	Plugin *sink;     /* NULL: each takes the rows */
	CaptureRows each; /* calls never overlap */
	gpointer data;
	Redactor *redactor; /* of names, before a sink; NULL: they stay */
	GArray *metrics;    /* struct ctprof_metric_info, as the sink has them */
} Handoff;

/* Adds the metrics to info. */
gboolean handoff_begin(Handoff *handoff, Output *output, struct ctprof_capture *info,
		       GError **error);
gboolean handoff_rows(const Handoff *handoff, const struct ctprof_rows *rows, GError **error);
gboolean handoff_end(const Handoff *handoff, const struct ctprof_capture_end *info, GError **error);
void handoff_clear(Handoff *handoff);

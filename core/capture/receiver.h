/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Passes the rows of a capture to a sink, or to a caller in this process. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "redact/redactor.h"
#include "row/registry.h"

typedef struct receiver {
	const Registry *registry;
	Plugin *sink;  /* NULL: each takes the rows */
	TakeRows each; /* calls never overlap */
	gpointer data;
	Redactor *redactor; /* replaces names before a sink gets them; NULL: names stay */
	GArray *metrics;    /* struct ctprof_metric_info, which the sink borrows */
} Receiver;

/* Begins a capture in the sink, if there is one; adds the metrics to info. */
gboolean receiver_begin(Receiver *receiver, Output *output, struct ctprof_capture *info,
			GError **error);
gboolean receiver_rows(const Receiver *receiver, const struct ctprof_rows *rows, GError **error);
gboolean receiver_end(const Receiver *receiver, const struct ctprof_capture_end *info,
		      GError **error);
void receiver_clear(Receiver *receiver);

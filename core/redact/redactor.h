/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replaces names with pseudonyms in a capture on its way to a sink: in rows, options, notes
 * and messages.  Numbers are kept.  Kernel threads keep their names.
 */
#pragma once

#include <glib.h>

#include "ctprof/sink.h"
#include "pseudonym.h"
#include "row/registry.h"

typedef struct redactor Redactor;

Redactor *redactor_new(const guint8 *key, gsize size);
void redactor_free(Redactor *redactor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Redactor, redactor_free)

/* Begins a capture of the registry's metrics and replaces its options, note and marks. */
void redactor_begin(Redactor *redactor, const Registry *registry, struct ctprof_capture *capture);
/* Returns the redacted rows, valid until the next call; unchanged threads are passed through.
 * Cgroups are held back, so none are returned for them. */
void redactor_rows(Redactor *redactor, const struct ctprof_rows *rows,
		   struct ctprof_rows *ret_rows);
/* Returns the next cgroup, ordered by new path, once all have been held back; FALSE if there
 * are no more. */
gboolean redactor_next_cgroup(Redactor *redactor, struct ctprof_rows *ret_rows);
/* Ends the capture: replaces the messages of plugins and adds the counts of replaced fields.
 * The results are valid until the next redactor_begin(). */
void redactor_end(Redactor *redactor, struct ctprof_capture_end *end);

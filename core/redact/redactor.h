/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A capture with pseudonyms in place of names, on its way to a sink: rows, options, notes
 * and messages.  Numbers stay.  Kernel threads keep their names.
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

/* Begins a capture of the registry's metrics, whose options and note it replaces. */
void redactor_begin(Redactor *redactor, const Registry *registry, struct ctprof_capture *capture);
/* The rows without names, until the next call (or, threads as before, those rows).  Cgroups are
 * held back: none of them. */
void redactor_rows(Redactor *redactor, const struct ctprof_rows *rows,
		   struct ctprof_rows *ret_rows);
/* The next cgroup of those, once all are held back: ordered by their new paths; FALSE: there
 * are no more. */
gboolean redactor_next_cgroup(Redactor *redactor, struct ctprof_rows *ret_rows);
/* Ends the capture: replaces what plugins have said, and adds what was replaced.  All of it
 * is valid until the next redactor_begin(). */
void redactor_end(Redactor *redactor, struct ctprof_capture_end *end);

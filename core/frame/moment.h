/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of one capture, held to be asked again and again: threads packed, with their
 * names as they were read.  It does not change once it is whole.
 */
#pragma once

#include "roster.h"

typedef struct moment Moment;

Moment *moment_new(void);
void moment_free(Moment *moment);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Moment, moment_free)

/* Sets the registry, as the first rows also do; it must outlive the moment. */
void moment_bind(Moment *moment, const Registry *registry);
/* A CaptureRows and a LoadRows: copies the rows.  data: the moment. */
gboolean moment_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error);
/* Call after the last rows. */
void moment_end(Moment *moment);

/* NULL: nothing came. */
const Registry *moment_registry(const Moment *moment);
/* Sorted. */
const Roster *moment_threads(const Moment *moment);
const Roster *moment_exits(const Moment *moment);
/* Whether any row has a value of a metric of that name. */
gboolean moment_has(const Moment *moment, const char *name);

/* The same as LoadRows. */
typedef gboolean (*MomentRows)(gpointer data, const Registry *registry,
			       const struct ctprof_rows *rows, GError **error);

/* Hands on the rows: all, or all but those of threads. */
gboolean moment_each(const Moment *moment, MomentRows each, gpointer data, GError **error);
gboolean moment_each_other(const Moment *moment, MomentRows each, gpointer data, GError **error);

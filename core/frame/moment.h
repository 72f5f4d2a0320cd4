/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rows of one capture, held so that they can be queried repeatedly: threads are packed, with
 * their names as they were read.  A moment does not change after moment_end().
 */
#pragma once

#include "roster.h"

typedef struct moment Moment;

Moment *moment_new(void);
void moment_free(Moment *moment);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Moment, moment_free)

/* Sets the registry, which otherwise the first rows do; it must outlive the moment. */
void moment_bind(Moment *moment, const Registry *registry);
/* Copies the rows; a TakeRows.  data: the moment. */
gboolean moment_take(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
		     GError **error);
/* Call after the last rows. */
void moment_end(Moment *moment);

/* Returns NULL if there were no rows. */
const Registry *moment_registry(const Moment *moment);
/* Both are sorted. */
const Roster *moment_threads(const Moment *moment);
const Roster *moment_exits(const Moment *moment);
/* Whether any row has a value of a metric of that name. */
gboolean moment_has(const Moment *moment, const char *name);

/* Passes the rows to each(): all of them, or all except those of threads. */
gboolean moment_each(const Moment *moment, TakeRows each, gpointer data, GError **error);
gboolean moment_each_other(const Moment *moment, TakeRows each, gpointer data, GError **error);

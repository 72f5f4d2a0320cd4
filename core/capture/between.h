/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls sources in a thread of their own, from before one capture until the next. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "row/registry.h"

typedef struct between Between;

/*
 * Starts the first source among plugins (Plugin *, opened, the registry sealed) that can
 * listen and whose exit metrics are wanted, and has it record the threads that end.  If none
 * can, the result records nothing: see between_failure().
 */
Between *between_listen(GPtrArray *plugins, const Registry *registry);
/*
 * Starts the plugins that provide wanted metrics of the host by sampling it at times of their
 * choice. may_begin: shared with another process, which sets it when sampling should begin; NULL:
 * at once.  Returns NULL if there is no such source.
 */
Between *between_sample(GPtrArray *plugins, const Registry *registry, const guint *may_begin);
/* Stops calling the sources, if between_stop() has not, and frees between. */
void between_free(Between *between);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Between, between_free)

/* Returns why no source listens, as one clause; NULL: one does. */
const char *between_failure(const Between *between);
/* Calls the sources until between_stop().  Both do nothing if between is NULL. */
void between_start(Between *between);
/* Returns once no source is called any more; call it before collect(EXIT).  Returns the sources
 * (Plugin *), borrowed. */
const GPtrArray *between_stop(Between *between);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Has a source record the threads that end, from before one capture until the next. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "row/registry.h"

typedef struct listener Listener;

/*
 * Starts the first source among plugins (Plugin *, opened, the registry sealed) that can
 * listen and whose exit metrics are wanted, and has it listen.  If none can, the result
 * records nothing: see listener_failure().
 */
Listener *listener_new(GPtrArray *plugins, const Registry *registry);
/* Stops draining, if listener_stop() has not, and frees the listener. */
void listener_free(Listener *listener);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Listener, listener_free)

/* Returns why no source listens, as one clause; NULL: one does. */
const char *listener_failure(const Listener *listener);
/* Drains the source in a thread of its own until listener_stop(). */
void listener_start(Listener *listener);
/* Stops draining, which must precede collect(EXIT).  Returns the sources that listened (Plugin *),
 * borrowed. */
const GPtrArray *listener_stop(Listener *listener);

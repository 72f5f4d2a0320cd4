/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources that record the threads that end, from before a capture until it. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "row/registry.h"

typedef struct listener Listener;

/*
 * Starts the sources among plugins (Plugin *, opened, the registry sealed) of which
 * exit metrics are wanted, and has them listen.  The result listens to none where none can:
 * listener_why().
 */
Listener *listener_new(GPtrArray *plugins, const Registry *registry);
/* Ends the draining, if that has not been done. */
void listener_free(Listener *listener);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Listener, listener_free)

/* Why nobody listens, one clause; NULL: somebody does. */
const char *listener_why(const Listener *listener);
/* Drains them from a thread of its own, until listener_stop(). */
void listener_go_on(Listener *listener);
/* Ends the draining, before collect(EXIT) of the sources it returns: Plugin *,
 * those that listened. */
const GPtrArray *listener_stop(Listener *listener);

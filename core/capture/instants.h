/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sources that look at the host between captures, at instants of their own choice. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "row/registry.h"

typedef struct instants Instants;

/*
 * Starts the sources among plugins (Plugin *, opened, the registry sealed) that sample and
 * of which metrics of threads are wanted.  may_begin: shared with another process, which sets
 * it when sampling is to begin; NULL: at once.  NULL: there is none.
 */
Instants *instants_new(GPtrArray *plugins, const Registry *registry, const guint *may_begin);
void instants_free(Instants *instants);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Instants, instants_free)

/* Samples in a thread of its own, until instants_stop().  NULL, as below: does nothing. */
void instants_go_on(Instants *instants);
/* Returns once no source samples any more. */
void instants_stop(Instants *instants);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls sources that sample the host between captures, at the instants that they choose. */
#pragma once

#include <glib.h>

#include "plugin/plugin.h"
#include "row/registry.h"

typedef struct instants Instants;

/*
 * Starts the sources among plugins (Plugin *, opened, the registry sealed) that sample and
 * provide wanted metrics of the host.  may_begin: shared with another process, which sets it
 * when sampling should begin; NULL: at once.  Returns NULL if there is no such source.
 */
Instants *instants_new(GPtrArray *plugins, const Registry *registry, const guint *may_begin);
void instants_free(Instants *instants);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Instants, instants_free)

/* Samples in a thread of its own until instants_stop().  Both do nothing if instants is NULL. */
void instants_start(Instants *instants);
/* Returns once no source samples any more. */
void instants_stop(Instants *instants);

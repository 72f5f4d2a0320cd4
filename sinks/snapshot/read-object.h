/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects of dotted names (host, psi, cgroups, summaries, "extra"): the counterpart of
 * tree.h. */
#pragma once

#include "cells.h"

/*
 * The member of a shape for the path of a cgroup: no metric can have that name.
 * Its bytes come as "path_hex", if at all.
 */
#define OBJECT_PATH "/path"

/*
 * Reads an object into cells, and what its member "absent" says into states
 * (one for each member of shape); PRESENT elsewhere.  prefix is prepended to
 * its names: "psi." for the object "psi".
 */
void object_read(struct pull *pull, const struct shape *shape, struct cells *cells, uint8_t *states,
		 const char *prefix);

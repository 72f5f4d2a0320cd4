/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects with dotted names (host, psi, cgroups, summaries, "extra"): the counterpart of tree.h. */
#pragma once

#include "cells.h"

/*
 * The member of a shape for the path of a cgroup: no metric can have that name.  If the path is not
 * UTF-8, "path_hex" has its bytes.
 */
#define OBJECT_PATH "/path"

/*
 * Reads an object into cells, and the reasons in its member "absent" into states, one for each
 * member of shape; other states are PRESENT.  prefix is prepended to the names: "psi."  for the
 * object "psi".
 */
void object_read(struct pull *pull, const struct shape *shape, struct cells *cells, uint8_t *states,
		 const char *prefix);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shows the capabilities of this process, to distinguish a missing one from a refusal. */
#pragma once

#include <stdbool.h>

#include "ctprof/plugin.h"

/* Whether the capability of that number (<linux/capability.h>) is effective;
 * false if unknown, as in a recorded tree. */
bool capability_is_held(const struct ctprof_host *host, unsigned number);

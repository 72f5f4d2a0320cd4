/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of functions lent to a plugin. */
#pragma once

#include "plugin.h"

/* Fills plugin->host; plugin->root, registry and options must be set. */
void hosttable_lend(Plugin *plugin);

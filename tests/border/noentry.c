/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shared object without a known entry: not a plugin, or one of another ABI. */
#include "ctprof/plugin.h"

CTPROF_EXPORT const struct ctprof_plugin *ctprof_plugin_entry_v2(void);
CTPROF_EXPORT const struct ctprof_plugin *ctprof_plugin_entry_v2(void)
{
	return 0;
}

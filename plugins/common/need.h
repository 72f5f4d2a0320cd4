/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a plugin's table of needs. */
#pragma once

#include "ctprof/plugin.h"

#define NEED_ROW_(kind_, required_, name_, why_)                                                   \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_need), .kind = CTPROF_NEED_##kind_,            \
		.required = required_, .name = name_, .why = why_                                  \
	}

/* kind is CAPABILITY, KCONFIG, SYSCTL or FILE. */
#define NEED_ALWAYS(kind, name, why) NEED_ROW_(kind, 1, name, why) /* nothing works without */
#define NEED_PARTLY(kind, name, why) NEED_ROW_(kind, 0, name, why) /* some values need it */
/* A capability without which nothing works, but which is not needed after
 * start(). */
#define NEED_TO_START(name_, why_)                                                                 \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_need), .kind = CTPROF_NEED_CAPABILITY,         \
		.required = 1, .name = name_, .why = why_, .flags = CTPROF_NEED_UNTIL_STARTED      \
	}

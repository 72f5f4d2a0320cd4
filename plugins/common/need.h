/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a plugin's table of needs. */
#pragma once

#include "ctprof/plugin.h"

#define NEED_ROW_(kind_, required_, name_, why_, ...)                                              \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_need), .kind = CTPROF_NEED_##kind_,            \
		.required = required_, .name = name_, .why = why_, __VA_ARGS__                     \
	}

/* kind is CAPABILITY, KCONFIG, SYSCTL or FILE. */
#define NEED_ALWAYS(kind, name, why) NEED_ROW_(kind, 1, name, why) /* nothing works without */
#define NEED_PARTLY(kind, name, why) NEED_ROW_(kind, 0, name, why) /* some values need it */
/* Capabilities that are not needed after start(). */
#define NEED_TO_START(name, why)                                                                   \
	NEED_ROW_(CAPABILITY, 1, name, why, .flags = CTPROF_NEED_UNTIL_STARTED)
#define NEED_PARTLY_TO_START(name, why)                                                            \
	NEED_ROW_(CAPABILITY, 0, name, why, .flags = CTPROF_NEED_UNTIL_STARTED)

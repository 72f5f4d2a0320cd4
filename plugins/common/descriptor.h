/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common members of the descriptors, metrics and findings of all sources. */
#pragma once

#include "ctprof/plugin.h"

/* kind, unit and scope without their prefixes; more members after the origin. */
#define METRIC_ROW(kind_, unit_, scope_, name_, group_, help_, origin_, ...)                       \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_metric), .kind = CTPROF_##kind_,               \
		.unit = CTPROF_UNIT_##unit_, .scope = CTPROF_SCOPE_##scope_, .name = name_,        \
		.group = group_, .help = help_, .origin = origin_, __VA_ARGS__                     \
	}

/* The initial state, until a probe finds otherwise. */
#define FINDING_WORKS(group_)                                                                      \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_finding), .state = CTPROF_WORKS,               \
		.group = group_                                                                    \
	}

/* Members of a struct ctprof_plugin that are the same everywhere, or follow
 * from the tables ops_ and needs_. */
#define SOURCE_DESCRIPTOR(name_, ops_, needs_)                                                     \
	.struct_size = sizeof(struct ctprof_plugin), .abi_major = CTPROF_ABI_MAJOR,                \
	.abi_minor = CTPROF_ABI_MINOR, .kind = CTPROF_KIND_SOURCE, .name = name_,                  \
	.version = CTPROF_VERSION, .ops = &(ops_), .needs = needs_,                                \
	.n_needs = sizeof needs_ / sizeof needs_[0]

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common members of the descriptors, metrics and findings of all sources. */
#pragma once

#include "ctprof/plugin.h"

/* A row of a table of metrics: kind, unit and scope without their prefixes; further members follow
 * the origin. */
#define METRIC_ROW(kind_, unit_, scope_, name_, group_, help_, origin_, ...)                       \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_metric), .kind = CTPROF_##kind_,               \
		.unit = CTPROF_UNIT_##unit_, .scope = CTPROF_SCOPE_##scope_, .name = name_,        \
		.group = group_, .help = help_, .origin = origin_, __VA_ARGS__                     \
	}

/* Marks a metric that is worse when it grows. */
#define WORSE .polarity = CTPROF_MORE_IS_WORSE
/* Also sets the gate: a change of n, in the unit of the metric, is worth reporting. */
#define WORSE_BY(n) WORSE, .gate = (n)

/* The initial state, until a probe finds otherwise. */
#define FINDING_WORKS(group_)                                                                      \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_finding), .state = CTPROF_WORKS,               \
		.group = group_                                                                    \
	}

/* Replaces the state by the result of a probe; remedy: NULL if there is none. */
static inline void finding_set(struct ctprof_finding *finding, uint32_t state, const char *why,
			       const char *remedy)
{
	finding->state = state;
	finding->why = why;
	finding->remedy = remedy;
}

/* Reports the whole finding at once. */
static inline void finding_put(const struct ctprof_host *host, const char *group, uint32_t state,
			       const char *why, const char *remedy)
{
	struct ctprof_finding finding = FINDING_WORKS(group);

	finding_set(&finding, state, why, remedy);
	host->finding(host, &finding);
}

#define SOURCE_DESCRIPTOR_(name_, threads_, cost_, summary_, ...)                                  \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_plugin), .abi_major = CTPROF_ABI_MAJOR,        \
		.abi_minor = CTPROF_ABI_MINOR, .kind = CTPROF_KIND_SOURCE, .name = name_,          \
		.version = CTPROF_VERSION, .ops = &source_ops, .needs = needs,                     \
		.n_needs = sizeof needs / sizeof needs[0],                                         \
		.thread_model = CTPROF_THREADS_##threads_, .cost = CTPROF_COST_##cost_,            \
		.summary = summary_, __VA_ARGS__                                                   \
	}
/* Defines the whole plugin of a source, except for its ops and optional members; needs is the table
 * of its needs. */
#define SOURCE_PLUGIN(name, threads, cost, summary, ops, ...)                                      \
	static const struct ctprof_source_ops source_ops = ops;                                    \
	static const struct ctprof_plugin descriptor =                                             \
		SOURCE_DESCRIPTOR_(name, threads, cost, summary, __VA_ARGS__);                     \
	CTPROF_PLUGIN(descriptor)
#define SOURCE_OPS(...)                                                                            \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_source_ops), __VA_ARGS__                       \
	}
#define SOURCE_OPTIONS(options_)                                                                   \
	.options = options_, .n_options = sizeof options_ / sizeof options_[0]

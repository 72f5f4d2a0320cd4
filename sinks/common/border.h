/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of the plugin interface that every sink needs. */
#pragma once

#include "ctprof/sink.h"

/* Defines the whole plugin of a sink; its ops follow the name and the summary. */
#define SINK_PLUGIN(name_, summary_, ...) SINK_PLUGIN_OPTIONS(name_, summary_, NULL, 0, __VA_ARGS__)
#define SINK_PLUGIN_OPTIONS(name_, summary_, options_, n_options_, ...)                            \
	static const struct ctprof_sink_ops ops = {.struct_size = sizeof ops, __VA_ARGS__};        \
	static const struct ctprof_plugin descriptor = {                                           \
		.struct_size = sizeof descriptor,                                                  \
		.abi_major = CTPROF_ABI_MAJOR,                                                     \
		.abi_minor = CTPROF_ABI_MINOR,                                                     \
		.kind = CTPROF_KIND_SINK,                                                          \
		.thread_model = CTPROF_THREADS_SERIAL,                                             \
		.cost = CTPROF_COST_CHEAP,                                                         \
		.name = name_,                                                                     \
		.version = CTPROF_VERSION,                                                         \
		.summary = summary_,                                                               \
		.ops = &ops,                                                                       \
		.options = options_,                                                               \
		.n_options = n_options_,                                                           \
	};                                                                                         \
	CTPROF_PLUGIN(descriptor)

/* Returns element i of an array from the host, whose elements may be longer than ours. */
static inline const void *border_element(const void *first, uint64_t i)
{
	/* Every struct of the interface begins with its size. */
	const uint32_t *size = first;

	return (const char *)first + i * *size;
}

/* Returns that element with the type of the array. */
#define BORDER_AT(array, i) ((__typeof__(array))border_element(array, i))

/* A member of a host's struct; `missing` if the struct is too short to have it. */
#define BORDER_MEMBER(of, member, missing)                                                         \
	((of)->struct_size >= offsetof(__typeof__(*(of)), member) + sizeof((of)->member)           \
		 ? (of)->member                                                                    \
		 : (missing))

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics to register in tests of the core. */
#pragma once

#include <glib.h>

#include "row/registry.h"

/* Returns a valid metric of group "toy", for the test to modify. */
static inline struct ctprof_metric toy_metric(const char *name, guint32 kind, guint32 unit,
					      guint32 scope)
{
	return (struct ctprof_metric){
		.struct_size = sizeof(struct ctprof_metric),
		.kind = kind,
		.unit = unit,
		.scope = scope,
		.name = name,
		.group = "toy",
		.help = "a toy",
		.origin = "nowhere",
	};
}

/* Registers a metric, which must be accepted; returns its slot. */
static inline guint32 toy_add(Registry *registry, const char *plugin, struct ctprof_metric metric)
{
	const char *why = NULL;
	guint32 slot = 0;

	g_assert_cmpint(registry_add(registry, plugin, &metric, &slot, &why), ==, 0);
	g_assert_cmpuint(slot, !=, 0);
	return slot;
}

/* Returns a sealed registry of one thread counter, for tests that need any registry. */
static inline Registry *toy_registry(void)
{
	Registry *registry = registry_new();

	toy_add(registry, "toy",
		toy_metric("toy", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD));
	g_assert_true(registry_seal(registry, NULL, NULL, NULL));
	return registry;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms in rows: maps whose keys are bucket numbers, in decimal. */
#pragma once

#include <glib.h>

#include "arena.h"
#include "ctprof/histogram.h"
#include "ctprof/sink.h"

typedef struct histogram {
	guint64 counts[CTPROF_BUCKETS];
} Histogram;

/* Returns the counts as a map, without empty buckets; its keys are static texts. */
struct ctprof_map *buckets_store(Arena *arena, const Histogram *histogram);
/* Adds the counts of such a map; keys that are not bucket numbers are ignored. */
void buckets_add(Histogram *histogram, const struct ctprof_map *map);

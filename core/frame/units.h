/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ladders of units, and numbers with a unit as users write them: "5ms". */
#pragma once

#include <glib.h>

#include "ctprof/plugin.h"
#include "ctprof/report.h"

#define KIB 1024

/* Units of the same dimension can be converted into each other. */
typedef enum dimension {
	DIMENSION_NONE,  /* ordinals, ratios */
	DIMENSION_COUNT, /* base: 1 */
	DIMENSION_TIME,  /* base: a nanosecond */
	DIMENSION_BYTES, /* base: a byte */
	N_DIMENSIONS
} Dimension;

typedef struct ladder {
	guint32 ladder; /* enum ctprof_ladder */
	Dimension dimension;
	gdouble base;  /* the ladder's lowest unit, in the dimension's base */
	gdouble large; /* the smallest significant change, in the ladder's lowest unit */
} Ladder;

const Ladder *ladder_find(guint32 ladder);
/* Returns the ladder for values of a metric. */
guint32 ladder_of(guint32 kind, guint32 unit);
/* Returns the unit's word for machines: "ns", "bytes" (for KiB, too), ... */
const char *unit_word(guint32 unit);

/* Formats a number for people: "918ms", "35 %", "1.2k", "3.5 threads"; unit is a word for machines.
 * The caller frees it. */
char *unit_format(const char *unit, gdouble value, gboolean sign);

typedef struct magnitude {
	gdouble number; /* in the dimension's base unit; without a unit, as written */
	gboolean has_unit;
	Dimension dimension; /* of the unit */
} Magnitude;

/* The units of magnitude_parse(), for messages. */
#define MAGNITUDE_UNITS "ns us ms s min ticks, B KiB MiB GiB TiB, K M G or none"
/* Parses "5ms", "1.5MiB", "200", "10K", "-3" and the like; rejects anything else and numbers that
 * are not finite. */
gboolean magnitude_parse(const char *text, Magnitude *ret_magnitude);

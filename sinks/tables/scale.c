/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ctprof/report.h"

#define KIB 1024.0
#define MAX_STEPS 4

struct ladder {
	uint32_t id; /* enum ctprof_ladder */
	const char *base;
	struct {
		double from; /* 0: no such step */
		const char *unit;
	} steps[MAX_STEPS]; /* upwards */
	double divisor;     /* numbers are counted in parts of this size; 0: in ones */
	int decimals;       /* decimals of numbers in the base unit that are not whole */
};

static const struct ladder ladders[] = {
	{CTPROF_LADDER_NONE, "", {{0, NULL}}, 0, 2},
	{CTPROF_LADDER_UNITLESS, "", {{1e3, "K"}, {1e6, "M"}, {1e9, "G"}}, 0, 2},
	{CTPROF_LADDER_NS, "ns", {{1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}, 0, 2},
	{CTPROF_LADDER_US, "µs", {{1e3, "ms"}, {1e6, "s"}}, 0, 2},
	{CTPROF_LADDER_TICKS, "ticks", {{1e3, "Kticks"}, {1e6, "Mticks"}}, 0, 2},
	{CTPROF_LADDER_BYTES,
	 "B",
	 {{KIB, "KiB"},
	  {KIB * KIB, "MiB"},
	  {KIB * KIB * KIB, "GiB"},
	  {KIB * KIB * KIB * KIB, "TiB"}},
	 0,
	 2},
	{CTPROF_LADDER_RATIO, "", {{0, NULL}}, 0, 3},
	{CTPROF_LADDER_CENTIPERCENT, "%", {{0, NULL}}, 100, 2},
};

static const struct ladder *find_ladder(uint32_t id)
{
	for (size_t i = 0; i < sizeof ladders / sizeof ladders[0]; i++)
		if (ladders[i].id == id)
			return &ladders[i];
	return &ladders[0];
}

static void put(double value, int decimals, bool is_signed, const char *unit, char *text)
{
	char number[REAL_ROOM];

	if (!isfinite(value)) {
		snprintf(text, SCALE_ROOM, "-");
		return;
	}
	real_fixed(value, decimals, is_signed, number);
	snprintf(text, SCALE_ROOM, "%s%s", number, unit);
}

/* Puts a value in the unit of the highest step that it reaches; false: it reaches none. */
static bool climb(const struct ladder *ladder, double value, bool is_signed, char *text)
{
	for (size_t i = MAX_STEPS; i-- > 0;) {
		if (ladder->steps[i].from <= 0 || fabs(value) < ladder->steps[i].from)
			continue;
		put(value / ladder->steps[i].from, 3, is_signed, ladder->steps[i].unit, text);
		return true;
	}
	return false;
}

void scale_number(uint32_t ladder, uint64_t value, char ret_text[SCALE_ROOM])
{
	const struct ladder *l = find_ladder(ladder);

	if (climb(l, (double)value, false, ret_text))
		return;
	if (l->divisor > 0)
		put((double)value / l->divisor, l->decimals, false, l->base, ret_text);
	else
		snprintf(ret_text, SCALE_ROOM, "%" PRIu64 "%s", value, l->base);
}

void scale_real(uint32_t ladder, double value, char ret_text[SCALE_ROOM])
{
	const struct ladder *l = find_ladder(ladder);

	if (!climb(l, value, false, ret_text))
		put(l->divisor > 0 ? value / l->divisor : value, l->decimals, false, l->base,
		    ret_text);
}

void scale_delta(uint32_t ladder, double delta, bool is_computed, char ret_text[SCALE_ROOM])
{
	const struct ladder *l = find_ladder(ladder);
	bool is_whole = !is_computed && floor(delta) == delta;

	if (climb(l, delta, true, ret_text))
		return;
	if (delta == 0)
		delta = 0; /* not "-0" */
	if (l->divisor > 0)
		put(delta / l->divisor, l->decimals, true, l->base, ret_text);
	else
		put(delta, is_whole ? 0 : is_computed ? l->decimals : 3, true, l->base, ret_text);
}

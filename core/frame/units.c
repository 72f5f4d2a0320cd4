/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "units.h"

#include <math.h>
#include <string.h>

#include "ctprof/numbers.h"
#include "row/registry.h"

static const Ladder ladders[] = {
	{CTPROF_LADDER_NONE, DIMENSION_NONE, 1, 1},
	{CTPROF_LADDER_UNITLESS, DIMENSION_COUNT, 1, 1e3},
	{CTPROF_LADDER_NS, DIMENSION_TIME, 1, 1e6},
	{CTPROF_LADDER_US, DIMENSION_TIME, 1e3, 1e3},
	{CTPROF_LADDER_TICKS, DIMENSION_TIME, 1e7, 10}, /* USER_HZ is 100 */
	{CTPROF_LADDER_BYTES, DIMENSION_BYTES, 1, 1 << 20},
	{CTPROF_LADDER_RATIO, DIMENSION_NONE, 1, 1},
	{CTPROF_LADDER_CENTIPERCENT, DIMENSION_NONE, 1, 1e2},
};

static const struct {
	guint32 unit, ladder;
} unit_ladders[] = {
	{CTPROF_UNIT_NONE, CTPROF_LADDER_UNITLESS},
	{CTPROF_UNIT_NS, CTPROF_LADDER_NS},
	{CTPROF_UNIT_US, CTPROF_LADDER_US},
	{CTPROF_UNIT_TICKS, CTPROF_LADDER_TICKS},
	{CTPROF_UNIT_BYTES, CTPROF_LADDER_BYTES},
	{CTPROF_UNIT_KIB, CTPROF_LADDER_BYTES},
	{CTPROF_UNIT_CENTIPERCENT, CTPROF_LADDER_CENTIPERCENT},
};

const Ladder *ladder_find(guint32 ladder)
{
	for (guint i = 0; i < G_N_ELEMENTS(ladders); i++)
		if (ladders[i].ladder == ladder)
			return &ladders[i];
	return &ladders[0];
}

guint32 ladder_of(guint32 kind, guint32 unit)
{
	/* An ordinal has no magnitude, and neither does a label. */
	if (kind == CTPROF_ORDINAL || kind == CTPROF_LABEL)
		return CTPROF_LADDER_NONE;
	for (guint i = 0; i < G_N_ELEMENTS(unit_ladders); i++)
		if (unit_ladders[i].unit == unit)
			return unit_ladders[i].ladder;
	return CTPROF_LADDER_NONE;
}

const char *unit_word(guint32 unit)
{
	return registry_unit_word(unit == CTPROF_UNIT_KIB ? CTPROF_UNIT_BYTES : unit);
}

/* Returns the ladder whose short numbers include their unit. */
static guint32 ladder_of_word(const char *unit)
{
	for (guint i = 0; i < G_N_ELEMENTS(unit_ladders); i++)
		if (strcmp(unit_word(unit_ladders[i].unit), unit) == 0 &&
		    unit_ladders[i].ladder != CTPROF_LADDER_TICKS &&
		    unit_ladders[i].ladder != CTPROF_LADDER_CENTIPERCENT)
			return unit_ladders[i].ladder;
	return CTPROF_LADDER_NONE;
}

char *unit_format(const char *unit, gdouble value, gboolean sign)
{
	guint32 ladder = ladder_of_word(unit);
	char number[CTPROF_SHORT_ROOM];

	ctprof_number_short(ladder, value, number);
	return g_strdup_printf("%s%s%s%s", sign && value > 0 ? "+" : "", number,
			       ladder == CTPROF_LADDER_NONE ? " " : "",
			       ladder != CTPROF_LADDER_NONE   ? ""
			       : g_str_equal(unit, "percent") ? "%"
							      : unit);
}

static const struct suffix {
	const char *text;
	Dimension dimension;
	gdouble base;
} suffixes[] = {
	{"ns", DIMENSION_TIME, 1},
	{"us", DIMENSION_TIME, 1e3},
	{"\xc2\xb5s", DIMENSION_TIME, 1e3}, /* U+00B5 */
	{"ms", DIMENSION_TIME, 1e6},
	{"s", DIMENSION_TIME, 1e9},
	{"min", DIMENSION_TIME, 60e9},
	{"ticks", DIMENSION_TIME, 1e7},
	{"B", DIMENSION_BYTES, 1},
	{"KiB", DIMENSION_BYTES, 1024},
	{"MiB", DIMENSION_BYTES, 1024.0 * 1024},
	{"GiB", DIMENSION_BYTES, 1024.0 * 1024 * 1024},
	{"TiB", DIMENSION_BYTES, 1024.0 * 1024 * 1024 * 1024},
	{"K", DIMENSION_COUNT, 1e3},
	{"M", DIMENSION_COUNT, 1e6},
	{"G", DIMENSION_COUNT, 1e9},
};

gboolean magnitude_parse(const char *text, Magnitude *ret_magnitude)
{
	char *end;

	/* g_ascii_strtod() accepts "inf", "nan", "0x1" and leading blanks. */
	gsize sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
	if (!g_ascii_isdigit(text[sign]) || strpbrk(text, "xX"))
		return FALSE;
	gdouble number = g_ascii_strtod(text, &end);
	if (!isfinite(number))
		return FALSE;
	while (*end == ' ')
		end++;
	if (*end == '\0') {
		*ret_magnitude = (Magnitude){number, FALSE, DIMENSION_NONE};
		return TRUE;
	}
	for (guint i = 0; i < G_N_ELEMENTS(suffixes); i++) {
		const struct suffix *suffix = &suffixes[i];

		if (strcmp(end, suffix->text) != 0)
			continue;
		*ret_magnitude = (Magnitude){number * suffix->base, TRUE, suffix->dimension};
		return isfinite(ret_magnitude->number);
	}
	return FALSE;
}

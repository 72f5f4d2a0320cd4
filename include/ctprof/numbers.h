/* SPDX-License-Identifier: 0BSD */
/*
 * Short numbers, as on the first screen: three digits and a unit of one or two
 * letters, such as "0.36", "16.7k", "34.1M" or "1.04ms".  Shared, so that ctprof's
 * sentences and a sink's columns spell a number the same way.
 */
#ifndef CTPROF_NUMBERS_H
#define CTPROF_NUMBERS_H

#include "report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size of a buffer for any such number, with its NUL. */
#define CTPROF_SHORT_ROOM 32

/* Each unit is base times the one before it; NULL ends the list. */
struct ctprof_short_ladder {
	uint32_t ladder; /* enum ctprof_ladder */
	double base;
	const char *units[6];
};

/* Writes digits, with a decimal point before the last n, and then the unit. */
static inline void ctprof_short_write(char *text, int is_negative, uint64_t digits, int n,
				      const char *unit)
{
	char reversed[CTPROF_SHORT_ROOM];
	int length = 0;

	for (int i = 0; i <= n || digits > 0; i++) {
		if (i == n && n > 0)
			reversed[length++] = '.';
		reversed[length++] = (char)('0' + digits % 10);
		digits /= 10;
	}
	if (is_negative)
		*text++ = '-';
	while (length > 0)
		*text++ = reversed[--length];
	while (*unit)
		*text++ = *unit++;
	*text = '\0';
}

/*
 * Writes value, in the first unit of the ladder, to ret_text: two decimals below
 * 10, one below 100, otherwise none; none for whole numbers in the first unit
 * either.  The decimal point does not depend on the locale.  Seconds are the
 * largest unit of time.  A ladder without units (NONE, RATIO, unknown ones) gives
 * only the digits.  Writes "-" if value is not a number, infinite, or 1e18 or
 * more.
 */
static inline void ctprof_number_short(uint32_t ladder, double value,
				       char ret_text[CTPROF_SHORT_ROOM])
{
	static const struct ctprof_short_ladder ladders[] = {
		{CTPROF_LADDER_UNITLESS, 1e3, {"", "k", "M", "G", "T", NULL}},
		{CTPROF_LADDER_NS, 1e3, {"ns", "\xc2\xb5s", "ms", "s", NULL, NULL}},
		{CTPROF_LADDER_US, 1e3, {"\xc2\xb5s", "ms", "s", NULL, NULL, NULL}},
		{CTPROF_LADDER_BYTES, 1024, {"B", "K", "M", "G", "T", NULL}},
		{CTPROF_LADDER_NONE, 1, {"", NULL, NULL, NULL, NULL, NULL}},
	};
	static const unsigned int powers[] = {1, 10, 100};
	const unsigned int last = sizeof ladders / sizeof ladders[0] - 1;
	double magnitude = value < 0 ? -value : value;
	unsigned int at = 0, unit = 0;

	/* NAN, or more than the digits below can hold. */
	if (!(magnitude < 1e18)) {
		ret_text[0] = '-';
		ret_text[1] = '\0';
		return;
	}
	while (at < last && ladders[at].ladder != ladder)
		at++;
	while (ladders[at].units[unit + 1] && magnitude >= 999.5) {
		magnitude /= ladders[at].base;
		unit++;
	}
	int n = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
	uint64_t digits = (uint64_t)(magnitude * powers[n] + 0.5);
	/* Whole numbers in the lowest unit need no decimals: 7B, 0. */
	if (unit == 0 && digits % powers[n] == 0 && magnitude * powers[n] >= (double)digits &&
	    magnitude * powers[n] <= (double)digits) {
		digits /= powers[n];
		n = 0;
	}
	ctprof_short_write(ret_text, value < 0 && digits > 0, digits, n, ladders[at].units[unit]);
}

#ifdef __cplusplus
}
#endif

#endif /* CTPROF_NUMBERS_H */

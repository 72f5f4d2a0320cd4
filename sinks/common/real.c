/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces the locale's separator, which may be several bytes, with '.'. */
static void make_plain(char *text)
{
	static const char own[] = "+-0123456789eE";
	char *from = text + strspn(text, own);
	size_t n = strcspn(from, own);

	if (n == 0)
		return;
	*from = '.';
	memmove(from + 1, from + n, strlen(from + n) + 1);
}

void real_shortest(double value, char ret_text[REAL_ROOM])
{
	ret_text[0] = '\0';
	if (!isfinite(value))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(ret_text, REAL_ROOM, "%.*g", digits, value);
		double back = strtod(ret_text, NULL);
		if (memcmp(&back, &value, sizeof back) == 0)
			break;
	}
	make_plain(ret_text);
}

void real_rank(double value, char ret_text[REAL_ROOM])
{
	if (!isfinite(value)) {
		snprintf(ret_text, REAL_ROOM, "%s",
			 isnan(value) ? ""
			 : value > 0  ? "Infinity"
				      : "-Infinity");
		return;
	}
	/* Avoid "-0". */
	snprintf(ret_text, REAL_ROOM, "%.*g", floor(value) == value ? 17 : 9,
		 value == 0 ? 0 : value);
	make_plain(ret_text);
}

void real_fixed(double value, int decimals, bool is_signed, char ret_text[REAL_ROOM])
{
	snprintf(ret_text, REAL_ROOM, is_signed ? "%+.*f" : "%.*f", decimals, value);
	make_plain(ret_text);
}

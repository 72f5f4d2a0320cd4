/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nearest.h"

#include <string.h>

#define MAX_LENGTH 64
/* Letters per typing error. */
#define LETTERS_A_SLIP 3

/* Letters to insert, drop, replace or swap with their neighbour. */
static guint count_slips(const char *a, const char *b)
{
	guint before[MAX_LENGTH + 1], last[MAX_LENGTH + 1], now[MAX_LENGTH + 1];
	gsize n = strlen(b);

	for (gsize j = 0; j <= n; j++)
		last[j] = (guint)j;
	for (gsize i = 1; a[i - 1]; i++) {
		now[0] = (guint)i;
		for (gsize j = 1; j <= n; j++) {
			char x = g_ascii_tolower(a[i - 1]), y = g_ascii_tolower(b[j - 1]);

			now[j] = MIN(last[j - 1] + (x != y), MIN(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) &&
			    y == g_ascii_tolower(a[i - 2]))
				now[j] = MIN(now[j], before[j - 2] + 1);
		}
		memcpy(before, last, sizeof before);
		memcpy(last, now, sizeof last);
	}
	return last[n];
}

void nearest_try(Nearest *nearest, const char *word)
{
	gsize length = strlen(nearest->typed);

	if (length > MAX_LENGTH || strlen(word) > MAX_LENGTH)
		return;
	guint distance = count_slips(nearest->typed, word);
	if (distance > (length + LETTERS_A_SLIP - 1) / LETTERS_A_SLIP || distance >= strlen(word) ||
	    (nearest->word && distance >= nearest->distance))
		return;
	nearest->word = word;
	nearest->distance = distance;
}

char *nearest_hint(const Nearest *nearest, const char *before)
{
	return nearest->word ? g_strdup_printf(": did you mean %s%s?", before, nearest->word)
			     : g_strdup("");
}

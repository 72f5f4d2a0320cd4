/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "nearest.h"

#include <string.h>

#define MAX_LENGTH 64
/* The number of letters for which one typing error is tolerated. */
#define LETTERS_A_SLIP 3
/* Distance of a word that contains the whole typed word: between one error and
 * two. */
#define CONTAINED 2

/* Words of other programs, and the words of ctprof that mean the same. */
static const struct {
	const char *typed, *word;
} meant[] = {{"diff", "compare"}, {"ps", "top"},     {"procs", "top"}, {"procs", "processes"},
	     {"pid", "process"},  {"tid", "thread"}, {"uid", "user"}};

static gboolean is_meant(const char *typed, const char *word)
{
	for (guint i = 0; i < G_N_ELEMENTS(meant); i++)
		if (g_ascii_strcasecmp(typed, meant[i].typed) == 0 &&
		    strcmp(word, meant[i].word) == 0)
			return TRUE;
	return FALSE;
}

/* Returns the number of letters to insert, delete, replace, or swap with their
 * neighbour, to turn one word into the other. */
static guint edit_distance(const char *a, const char *b)
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

static gboolean contains(const char *word, const char *typed)
{
	g_autofree char *lower = g_ascii_strdown(typed, -1);

	return strlen(typed) >= LETTERS_A_SLIP && strstr(word, lower);
}

/* Returns how far word is from typed; G_MAXUINT if they are not similar. */
static guint distance_to(const char *typed, const char *word)
{
	gsize length = strlen(typed);

	if (length > MAX_LENGTH || strlen(word) > MAX_LENGTH)
		return G_MAXUINT;
	guint slips = edit_distance(typed, word);
	if (slips <= 1 && slips < strlen(word))
		return slips;
	if (contains(word, typed))
		return CONTAINED;
	return slips <= (length + LETTERS_A_SLIP - 1) / LETTERS_A_SLIP && slips < strlen(word)
		       ? CONTAINED + slips
		       : G_MAXUINT;
}

void nearest_try(Nearest *nearest, const char *word)
{
	guint distance = is_meant(nearest->typed, word) ? 0 : distance_to(nearest->typed, word);

	if (nearest->known)
		g_string_append_printf(nearest->known, "%s%s", nearest->known->len ? ", " : "",
				       word);
	if (distance == G_MAXUINT || (nearest->n > 0 && distance > nearest->distance))
		return;
	if (nearest->n > 0 && distance < nearest->distance)
		nearest->n = 0;
	for (guint i = 0; i < nearest->n; i++)
		if (strcmp(nearest->words[i], word) == 0)
			return;
	if (nearest->n < NEAREST_MAX)
		nearest->words[nearest->n++] = word;
	nearest->distance = distance;
}

char *nearest_hint(const Nearest *nearest, const char *before)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < nearest->n; i++)
		g_string_append_printf(text, "%s%s%s",
				       i == 0               ? ": did you mean "
				       : i + 1 < nearest->n ? ", "
							    : " or ",
				       before, nearest->words[i]);
	if (nearest->n > 0)
		g_string_append_c(text, '?');
	return g_string_free(text, FALSE);
}

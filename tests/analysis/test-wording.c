/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests sentences as sinks write them (ctprof/sentence.h). */
#include <glib.h>
#include <string.h>

#include "ctprof/sentence.h"

#define MIB (1024.0 * 1024)

static char *words_of(const struct ctprof_sentence *sentence, guint64 width)
{
	const struct ctprof_wording how = {.width = width};
	char text[512];

	g_assert_cmpuint(ctprof_sentence_write(sentence, &how, text, sizeof text), ==,
			 strlen(text));
	return g_strdup(text);
}

#define TERM(form_, ...)                                                                           \
	{                                                                                          \
		.struct_size = sizeof(struct ctprof_term), .form = CTPROF_TERM_##form_,            \
		__VA_ARGS__                                                                        \
	}

/* Names, times and numbers are written, and parts are dropped if there is no room. */
static void test_wording(void)
{
	static const struct ctprof_term terms[] = {
		TERM(LABEL, .text = "CPU"),
		TERM(NAME, .text = "a-name-of-thirty-characters-{}"),
		TERM(SHORT, .number = 1234, .ladder = CTPROF_LADDER_BYTES),
		TERM(PADDED, .number = 7),
		TERM(GIB, .number = 3.8 * 1024 * MIB),
		TERM(TIME_ZONE, .number = 86400 + 3661),
	};
	static const struct ctprof_piece pieces[] = {
		{sizeof pieces[0], 0, "{}{} has {}", 3, terms},
		{sizeof pieces[0], CTPROF_PIECE_APART, "{} % of {} GiB", 2, terms + 3},
		{sizeof pieces[0], 0, ", worst at {}", 1, terms + 5},
	};
	static const struct ctprof_sentence sentence = {sizeof sentence, CTPROF_SENTENCE_FINDING, 3,
							pieces};
	static const struct {
		guint64 width;
		const char *text;
	} widths[] = {
		{0, "CPU     a-name-of-thirty-characters-{} has 1.21K     7 % of 3.8 GiB, worst at "
		    "01:01:01 UTC"},
		{200, "CPU     a-name-of-th…aracters-{} has 1.21K     7 % of 3.8 GiB, worst at "
		      "01:01:01 UTC"},
		{70, "CPU     a-name-of-th…aracters-{} has 1.21K     7 % of 3.8 GiB"},
		{50, "CPU     a-name-of-th…aracters-{} has 1.21K"},
		{1, "CPU     a-name-of-th…aracters-{} has 1.21K"},
	};
	const struct ctprof_wording all = {.width = 0};
	char few[4];

	for (guint i = 0; i < G_N_ELEMENTS(widths); i++) {
		g_autofree char *text = words_of(&sentence, widths[i].width);

		g_assert_cmpstr(text, ==, widths[i].text);
	}
	g_assert_cmpuint(ctprof_sentence_write(&sentence, &all, few, sizeof few), ==,
			 strlen(widths[0].text));
	g_assert_cmpstr(few, ==, "CPU");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/wording/names, times, numbers and what lacks room", test_wording);
	return g_test_run();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/nearest.h"

/* The words to suggest from; word below is the one expected, or NULL for no suggestion. */
static const char *const words[] = {"auto", "always", "never", "smaps", "smaps-timeout", "pid"};

static const struct {
	const char *typed, *word;
} cases[] = {
	{"Never", "never"},
	{"nevre", "never"},
	{"smpas", "smaps"},
	{"alway", "always"},
	{"allways", "always"},
	{"smaps-timout", "smaps-timeout"},
	{"nothing", NULL},
	{"", NULL},
	{"x", NULL},
	{"di", NULL},
	{"pdi", "pid"},
	{"smaps-t", "smaps-timeout"},
	{"timeout", "smaps-timeout"},
	{"MEOUT", "smaps-timeout"},
};

static void test_words(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		Nearest nearest = {.typed = cases[i].typed};

		for (guint w = 0; w < G_N_ELEMENTS(words); w++)
			nearest_try(&nearest, words[w]);
		g_test_message("%s", cases[i].typed);
		g_assert_cmpuint(nearest.n, ==, cases[i].word ? 1 : 0);
		if (cases[i].word)
			g_assert_cmpstr(nearest.words[0], ==, cases[i].word);
	}
}

static void test_long(void)
{
	g_autofree char *typed = g_strnfill(100000, 'a');
	Nearest nearest = {.typed = typed};

	nearest_try(&nearest, "a");
	g_assert_cmpuint(nearest.n, ==, 0);
}

static void test_hint(void)
{
	Nearest near = {.typed = "smpas"}, far = {.typed = "nothing"};

	nearest_try(&near, "smaps");
	nearest_try(&far, "smaps");
	g_autofree char *hint = nearest_hint(&near, "--");
	g_autofree char *none = nearest_hint(&far, "--");
	g_assert_cmpstr(hint, ==, ": did you mean --smaps?");
	g_assert_cmpstr(none, ==, "");
	/* Up to three equally near words are offered, each once; fewer errors come first. */
	static const char *const delays[] = {"irq_delay", "cpu_delay", "cpu_delay", "blkio_delay",
					     "swapin_delay"};
	Nearest many = {.typed = "delay"};
	for (guint i = 0; i < G_N_ELEMENTS(delays); i++)
		nearest_try(&many, delays[i]);
	g_autofree char *three = nearest_hint(&many, "");
	g_assert_cmpstr(three, ==, ": did you mean irq_delay, cpu_delay or blkio_delay?");
	nearest_try(&many, "dealy");
	g_autofree char *one = nearest_hint(&many, "");
	g_assert_cmpstr(one, ==, ": did you mean dealy?");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/nearest/words", test_words);
	g_test_add_func("/nearest/long", test_long);
	g_test_add_func("/nearest/hint", test_hint);
	return g_test_run();
}

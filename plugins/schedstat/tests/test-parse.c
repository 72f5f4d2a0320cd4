/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <glib.h>
#include <string.h>

#include "../parse.h"

#define COLUMNS_8 "1 2 3 4 5 6 7 8 "
#define COLUMNS_8_B "11 12 13 14 15 16 17 18 "
#define COLUMNS_8_C "21 22 23 24 25 26 27 28 "
#define COLUMNS_11 "1 2 3 4 5 6 7 8 9 10 11 "
#define COLUMNS_11_B "21 22 23 24 25 26 27 28 29 30 31 "
#define COLUMNS_11_C "41 42 43 44 45 46 47 48 49 50 51 "
#define LAST "61 62 63 64 65 66 67 68 69 70 71 72"

/* The values of a balance, in the order of the metrics. */
#define OLD "1 2 3 4 - - - - 5 6 7 8 "
#define OLD_B "11 12 13 14 - - - - 15 16 17 18 "
#define OLD_C "21 22 23 24 - - - - 25 26 27 28 "
#define NEW "1 2 3 - 4 5 6 7 8 9 10 11 "
#define NEW_B "21 22 23 - 24 25 26 27 28 29 30 31 "
#define NEW_C "41 42 43 - 44 45 46 47 48 49 50 51 "
#define LAST_VALUES "61 62 63 70 71"
#define CPU_INVALID "? ? ? ? ? ? ? ?"

static void append_value(GString *out, const struct slots_value *value)
{
	if (value->why == CTPROF_PRESENT)
		g_string_append_printf(out, " %" G_GUINT64_FORMAT, value->number);
	else
		g_string_append(out, value->why == CTPROF_ABSENT_INVALID ? " ?" : " -");
}

/* Returns all rows: names, then values in the order of the metrics, '-' unsupported, '?' invalid;
 * rows are separated by ';'.  NULL: no version. */
static char *rows_text(const char *text)
{
	struct schedstat_rows rows;
	struct schedstat_row row;

	if (!schedstat_begin((struct text){text, strlen(text)}, &rows))
		return NULL;
	GString *out = g_string_new(NULL);
	while (schedstat_take(&rows, &row)) {
		if (out->len > 0)
			g_string_append(out, "; ");
		g_string_append_len(out, row.cpu.p, (gssize)row.cpu.len);
		if (row.domain.len > 0)
			g_string_append_printf(out, " %.*s %.*s %.*s", (int)row.domain.len,
					       row.domain.p, (int)row.level.len, row.level.p,
					       (int)row.mask.len, row.mask.p);
		for (guint i = 0; i < row.n; i++)
			append_value(out, &row.values[i]);
	}
	return g_string_free(out, FALSE);
}

static const struct {
	const char *text, *rows;
} cases[] = {
	/* Until version 15 the balances of idle CPUs come first, then those of busy ones. */
	{"version 15\ntimestamp 4294896193\ncpu0 1 0 2 3 4 5 6 7 8\n"
	 "domain0 3 " COLUMNS_8 COLUMNS_8_B COLUMNS_8_C LAST "\n",
	 "cpu0 1 2 3 4 5 6 7 8; cpu0 domain0 domain0 3 " OLD_B OLD OLD_C LAST_VALUES},
	{"version 16\ncpu0 1 0 2 3 4 5 6 7 8\n"
	 "domain0 3 " COLUMNS_8 COLUMNS_8_B COLUMNS_8_C LAST "\ncpu1 9 0 8 7 6 5 4 3 2\n",
	 "cpu0 1 2 3 4 5 6 7 8; cpu0 domain0 domain0 3 " OLD OLD_B OLD_C LAST_VALUES
	 "; cpu1 9 8 7 6 5 4 3 2"},
	{"version 17\ncpu7 1 0 2 3 4 5 6 7 8\n"
	 "domain0 SMT 80000000,00000001 " COLUMNS_11 COLUMNS_11_B COLUMNS_11_C LAST "\n"
	 "domain1 MC ff " COLUMNS_11 COLUMNS_11_B COLUMNS_11_C LAST "\n",
	 "cpu7 1 2 3 4 5 6 7 8; cpu7 domain0 SMT 80000000,00000001 " NEW NEW_B NEW_C LAST_VALUES
	 "; cpu7 domain1 MC ff " NEW NEW_B NEW_C LAST_VALUES},
	/* The columns of another version; one column too few; one too many. */
	{"version 16\ncpu0 1 0 2 3 4 5 6 7\ncpu1 1 0 2 3 4 5 6 7 8 9\ncpu2\n",
	 "cpu0 " CPU_INVALID "; cpu1 " CPU_INVALID "; cpu2 " CPU_INVALID},
	/* A text that is not a number, and a number that is too large. */
	{"version 17\ncpu0 x 0 -1 18446744073709551615 18446744073709551616 0x5 6. 7 8\n",
	 "cpu0 ? ? 18446744073709551615 ? ? ? 7 8"},
	/* Other lines, and a domain without a CPU. */
	{"version 17\ndomain0 MC 3 1 2\ncpux 1\ncpu 1\ndomain 3\n\n\x01\xff\nfuture 1 2 3\n", ""},
	{"version 17\n", ""},
	{"version\n", NULL},
	{"version x\n", NULL},
	{"version 4294967296\n", NULL},
	{"cpu0 1 0 2 3 4 5 6 7 8\nversion 15\n", NULL},
	{"", NULL},
};

static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ' ' || (from[1] != ' ' && from[1] != ';' && from[1] != '\0'))
			*to++ = *from;
	*to = '\0';
}

static void test_rows(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *rows = rows_text(cases[i].text);
		g_autofree char *expected = g_strdup(cases[i].rows);

		if (expected)
			squeeze(expected);
		g_assert_cmpstr(rows, ==, expected);
	}
}

/* A domain line of another version has other columns, none of which is trusted. */
static void test_other_version(void)
{
	static const char *const texts[] = {
		"version 17\ncpu0 1\ndomain0 MC 3 " COLUMNS_8 COLUMNS_8_B COLUMNS_8_C LAST "\n",
		"version 16\ncpu0 1\ndomain0 3 " COLUMNS_11 COLUMNS_11_B COLUMNS_11_C LAST "\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		struct schedstat_rows rows;
		struct schedstat_row row = {.n = 0};

		g_assert_true(schedstat_begin(text_of(texts[i]), &rows));
		g_assert_true(schedstat_take(&rows, &row));
		g_assert_true(schedstat_take(&rows, &row));
		g_assert_cmpuint(row.n, ==, N_DOMAIN_VALUES);
		for (guint v = 0; v < row.n; v++)
			g_assert_cmpuint(row.values[v].why, ==, CTPROF_ABSENT_INVALID);
	}
}

static void test_mask(void)
{
	static const struct {
		const char *mask, *cpus;
	} masks[] = {
		{"3", "0 1"},
		{"00000001", "0"},
		{"80000000,00000001", "0 63"},
		{"1,00000000,00000000", "64"},
		{"a5", "0 2 5 7"},
		{"1ff", ""}, /* more than the array has room for */
		{"0", ""},
		{"", ""},
		{"3g", ""},
		{"A", ""},
		{"-1", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(masks); i++) {
		g_autoptr(GString) text = g_string_new(NULL);
		uint32_t cpus[8];
		gsize n = schedstat_mask(text_of(masks[i].mask), cpus, G_N_ELEMENTS(cpus));

		for (gsize c = 0; c < n; c++)
			g_string_append_printf(text, "%s%u", c ? " " : "", cpus[c]);
		g_assert_cmpstr(text->str, ==, masks[i].cpus);
	}
}

static void test_add(void)
{
	static const struct slots_value five = {5, CTPROF_PRESENT},
					none = {0, CTPROF_ABSENT_UNSUPPORTED},
					most = {G_MAXUINT64, CTPROF_PRESENT};
	struct slots_value sum = {0, CTPROF_PRESENT};

	schedstat_add(&sum, &five);
	schedstat_add(&sum, &five);
	g_assert_cmpuint(sum.number, ==, 10);
	schedstat_add(&sum, &none);
	schedstat_add(&sum, &five);
	g_assert_cmpuint(sum.why, ==, CTPROF_ABSENT_UNSUPPORTED);
	sum = five;
	schedstat_add(&sum, &most);
	g_assert_cmpuint(sum.why, ==, CTPROF_ABSENT_INVALID);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/schedstat/parse/rows", test_rows);
	g_test_add_func("/schedstat/parse/other-version", test_other_version);
	g_test_add_func("/schedstat/parse/mask", test_mask);
	g_test_add_func("/schedstat/parse/add", test_add);
	return g_test_run();
}

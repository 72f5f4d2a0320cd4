/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "psi-parse.h"
#include "tests/harvest.h"

#define TWO_LINES                                                                                  \
	"some avg10=0.25 avg60=1.50 avg300=2.00 total=11\n"                                        \
	"full avg10=0.01 avg60=0.02 avg300=0.03 total=7\n"

/* Returns the values in the order of the metrics; '-' unsupported, '?' invalid. */
static char *pressure_text(const char *text)
{
	struct slots_value p[PSI_VALUES];
	GString *out = g_string_new(NULL);

	psi_parse_pressure(text, strlen(text), p);
	for (guint i = 0; i < PSI_VALUES; i++) {
		if (i)
			g_string_append_c(out, ' ');
		if (p[i].why == CTPROF_PRESENT)
			g_string_append_printf(out, "%" G_GUINT64_FORMAT, p[i].number);
		else
			g_string_append_c(out, p[i].why == CTPROF_ABSENT_INVALID ? '?' : '-');
	}
	return g_string_free(out, FALSE);
}

static void test_parse(void)
{
	static const struct {
		const char *text, *values;
	} cases[] = {
		{"some avg10=18.59 avg60=24.31 avg300=20.49 total=78097519837\n",
		 "1859 2431 2049 78097519837 - - - -"},
		{TWO_LINES, "25 150 200 11 1 2 3 7"},
		/* irq has no "some" line: these values were not measured, so they are not 0. */
		{"full avg10=1.09 avg60=1.08 avg300=1.46 total=5\n", "- - - - 109 108 146 5"},
		/* An invalid number affects only its own value; unknown keys are ignored. */
		{"some avg10=NaN avg60=0.00 avg300=1 total=abc new=3\n", "? 0 100 ? - - - -"},
		{"some avg10=0 avg60=42 avg300=1.5 total=0\n", "0 4200 150 0 - - - -"},
		{"some avg10=0.7 avg60=0.50 avg300=1.501\n", "70 50 150 - - - - -"},
		{"some avg10=3. avg60=100.00 avg300=100.99\n", "300 10000 10099 - - - - -"},
		{"some avg10=- avg60=999.99 avg300=.5\n", "? 65535 ? - - - - -"},
		{"some avg10=1.+5 avg60=-1.00 avg300=1.-5\n", "? ? ? - - - - -"},
		{"some avg10=99999999999.00 total=18446744073709551616\n", "? - - ? - - - -"},
		{"some total=18446744073709551615", "- - - 18446744073709551615 - - - -"},
		{"some avg10 total\n", "- - - - - - - -"},
		{"", "? ? ? ? ? ? ? ?"},
		{"\n\nhalf avg10=1.00\n", "? ? ? ? ? ? ? ?"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *values = pressure_text(cases[i].text);

		g_assert_cmpstr(values, ==, cases[i].values);
	}
}

static void test_recorded(void)
{
	g_autofree char *root = fixture_path("7.2.13+deb14-amd64-scx");

	if (!root)
		return;
	g_autofree char *proc = g_build_filename(root, "proc", NULL);
	struct field_trip trip = {.proc = proc, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) h = harvest_new(&trip);
	static const char *const values[][2] = {
		{"psi.cpu.some.avg10", "8290"},
		{"psi.cpu.some.avg60", "2601"},
		{"psi.cpu.some.avg300", "604"},
		{"psi.cpu.some.total_usec", "19939705"},
		{"psi.cpu.full.avg10", "0"},
		{"psi.cpu.full.total_usec", "0"},
		{"psi.memory.some.avg10", "661"},
		{"psi.memory.full.avg300", "20"},
		{"psi.memory.full.total_usec", "742166"},
		{"psi.io.some.avg60", "331"},
		{"psi.io.full.total_usec", "21635"},
		{"psi.irq.some.avg10", "!10"},
		{"psi.irq.full.total_usec", "!10"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(values); i++)
		g_assert_cmpstr(harvest_value(h, values[i][0]), ==, values[i][1]);
}

static void write_four(const Tree *tree)
{
	tree_write(tree, "pressure/cpu", TWO_LINES);
	tree_write(tree, "pressure/memory", TWO_LINES);
	tree_write(tree, "pressure/io", TWO_LINES);
	tree_write(tree, "pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n");
}

static void test_each_file_alone(void)
{
	static const struct dependence table[] = {
		{"pressure/cpu", "psi.cpu.*"},
		{"pressure/memory", "psi.memory.*"},
		{"pressure/io", "psi.io.*"},
		{"pressure/irq", "psi.irq.*"},
	};
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};

	write_four(tree);
	check_dependences(tree, &trip, table, G_N_ELEMENTS(table), "");
}

static void test_unwanted_not_read(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {
		.proc = tree, .scope = CTPROF_SCOPE_HOST, .want = "psi.io.full.avg10"};

	write_four(tree);
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_assert_cmpstr(harvest_value(h, "psi.io.full.avg10"), ==, "1");
	g_assert_cmpuint(fake_host_opens(h->fake, "pressure/memory"), ==, 0);
	g_assert_cmpuint(fake_host_opens(h->fake, "pressure/irq"), ==, 0);
}

/* Without PSI the source reports that and is left out; doctor gives the remedy. */
static void test_off(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) off = harvest_new(&trip);
	g_autofree char *fails = harvest_findings(&trip);

	g_assert_cmpint(off->started, ==, -EOPNOTSUPP);
	g_assert_nonnull(strstr(off->error, "psi=1"));
	g_assert_true(g_str_has_prefix(fails, "psi 30 "));
	g_assert_nonnull(strstr(fails, "CONFIG_PSI"));
	write_four(tree);
	g_autofree char *works = harvest_findings(&trip);
	g_assert_cmpstr(works, ==, "psi 10 |\n");
	tree_write(tree, "pressure/cpu", "some avg10=1.00 avg60=1.00 avg300=1.00 total=1\n");
	g_autofree char *no_full = harvest_findings(&trip);
	g_assert_true(g_str_has_prefix(no_full, "psi 20 psi.cpu.full is absent"));
	write_four(tree);
	tree_write(tree, "pressure/irq", NULL);
	g_autofree char *partly = harvest_findings(&trip);
	g_assert_true(g_str_has_prefix(partly, "psi 20 "));
	g_assert_nonnull(strstr(partly, "CONFIG_IRQ_TIME_ACCOUNTING"));
}

static void test_garbage(void)
{
	g_autoptr(Tree) tree = tree_new();
	struct field_trip trip = {.proc = tree, .scope = CTPROF_SCOPE_HOST};
	g_autofree char *huge = g_strnfill(100000, 'x');

	write_four(tree);
	tree_write(tree, "pressure/cpu", "\x01\xff=\n=\n");
	tree_write(tree, "pressure/io", huge);
	g_autoptr(Harvest) h = harvest_new(&trip);
	g_assert_cmpstr(harvest_value(h, "psi.cpu.some.avg10"), ==, "!50");
	g_assert_cmpstr(harvest_value(h, "psi.io.full.total_usec"), ==, "!50");
	g_assert_cmpstr(harvest_value(h, "psi.memory.some.total_usec"), ==, "11");
}

/* Totals only grow, so the second reading must not be less than the first. */
static void test_live(void)
{
	struct field_trip trip = {.proc = "/proc", .live = TRUE, .scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) first = harvest_new(&trip);

	if (first->started != 0) {
		g_test_skip(first->error);
		return;
	}
	g_autoptr(Harvest) second = harvest_new(&trip);
	const char *before = harvest_value(first, "psi.cpu.some.total_usec");
	const char *after = harvest_value(second, "psi.cpu.some.total_usec");
	g_assert_true(g_ascii_isdigit(before[0]));
	g_assert_cmpuint(g_ascii_strtoull(after, NULL, 10), >=, g_ascii_strtoull(before, NULL, 10));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/psi/parse", test_parse);
	g_test_add_func("/psi/recorded", test_recorded);
	g_test_add_func("/psi/each-file-alone", test_each_file_alone);
	g_test_add_func("/psi/unwanted-not-read", test_unwanted_not_read);
	g_test_add_func("/psi/off", test_off);
	g_test_add_func("/psi/garbage", test_garbage);
	g_test_add_func("/psi/live", test_live);
	g_test_add_func("/psi/readme", check_readme);
	return g_test_run();
}

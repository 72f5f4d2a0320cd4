/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that no name can break a line of CSV. */
#include "drawn.h"

/* Returns what the sink writes for one metric of one group. */
static char *draw_cell(const char *group, const struct ctprof_cell *cell)
{
	const struct ctprof_report_field field = {
		.struct_size = sizeof field, .name = "m", .unit = "ns"};
	const struct ctprof_report_line line = {
		.struct_size = sizeof line,
		.n_names = 1,
		.names = {group},
		.threads = {1, 2},
		.n_cells = 1,
		.cells = cell,
	};
	const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.flags = CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG,
		.name = "primary",
		.heading = "Primary",
		.n_fields = 1,
		.fields = &field,
		.n_lines = 1,
		.lines = &line,
	};
	const struct ctprof_report report = {
		.struct_size = sizeof report,
		.flags = CTPROF_REPORT_COMPARE,
		.n_sections = 1,
		.sections = &section,
	};

	return drawn_report(&report);
}

static const struct ctprof_cell empty = {.struct_size = sizeof empty};

static void test_names(void)
{
	static const struct {
		const char *name, *field;
	} cases[] = {
		{"worker", "worker"},
		{"a,b", "\"a,b\""},
		{"say \"hi\"", "\"say \"\"hi\"\"\""},
		{"=1+1", "'=1+1"},
		{"+1", "'+1"},
		{"-1", "'-1"},
		{"@SUM(A1)", "'@SUM(A1)"},
		{"=a,\"b\"", "\"'=a,\"\"b\"\"\""},
		{"x;=1+1", "\"x;=1+1\""},
		{"\xef\xbc\x9d"
		 "1",
		 "'\xef\xbc\x9d"
		 "1"},
		{"\xef\xbc\xa1", "\xef\xbc\xa1"},
		{"\t=1", "\\x09=1"},
		{"a\r\nb", "a\\x0d\\x0ab"},
		{"\xff", "\\xff"},
		{"a\xe2\x80\xae", "a\\xe2\\x80\\xae"},
		{"日本", "日本"},
		{"", ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *line = draw_cell(cases[i].name, &empty);
		g_autofree char *expected = g_strdup_printf(
			"primary,Primary,%s,,,m,ns,1,2,,,,,,,,\r\n", cases[i].field);

		g_assert_cmpstr(line, ==, expected);
	}
}

/* The empty fields when there is no delta, pct, or number of rows on either side. */
#define UNCOUNTED ",,,,,,"

static void test_values(void)
{
	static const struct {
		struct ctprof_value value;
		const char *rest; /* the rest of the line, after the value */
	} cases[] = {
		{{.type = CTPROF_VALUE_ABSENT, .number = 7}, "" UNCOUNTED},
		{{.type = CTPROF_VALUE_NUMBER, .number = G_MAXUINT64},
		 "18446744073709551615" UNCOUNTED},
		{{.type = CTPROF_VALUE_REAL, .real = 0.1}, "0.1" UNCOUNTED},
		{{.type = CTPROF_VALUE_REAL, .real = -2e300}, "-2e+300" UNCOUNTED},
		{{.type = CTPROF_VALUE_REAL, .real = 0.0 / 0.0}, "" UNCOUNTED},
		{{.type = CTPROF_VALUE_RANGE, .min = -5, .max = 10}, "-5..10" UNCOUNTED},
		{{.type = CTPROF_VALUE_RANGE, .min = 3, .max = 3}, "3" UNCOUNTED},
		{{.type = CTPROF_VALUE_MODE, .text = "R", .count = 3, .n = 5}, "R (3/5),,,,,5,0"},
		{{.type = CTPROF_VALUE_MODE, .text = "R", .count = 5, .n = 5}, "R,,,,,5,0"},
		{{.type = CTPROF_VALUE_MODE, .text = "=R", .count = 5, .n = 5}, "'=R,,,,,5,0"},
		{{.type = CTPROF_VALUE_CPUS, .min = 5, .max = 5, .text = "0-3,8"},
		 "\"5 cpus (0-3,8)\"" UNCOUNTED},
		{{.type = CTPROF_VALUE_CPUS, .min = 2, .max = 8}, "2-8 cpus (mixed)" UNCOUNTED},
		{{.type = CTPROF_VALUE_UNLIMITED}, "max" UNCOUNTED},
		{{.type = CTPROF_VALUE_NUMBER,
		  .flags = CTPROF_VALUE_PARTIAL,
		  .number = 7,
		  .n = 2,
		  .missing = 1},
		 "7,,,,,2,1"},
		{{.type = CTPROF_VALUE_ABSENT, .missing = 3}, ",,,,,0,3"},
		{{.type = 12345}, "" UNCOUNTED}, /* of a newer host */
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ctprof_cell cell = empty;

		cell.value[1] = cases[i].value;
		g_autofree char *line = draw_cell("g", &cell);
		g_autofree char *expected =
			g_strdup_printf("primary,Primary,g,,,m,ns,1,2,,%s\r\n", cases[i].rest);
		g_assert_cmpstr(line, ==, expected);
	}
}

static void test_no_header(void)
{
	const struct ctprof_report report = {.struct_size = sizeof report};
	g_autofree char *nothing = drawn_report(&report);
	g_autofree char *line = draw_cell("g", &empty);

	g_assert_cmpstr(nothing, ==, "");
	g_assert_cmpstr(line, ==, "primary,Primary,g,,,m,ns,1,2,,,,,,,,\r\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/csv/names cannot leave their field", test_names);
	g_test_add_func("/csv/values are exact, absent ones empty", test_values);
	g_test_add_func("/csv/no header unless wanted", test_no_header);
	return g_test_run();
}

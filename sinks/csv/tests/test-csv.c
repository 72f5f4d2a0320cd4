/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a name can do to a line of CSV: nothing. */
#include "fakehost.h"

#include "ctprof/report.h"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

/* What the sink writes for a report, without its header line. */
static char *draw(const struct ctprof_report *report)
{
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);
	const struct ctprof_sink_ops *ops = ctprof_plugin_entry_v1()->ops;
	void *self;

	g_assert_cmpint(ops->open(fake_host_table(fake), &self), ==, 0);
	g_assert_cmpint(ops->report(self, report), ==, 0);
	ops->close(self);
	const GByteArray *written = fake_host_written(fake);
	return g_strndup(written->len ? (const char *)written->data : "", written->len);
}

static char *draw_row(const struct ctprof_report_row *row)
{
	const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.name = "primary",
		.heading = "Primary",
		.n_rows = 1,
		.rows = row,
	};
	const struct ctprof_report report = {
		.struct_size = sizeof report,
		.flags = CTPROF_REPORT_COMPARE,
		.n_sections = 1,
		.sections = &section,
	};

	return draw(&report);
}

static struct ctprof_report_row new_row(const char *group)
{
	return (struct ctprof_report_row){
		.struct_size = sizeof(struct ctprof_report_row),
		.n_group = 1,
		.group = {group},
		.metric = "m",
		.unit = "ns",
		.threads = {1, 2},
	};
}

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
		{"\t=1", "\\x09=1"},
		{"a\r\nb", "a\\x0d\\x0ab"},
		{"\xff", "\\xff"},
		{"日本", "日本"},
		{"", ""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ctprof_report_row row = new_row(cases[i].name);
		g_autofree char *line = draw_row(&row);
		g_autofree char *expected =
			g_strdup_printf("primary,Primary,%s,,,m,ns,1,2,,,,\r\n", cases[i].field);

		g_assert_cmpstr(line, ==, expected);
	}
}

static void test_values(void)
{
	static const struct {
		struct ctprof_value value;
		const char *field;
	} cases[] = {
		{{.type = CTPROF_VALUE_ABSENT, .number = 7}, ""},
		{{.type = CTPROF_VALUE_NUMBER, .number = G_MAXUINT64}, "18446744073709551615"},
		{{.type = CTPROF_VALUE_REAL, .real = 0.1}, "0.1"},
		{{.type = CTPROF_VALUE_REAL, .real = -2e300}, "-2e+300"},
		{{.type = CTPROF_VALUE_REAL, .real = 0.0 / 0.0}, ""},
		{{.type = CTPROF_VALUE_RANGE, .min = -5, .max = 10}, "-5..10"},
		{{.type = CTPROF_VALUE_RANGE, .min = 3, .max = 3}, "3"},
		{{.type = CTPROF_VALUE_MODE, .text = "R", .count = 3, .total = 5}, "R (3/5)"},
		{{.type = CTPROF_VALUE_MODE, .text = "R", .count = 5, .total = 5}, "R"},
		{{.type = CTPROF_VALUE_MODE, .text = "=R", .count = 5, .total = 5}, "'=R"},
		{{.type = CTPROF_VALUE_CPUS, .min = 5, .max = 5, .text = "0-3,8"},
		 "\"5 cpus (0-3,8)\""},
		{{.type = CTPROF_VALUE_CPUS, .min = 2, .max = 8}, "2-8 cpus (mixed)"},
		{{.type = CTPROF_VALUE_UNLIMITED}, "max"},
		{{.type = 12345}, ""}, /* of a later host */
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ctprof_report_row row = new_row("g");

		row.value[1] = cases[i].value;
		g_autofree char *line = draw_row(&row);
		g_autofree char *expected =
			g_strdup_printf("primary,Primary,g,,,m,ns,1,2,,%s,,\r\n", cases[i].field);
		g_assert_cmpstr(line, ==, expected);
	}
}

static void test_no_header(void)
{
	struct ctprof_report_row row = new_row("g");
	const struct ctprof_report report = {.struct_size = sizeof report};
	g_autofree char *nothing = draw(&report);
	g_autofree char *line = draw_row(&row);

	g_assert_cmpstr(nothing, ==, "");
	g_assert_cmpstr(line, ==, "primary,Primary,g,,,m,ns,1,2,,,,\r\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/csv/names cannot leave their field", test_names);
	g_test_add_func("/csv/values are exact, absent ones empty", test_values);
	g_test_add_func("/csv/no header unless wanted", test_no_header);
	return g_test_run();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that another implementation of JSON reads the same report. */
#include "fakehost.h"

#include <errno.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "ctprof/report.h"

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

static int draw(FakeHost *fake, const struct ctprof_report *report)
{
	const struct ctprof_sink_ops *ops = ctprof_plugin_entry_v1()->ops;
	void *self;

	g_assert_cmpint(ops->open(fake_host_table(fake), &self), ==, 0);
	int result = ops->report(self, report);
	ops->close(self);
	return result;
}

static char *draw_text(const struct ctprof_report *report)
{
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);

	g_assert_cmpint(draw(fake, report), ==, 0);
	const GByteArray *written = fake_host_written(fake);
	return g_strndup((const char *)written->data, written->len);
}

/* Returns a line of one group. */
static struct ctprof_report_line new_line(const char *group, const struct ctprof_cell *cell)
{
	return (struct ctprof_report_line){
		.struct_size = sizeof(struct ctprof_report_line),
		.n_names = 1,
		.names = {group},
		.threads = {1, 2},
		.n_cells = 1,
		.cells = cell,
	};
}

static const struct ctprof_cell nothing = {.struct_size = sizeof nothing};

/* Returns the text of the only row of a report of one metric and line. */
static char *draw_row(const struct ctprof_report_line *line, guint32 flags)
{
	const struct ctprof_report_field field = {
		.struct_size = sizeof field, .name = "run_time_ns", .unit = "ns"};
	const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.flags = CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG,
		.name = "primary",
		.n_fields = 1,
		.fields = &field,
		.n_lines = 1,
		.lines = line,
	};
	const struct ctprof_report report = {
		.struct_size = sizeof report,
		.flags = flags,
		.group_by = "pcomm",
		.files = {"a", "b"},
		.n_sections = 1,
		.sections = &section,
	};
	g_autofree char *text = draw_text(&report);
	g_autoptr(JsonParser) parser = json_parser_new();
	g_autoptr(GError) error = NULL;

	json_parser_load_from_data(parser, text, -1, &error);
	g_assert_no_error(error);
	const char *from = strstr(text, "\"rows\":[\n");
	g_assert_nonnull(from);
	from += strlen("\"rows\":[\n");
	const char *to = strstr(from, "}]}]");
	g_assert_nonnull(to);
	return g_strndup(from, (gsize)(to + 1 - from));
}

static void test_row(void)
{
	const struct ctprof_cell cell = {
		.struct_size = sizeof cell,
		.flags = CTPROF_CELL_HAS_DELTA | CTPROF_CELL_HAS_PCT,
		.value = {{.type = CTPROF_VALUE_NUMBER, .number = 10, .n = 1},
			  {.type = CTPROF_VALUE_NUMBER, .number = G_MAXUINT64, .n = 2}},
		.delta = 0.5,
		.pct = -12.25,
	};
	const struct ctprof_report_line line = new_line("g", &cell);
	g_autofree char *both = draw_row(&line, CTPROF_REPORT_COMPARE);
	g_autofree char *one = draw_row(&line, 0);

	g_assert_cmpstr(both, ==,
			"{\"group\":\"g\",\"metric\":\"run_time_ns\",\"unit\":\"ns\","
			"\"threads\":[1,2],\"baseline\":10,\"candidate\":18446744073709551615,"
			"\"delta\":0.5,\"pct\":-12.25}");
	g_assert_cmpstr(one, ==,
			"{\"group\":\"g\",\"metric\":\"run_time_ns\",\"unit\":\"ns\","
			"\"threads\":[1],\"value\":10}");
}

static void test_values(void)
{
	static const struct {
		struct ctprof_value value;
		const char *json;
	} cases[] = {
		{{.type = CTPROF_VALUE_ABSENT, .number = 7}, "null"},
		{{.type = CTPROF_VALUE_NUMBER}, "0"},
		{{.type = CTPROF_VALUE_REAL, .real = 1.0 / 3}, "0.3333333333333333"},
		{{.type = CTPROF_VALUE_REAL, .real = 1.0 / 0.0}, "null"},
		{{.type = CTPROF_VALUE_RANGE, .min = G_MININT64, .max = G_MAXINT64},
		 "{\"min\":-9223372036854775808,\"max\":9223372036854775807}"},
		{{.type = CTPROF_VALUE_MODE, .text = "a\"b", .count = 3, .n = 5},
		 "{\"mode\":\"a\\\"b\",\"count\":3,\"total\":5}"},
		{{.type = CTPROF_VALUE_CPUS, .min = 2, .max = 8},
		 "{\"cpus_min\":2,\"cpus_max\":8,\"list\":null}"},
		{{.type = CTPROF_VALUE_CPUS, .min = 4, .max = 4, .text = "0-3"},
		 "{\"cpus_min\":4,\"cpus_max\":4,\"list\":\"0-3\"}"},
		{{.type = CTPROF_VALUE_UNLIMITED}, "\"max\""},
		{{.type = CTPROF_VALUE_TEXT, .text = "enabled"}, "\"enabled\""},
		{{.type = 12345}, "null"}, /* of a newer host */
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ctprof_cell cell = nothing;
		const struct ctprof_report_line line = new_line("g", &cell);

		cell.value[0] = cases[i].value;
		g_autofree char *text = draw_row(&line, 0);
		g_autofree char *expected = g_strdup_printf("\"value\":%s}", cases[i].json);
		g_assert_true(g_str_has_suffix(text, expected));
	}
}

/* Coverage is written only if something is missing. */
static void test_coverage(void)
{
	static const struct {
		struct ctprof_cell cell;
		const char *one, *both; /* the end of the row, in show and in compare */
	} cases[] = {
		{{.value = {{.n = 3}, {.n = 4}}}, "\"value\":null}", "\"pct\":null}"},
		{{.value = {{.n = 3}, {.n = 4, .missing = 1, .why = CTPROF_ABSENT_VANISHED}}},
		 "\"value\":null}",
		 "\"n\":[3,4],\"missing\":[0,1],\"why\":\"vanished\"}"},
		{{.value = {{.n = 3, .missing = 2, .why = CTPROF_ABSENT_DENIED},
			    {.n = 4, .missing = 1, .why = CTPROF_ABSENT_VANISHED}}},
		 "\"n\":3,\"missing\":2,\"why\":\"denied\"}",
		 "\"n\":[3,4],\"missing\":[2,1],\"why\":\"denied\"}"},
		/* Partial although nothing is missing; a reason that only a newer host knows. */
		{{.value = {{.flags = CTPROF_VALUE_PARTIAL}}},
		 "\"n\":0,\"missing\":0}",
		 "\"n\":[0,0],\"missing\":[0,0]}"},
		{{.value = {{.missing = 1, .why = 12345}}},
		 "\"n\":0,\"missing\":1}",
		 "\"n\":[0,0],\"missing\":[1,0]}"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct ctprof_report_line line = new_line("g", &cases[i].cell);
		g_autofree char *one = draw_row(&line, 0);
		g_autofree char *both = draw_row(&line, CTPROF_REPORT_COMPARE);

		g_assert_true(g_str_has_suffix(one, cases[i].one));
		g_assert_true(g_str_has_suffix(both, cases[i].both));
	}
}

static void test_groups(void)
{
	static const struct {
		guint32 n;
		const char *parts[3];
		const char *json;
	} cases[] = {
		{1, {"a\x1b"}, "{\"group\":\"a\\u001b\",\"metric\""},
		{1, {"\xff"}, "{\"group\":\"\xef\xbf\xbd\",\"group_hex\":\"ff\",\"metric\""},
		{3, {"/a", "b", "c"}, "{\"group\":[\"/a\",\"b\",\"c\"],\"metric\""},
		{2,
		 {"/a", "\xff"},
		 "{\"group\":[\"/a\",\"\xef\xbf\xbd\"],\"group_hex\":[\"2f61\",\"ff\"],\"metric\""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ctprof_report_line line = new_line("", &nothing);

		line.n_names = cases[i].n;
		memcpy(line.names, cases[i].parts, sizeof cases[i].parts);
		g_autofree char *text = draw_row(&line, 0);
		g_assert_true(g_str_has_prefix(text, cases[i].json));
	}
}

static int write_nothing(const struct ctprof_host *host, const void *data, size_t size)
{
	(void)host;
	(void)data;
	(void)size;
	return -ENOSPC;
}

static void test_write_error(void)
{
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);
	const struct ctprof_report report = {.struct_size = sizeof report};

	((struct ctprof_host *)(uintptr_t)fake_host_table(fake))->write = write_nothing;
	g_assert_cmpint(draw(fake, &report), ==, -ENOSPC);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/json/row of compare and of show", test_row);
	g_test_add_func("/json/each type of value", test_values);
	g_test_add_func("/json/what is missing is reported", test_coverage);
	g_test_add_func("/json/any bytes make a group", test_groups);
	g_test_add_func("/json/write error is returned", test_write_error);
	return g_test_run();
}

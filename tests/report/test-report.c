/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests the drawing sinks as ctprof loads them: their output for the samples is in golden/ (BLESS=1
 * rewrites it), and all three show the same numbers.
 */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "plugin/loader.h"
#include "samples.h"

static const char *const sinks[] = {"table", "json", "csv"};

/* Returns the output of ctprof when SINK draws the report. */
static char *draw(const char *sink, const struct ctprof_report *report)
{
	g_autofree char *file = g_strdup_printf("%s/ctprof-%s.so", g_getenv("CTPROF_BUILD"), sink);
	g_autoptr(Registry) registry = registry_new();
	g_autoptr(GHashTable) options = g_hash_table_new(g_str_hash, g_str_equal);
	g_autofree char *folder = g_dir_make_tmp(NULL, NULL);
	g_autofree char *path = g_build_filename(folder, "out", NULL);
	g_autoptr(GError) error = NULL;
	char *text;

	Plugin *plugin = loader_load_file(file, &error);
	g_assert_no_error(error);
	plugin_open(plugin, NULL, registry, options, &error);
	g_assert_no_error(error);
	g_autoptr(Output) output = output_open(path, FALSE, &error);
	g_assert_no_error(error);
	plugin_draw(plugin, output, report, &error);
	g_assert_no_error(error);
	output_commit(output, &error);
	g_assert_no_error(error);
	plugin_free(plugin);
	g_file_get_contents(path, &text, NULL, &error);
	g_assert_no_error(error);
	g_unlink(path);
	g_rmdir(folder);
	return text;
}

static void test_golden(gconstpointer data)
{
	const struct sample *sample = data;

	for (guint i = 0; i < G_N_ELEMENTS(sinks); i++) {
		g_autofree char *name = g_strdup_printf("%s.%s", sample->name, sinks[i]);
		g_autofree char *path = g_test_build_filename(G_TEST_DIST, "golden", name, NULL);
		g_autofree char *text = draw(sinks[i], &sample->report);
		g_autofree char *expected = NULL;

		if (g_getenv("BLESS"))
			g_file_set_contents(path, text, -1, NULL);
		g_file_get_contents(path, &expected, NULL, NULL);
		g_assert_cmpstr(text, ==, expected);
	}
}

/* Only text and line ends may reach a pipe: no NUL, no escape sequence. */
static void test_no_control_bytes(void)
{
	for (guint i = 0; i < n_samples; i++) {
		const struct ctprof_report *report = &samples[i].report;

		for (guint s = 0; s < G_N_ELEMENTS(sinks); s++) {
			g_autofree char *text = draw(sinks[s], report);

			if (report->flags & CTPROF_REPORT_COLOUR && s == 0)
				continue;
			g_assert_true(g_utf8_validate(text, -1, NULL));
			for (const char *p = text; *p; p++)
				g_assert_true((guchar)*p >= ' ' || *p == '\n' || *p == '\r');
		}
	}
}

/* ---- the same numbers ---------------------------------------------------- */

#define N_ROWS 200

static char group_names[N_ROWS][16];
static struct ctprof_cell cells[N_ROWS];
static struct ctprof_report_line lines[N_ROWS];

/* Fills the lines with numbers that the table draws unscaled, too. */
static void make_lines(void)
{
	for (guint i = 0; i < N_ROWS; i++) {
		guint64 a = (guint64)g_test_rand_int_range(0, 1000000);
		guint64 b = i % 10 == 0 ? G_MAXUINT64 - i : a + i;

		g_snprintf(group_names[i], sizeof group_names[i], "g%u", i);
		lines[i] = (struct ctprof_report_line){
			.struct_size = sizeof lines[i],
			.n_names = 1,
			.names = {group_names[i]},
			.threads = {i, i},
			.n_cells = 1,
			.cells = &cells[i],
		};
		cells[i] = (struct ctprof_cell){
			.struct_size = sizeof cells[i],
			.flags = CTPROF_CELL_HAS_DELTA,
			.value = {{.type = i % 7 == 0 ? CTPROF_VALUE_ABSENT : CTPROF_VALUE_NUMBER,
				   .number = a},
				  {.type = CTPROF_VALUE_NUMBER, .number = b}},
			.delta = (double)b - (double)a,
		};
		if (a == 0)
			continue;
		cells[i].flags |= CTPROF_CELL_HAS_PCT;
		cells[i].pct = cells[i].delta / (double)a * 100;
	}
}

static struct ctprof_report make_report(void)
{
	static const guint32 columns[] = {
		CTPROF_COLUMN_GROUP, CTPROF_COLUMN_BASELINE, CTPROF_COLUMN_CANDIDATE,
		CTPROF_COLUMN_DELTA, CTPROF_COLUMN_PCT,
	};
	static const struct ctprof_report_field field = {
		.struct_size = sizeof field, .name = "m", .header = "m", .unit = "count"};
	static const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.flags = CTPROF_SECTION_METRICS | CTPROF_SECTION_LONG,
		.name = "primary",
		.heading = "Primary metrics",
		.n_fields = 1,
		.fields = &field,
		.n_lines = N_ROWS,
		.lines = lines,
	};

	make_lines();
	return (struct ctprof_report){
		.struct_size = sizeof(struct ctprof_report),
		.flags = CTPROF_REPORT_COMPARE,
		.group_by = "pcomm",
		.command = "compare",
		.n_columns = G_N_ELEMENTS(columns),
		.columns = columns,
		.n_sections = 1,
		.sections = &section,
	};
}

/* Returns the JSON text of a member of a row, "" for null; each row is one line. */
static char *json_member(const char *line, const char *name)
{
	g_autofree char *key = g_strdup_printf("\"%s\":", name);
	const char *from = strstr(line, key);

	g_assert_nonnull(from);
	from += strlen(key);
	g_autofree char *text = g_strndup(from, strcspn(from, ",}"));
	return g_strdup(strcmp(text, "null") == 0 ? "" : text);
}

/* The table rounds to one decimal or to none; '-' is absent. */
static void check_table_cell(const char *cell, const char *exact, double tolerance)
{
	if (strcmp(cell, "-") == 0) {
		g_assert_cmpstr(exact, ==, "");
		return;
	}
	double shown = g_ascii_strtod(cell, NULL), meant = g_ascii_strtod(exact, NULL);
	/* Half a unit of the last decimal is a tie, and neither number is exact in binary. */
	g_assert_true(fabs(shown - meant) <= tolerance + fabs(meant) * 1e-12);
}

/* Splits a line of the table at blanks, as no cell of this report contains one. */
static char **split_table_line(const char *line)
{
	g_autoptr(GRegex) blanks = g_regex_new(" +", 0, 0, NULL);

	return g_regex_split(blanks, line + 1, 0);
}

static void check_row(const char *table_line, const char *json_line, const char *csv_line)
{
	static const struct {
		const char *name;
		guint table, csv;
		double tolerance;
	} columns[] = {
		{"baseline", 1, 9, 0},
		{"candidate", 2, 10, 0},
		{"delta", 3, 11, 0.5},
		{"pct", 4, 12, 0.05},
	};
	g_auto(GStrv) table = split_table_line(table_line);
	g_auto(GStrv) csv = g_strsplit(csv_line, ",", -1);

	g_assert_cmpuint(g_strv_length(table), ==, 5);
	g_assert_cmpuint(g_strv_length(csv), ==, 17);
	g_assert_cmpstr(table[0], ==, csv[2]);
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		g_autofree char *json = json_member(json_line, columns[i].name);

		g_assert_cmpstr(json, ==, csv[columns[i].csv]);
		check_table_cell(table[columns[i].table], json, columns[i].tolerance);
		/* A whole number has the same text everywhere. */
		if (columns[i].tolerance == 0 && json[0])
			g_assert_cmpstr(table[columns[i].table], ==, json);
	}
}

static void test_same_numbers(void)
{
	struct ctprof_report report = make_report();
	g_autofree char *table = draw("table", &report);
	g_autofree char *json = draw("json", &report);
	g_autofree char *csv = draw("csv", &report);
	g_auto(GStrv) table_lines = g_strsplit(table, "\n", -1);
	g_auto(GStrv) json_lines = g_strsplit(strstr(json, "{\"group\""), "\n", -1);
	g_auto(GStrv) csv_lines = g_strsplit(csv, "\r\n", -1);

	g_assert_cmpuint(g_strv_length(table_lines), ==, N_ROWS + 1);
	g_assert_cmpuint(g_strv_length(csv_lines), ==, N_ROWS + 1);
	for (guint i = 0; i < N_ROWS; i++)
		check_row(table_lines[i], json_lines[i], csv_lines[i]);
}

/* Another implementation can read every sample's JSON. */
static void test_json_parses(void)
{
	for (guint i = 0; i < n_samples; i++) {
		g_autofree char *text = draw("json", &samples[i].report);
		g_autoptr(JsonParser) parser = json_parser_new();
		g_autoptr(GError) error = NULL;

		json_parser_load_from_data(parser, text, -1, &error);
		g_assert_no_error(error);
		JsonObject *top = json_node_get_object(json_parser_get_root(parser));
		JsonObject *format = json_object_get_object_member(top, "format");
		g_assert_cmpstr(json_object_get_string_member(format, "name"), ==, "ctprof-report");
		g_assert_cmpuint(
			json_array_get_length(json_object_get_array_member(top, "sections")), ==,
			samples[i].report.n_sections);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < n_samples; i++) {
		g_autofree char *path = g_strdup_printf("/report/golden/%s", samples[i].name);

		g_test_add_data_func(path, &samples[i], test_golden);
	}
	g_test_add_func("/report/no control byte reaches a pipe", test_no_control_bytes);
	g_test_add_func("/report/three sinks, the same numbers", test_same_numbers);
	g_test_add_func("/report/the JSON parses", test_json_parses);
	return g_test_run();
}

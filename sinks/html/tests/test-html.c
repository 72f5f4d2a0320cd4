/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the parts of a page that need no browser: names are written as text, and accounts add
 * up. */
#include "drawn.h"

#define HOSTILE "<b>&</script><script>alert(1)</script>"
#define N_FIELDS 7

static guint count(const char *text, const char *part)
{
	guint n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* Draws the first screen's pools, one of which has that name and uses 0.5 CPU, 4/5 of it in user
 * mode, while 1.5 of its 8 threads wait. */
static char *draw_pool(const char *name, gboolean has_modes)
{
	static const char *const names[N_FIELDS] = {"pool",   "threads", "cpu",      "user",
						    "system", "waiting", "disk_wait"};
	static const guint32 roles[N_FIELDS] = {
		[0] = CTPROF_FIELD_SUBJECT, [2] = CTPROF_FIELD_CPU, [5] = CTPROF_FIELD_WAITING};
	const double values[N_FIELDS] = {0, 8, 0.5, has_modes ? 0.4 : 0, has_modes ? 0.1 : 0, 1.5};
	struct ctprof_report_field fields[N_FIELDS];
	struct ctprof_cell cells[N_FIELDS];

	for (guint i = 0; i < N_FIELDS; i++) {
		fields[i] = (struct ctprof_report_field){
			.struct_size = sizeof *fields,
			.name = names[i],
			.header = names[i],
			.unit = i == 0 ? "text" : "threads",
			.tags = "",
			.role = roles[i],
		};
		cells[i] = (struct ctprof_cell){.struct_size = sizeof *cells};
		cells[i].value[0] =
			(struct ctprof_value){.type = CTPROF_VALUE_REAL, .real = values[i]};
	}
	cells[0].value[0] = (struct ctprof_value){.type = CTPROF_VALUE_TEXT, .text = name};
	cells[N_FIELDS - 1].value[0] = (struct ctprof_value){
		.type = CTPROF_VALUE_ABSENT, .missing = 8, .why = CTPROF_ABSENT_DENIED};
	const struct ctprof_report_line line = {
		.struct_size = sizeof line, .n_cells = N_FIELDS, .cells = cells};
	const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.name = "pools",
		.heading = "Pools",
		.n_fields = N_FIELDS,
		.fields = fields,
		.n_lines = 1,
		.lines = &line,
	};
	const struct ctprof_report report = {
		.struct_size = sizeof report,
		.command = "show",
		.files = {name, NULL},
		.n_sections = 1,
		.sections = &section,
	};

	return drawn_report(&report);
}

static void test_names(void)
{
	g_autofree char *pool = draw_pool(HOSTILE, TRUE);
	g_autofree char *run = drawn_run(HOSTILE "\"\xff", CTPROF_VERDICT_SAME, TRUE, 0);

	g_assert_cmpuint(count(pool, "<script"), ==, 2); /* data and ours */
	g_assert_cmpuint(count(pool, "</script"), ==, 2);
	g_assert_null(strstr(pool, "<b>&"));
	g_assert_nonnull(strstr(pool, "&lt;b&gt;&amp;&lt;/script&gt;&lt;script&gt;alert(1)"));
	g_assert_nonnull(strstr(pool, "\"\\u003cb>&\\u003c/script>"));
	g_assert_cmpuint(count(run, "<script"), ==, 1);
	g_assert_nonnull(strstr(run, "alert(1)&lt;/script&gt;&quot;\\xff"));
}

static void test_account(void)
{
	static const char *const rows[] = {
		"user mode</th><td class=\"n\">0.40</td><td class=\"n\">5 %",
		"kernel</th><td class=\"n\">0.10</td><td class=\"n\">1 %",
		"for a CPU</th><td class=\"n\">1.50</td><td class=\"n\">19 %",
		"block I/O</th><td colspan=\"2\" class=\"n\">not measured: denied",
		"not measured</th><td class=\"n\">6</td><td class=\"n\">75 %",
		"threads</th><td class=\"n\">8</td><td class=\"n\">100 %",
	};
	g_autofree char *text = draw_pool("p", TRUE);
	g_autofree char *without = draw_pool("p", FALSE);

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
		g_assert_nonnull(strstr(text, rows[i]));
	/* CPU time of which no tick has seen the mode counts as neither user nor system time. */
	g_assert_nonnull(strstr(without, "mode not known</th><td class=\"n\">0.50"));
	g_assert_null(strstr(without, "user mode</th>"));
}

/* Draws a pool whose CPU use differs by delta between the two sides. */
static char *draw_change(double delta, guint32 flags)
{
	const struct ctprof_report_field fields[] = {
		{.struct_size = sizeof *fields,
		 .name = "pool",
		 .header = "POOL",
		 .unit = "text",
		 .tags = "",
		 .role = CTPROF_FIELD_SUBJECT},
		{.struct_size = sizeof *fields,
		 .name = "cpu",
		 .header = "CPU",
		 .unit = "cpus",
		 .tags = "",
		 .flags = CTPROF_FIELD_SHORT,
		 .role = CTPROF_FIELD_CPU},
	};
	const struct ctprof_value name = {.type = CTPROF_VALUE_TEXT, .text = "p"};
	const struct ctprof_cell cells[] = {
		{.struct_size = sizeof *cells, .value = {name, name}},
		{.struct_size = sizeof *cells,
		 .flags = flags,
		 .value = {{.type = CTPROF_VALUE_REAL, .real = 1},
			   {.type = CTPROF_VALUE_REAL, .real = 1 + delta}},
		 .delta = delta},
	};
	const struct ctprof_report_line line = {
		.struct_size = sizeof line,
		.n_cells = G_N_ELEMENTS(cells),
		.cells = cells,
		.role = CTPROF_ROLE_POOL,
	};
	const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.name = "pools",
		.heading = "Pools",
		.n_fields = G_N_ELEMENTS(fields),
		.fields = fields,
		.n_lines = 1,
		.lines = &line,
	};
	const struct ctprof_report report = {
		.struct_size = sizeof report,
		.flags = CTPROF_REPORT_COMPARE,
		.files = {"a", "b"},
		.n_sections = 1,
		.sections = &section,
	};

	return drawn_report(&report);
}

static void test_change(void)
{
	g_autofree char *more = draw_change(0.5, CTPROF_CELL_HAS_DELTA);
	g_autofree char *less = draw_change(-0.5, CTPROF_CELL_HAS_DELTA);
	g_autofree char *none = draw_change(0.5, 0);

	g_assert_nonnull(strstr(more, ">1 → 1.50</td><td class=\"n\">+0.50</td>"));
	g_assert_nonnull(strstr(more, "<rect class=\"more\" x=\"100\" width=\"100\""));
	g_assert_nonnull(strstr(less, "<rect class=\"less\" x=\"0\" width=\"100\""));
	g_assert_null(strstr(none, "What changed"));
}

/* Draws a table of one line: a name, and the value. */
static char *draw_value(const struct ctprof_value *value)
{
	const struct ctprof_report_field fields[] = {
		{.struct_size = sizeof *fields,
		 .name = "name",
		 .header = "NAME",
		 .unit = "text",
		 .tags = ""},
		/* Cells with text are not aligned. */
		{.struct_size = sizeof *fields,
		 .name = "value",
		 .header = "VALUE",
		 .unit = "text",
		 .tags = "",
		 .ladder = CTPROF_LADDER_UNITLESS},
	};
	const struct ctprof_cell cells[] = {
		{.struct_size = sizeof *cells, .value = {{.type = CTPROF_VALUE_TEXT, .text = "p"}}},
		{.struct_size = sizeof *cells, .value = {*value}},
	};
	const struct ctprof_report_line line = {
		.struct_size = sizeof line, .n_cells = G_N_ELEMENTS(cells), .cells = cells};
	const struct ctprof_report_section section = {
		.struct_size = sizeof section,
		.name = "values",
		.heading = "Values",
		.n_fields = G_N_ELEMENTS(fields),
		.fields = fields,
		.n_lines = 1,
		.lines = &line,
	};
	const struct ctprof_report report = {
		.struct_size = sizeof report,
		.files = {"a", NULL},
		.n_sections = 1,
		.sections = &section,
	};

	return drawn_report(&report);
}

/* The number by which a script sorts a cell is left out if the text is that number, or if there is
 * none. */
static void test_ranks(void)
{
	static const struct {
		struct ctprof_value value;
		const char *cell;
	} cases[] = {
		{{.type = CTPROF_VALUE_NUMBER, .number = 7}, ">7"},
		{{.type = CTPROF_VALUE_NUMBER, .number = 1500}, " data-v=1500>1.500K"},
		{{.type = CTPROF_VALUE_NUMBER, .number = 1500, .flags = CTPROF_VALUE_PARTIAL},
		 " data-v=1500>~1.500K"},
		{{.type = CTPROF_VALUE_NUMBER, .number = UINT64_C(1) << 53},
		 " data-v=9007199254740992>9007199.255G"},
		{{.type = CTPROF_VALUE_REAL, .real = 1.0 / 3}, " data-v=0.333333333>0.33"},
		{{.type = CTPROF_VALUE_RANGE, .min = -20, .max = 19}, " data-v=19>-20..19"},
		{{.type = CTPROF_VALUE_UNLIMITED}, " data-v=Infinity>max"},
		{{.type = CTPROF_VALUE_MODE, .text = "R", .count = 1, .n = 2}, ">R (1/2)"},
		{{.type = CTPROF_VALUE_TEXT, .text = "1e3"}, ">1e3"},
		{{.type = CTPROF_VALUE_ABSENT}, ">-"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *expected = g_strdup_printf("<td%s\n", cases[i].cell);
		g_autofree char *page = draw_value(&cases[i].value);

		if (!strstr(page, expected))
			g_error("expected %s in %s", expected, strstr(page, "<tbody>"));
	}
}

static void test_strip(void)
{
	g_autofree char *text = drawn_run("g", CTPROF_VERDICT_CHANGED, FALSE, DRAWN_WARNING);

	g_assert_nonnull(strstr(text, "class=\"dots s0\" d=\"M4 6h0M55 6h0M105 6h0\""));
	g_assert_nonnull(strstr(text, "class=\"dots s1\" d=\"M55 17h0M105 17h0M156 17h0\""));
	g_assert_nonnull(strstr(text, "<li>50% &lt; 100%</li>"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/html/names", test_names);
	g_test_add_func("/html/account", test_account);
	g_test_add_func("/html/change", test_change);
	g_test_add_func("/html/ranks", test_ranks);
	g_test_add_func("/html/strip", test_strip);
	return g_test_run();
}

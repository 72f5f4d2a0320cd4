/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests several runs per side: from windows to values, and from values to verdicts. */
#include <math.h>
#include <string.h>

#include "report/join/runs.h"
#include "sample.h"

#define ALPHA 0.05
#define MOST_RUNS 8
#define BEGAN 1000

/* ---- a report of made-up runs ---- */

typedef struct fixture {
	AnalysisOptions options;
	Runs *runs;
	Analysis *analysis;
	const struct ctprof_report *report;
} Fixture;

static void fixture_clear(Fixture *fixture)
{
	g_clear_pointer(&fixture->analysis, analysis_free);
	g_clear_pointer(&fixture->runs, runs_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fixture, fixture_clear)

static Fixture fixture_of(guint n, guint m)
{
	const guint counts[] = {n, m};
	Fixture fixture = {
		.options = {.alpha = ALPHA, .files = {"A", "B"}, .group_by = GROUP_BY_PCOMM},
		.runs = runs_new(counts),
	};

	fixture.options.runs = fixture.runs;
	return fixture;
}

/* Adds a run: a window between two samples, or the totals of one (after NULL). */
static void add_run_of(Fixture *fixture, guint side, guint run, const Sample *before,
		       const Sample *after, gdouble seconds)
{
	AnalysisOptions options = fixture->options;
	g_autoptr(GError) error = NULL;

	options.compare = options.may_be_window = options.is_window = after != NULL;
	options.began = BEGAN;
	options.elapsed_s = seconds;
	g_autoptr(Analysis) analysis = analysis_new(&options, &error);
	g_assert_no_error(error);
	g_assert_true(sample_feed(before, analysis, 0, &error));
	g_assert_true(!after || sample_feed(after, analysis, 1, &error));
	g_assert_true(analysis_collect(analysis, side, run, NULL, &error));
}

static void add_run(Fixture *fixture, guint side, guint run, const Sample *before,
		    const Sample *after)
{
	add_run_of(fixture, side, run, before, after, 2);
}

static void judge(Fixture *fixture)
{
	g_autoptr(GError) error = NULL;

	fixture->options.compare = fixture->runs->n[1] > 0;
	fixture->analysis = analysis_new(&fixture->options, &error);
	g_assert_no_error(error);
	fixture->report = analysis_judge_runs(fixture->analysis);
}

/* Returns the line of a metric of a group; NULL: there is none. */
static const struct ctprof_report_line *line_of(const Fixture *fixture, const char *group,
						const char *metric)
{
	const struct ctprof_report_section *section = fixture->report->sections;

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = &section->lines[i];

		if (strcmp(line->names[0], group) == 0 &&
		    strcmp(section->fields[line->first].name, metric) == 0)
			return line;
	}
	return NULL;
}

static const struct ctprof_cell *cell_of(const Fixture *fixture, const char *group,
					 const char *metric)
{
	const struct ctprof_report_line *line = line_of(fixture, group, metric);

	g_assert_nonnull(line);
	return line->cells;
}

/* Returns a sample of one thread that has run for that long. */
static Sample *thread_of(const char *name, const char *cgroup, guint64 run_ns)
{
	Sample *sample = sample_new();

	sample_seal(sample);
	sample_thread(sample, 10, 10, name, name, cgroup);
	sample_u64(sample, "start_time_clock_ticks", 5);
	sample_u64(sample, "run_time_ns", run_ns);
	return sample;
}

static void add_window(Fixture *fixture, guint side, guint run, const char *name, guint64 ran_ns)
{
	g_autoptr(Sample) before = thread_of(name, "/c", 1000000);
	g_autoptr(Sample) after = thread_of(name, "/c", 1000000 + ran_ns);

	add_run(fixture, side, run, before, after);
}

/* ---- values of runs ---- */

static void test_values(void)
{
	g_auto(Fixture) windows = fixture_of(1, 1);
	g_auto(Fixture) rates = fixture_of(1, 0);
	g_auto(Fixture) totals = fixture_of(1, 1);
	g_autoptr(Sample) young = thread_of("t", "/c", 300);
	g_autoptr(Sample) old = thread_of("t", "/c", 700);

	add_window(&windows, 0, 0, "t", 100);
	add_window(&windows, 1, 0, "t", 400);
	judge(&windows);
	const struct ctprof_cell *cell = cell_of(&windows, "t", "run_time_ns");
	g_assert_cmpfloat(cell->value[0].real, ==, 100);
	g_assert_cmpfloat(cell->value[1].real, ==, 400);
	g_assert_cmpfloat(cell->delta, ==, 300);
	g_assert_cmpfloat(cell->pct, ==, 300);
	/* A metric that is not a counter has its value at the end. */
	g_assert_cmpfloat(cell_of(&windows, "t", "thread_count")->value[1].real, ==, 1);

	rates.options.rate = TRUE;
	add_window(&rates, 0, 0, "t", 100);
	judge(&rates);
	g_assert_cmpfloat(cell_of(&rates, "t", "run_time_ns")->value[0].real, ==, 50);

	add_run(&totals, 0, 0, young, NULL);
	add_run(&totals, 1, 0, old, NULL);
	judge(&totals);
	g_assert_cmpfloat(cell_of(&totals, "t", "run_time_ns")->value[1].real, ==, 700);
}

static void test_verdicts(void)
{
	static const struct {
		guint n;
		guint64 a[MOST_RUNS], b[MOST_RUNS];
		guint32 verdict;
	} cases[] = {
		{8,
		 {1, 2, 3, 4, 5, 6, 7, 8},
		 {11, 12, 13, 14, 15, 16, 17, 18},
		 CTPROF_VERDICT_CHANGED},
		{8,
		 {1, 12, 3, 14, 5, 16, 7, 18},
		 {11, 2, 13, 4, 15, 6, 17, 8},
		 CTPROF_VERDICT_SAME},
		/* Whatever the values are, p is at least .1. */
		{3, {1, 2, 3}, {11, 12, 13}, CTPROF_VERDICT_FEW},
		{5, {1, 2, 3, 4, 5}, {11, 12, 13, 14, 15}, CTPROF_VERDICT_CHANGED},
		/* Equal values never change, however many there are. */
		{8, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, CTPROF_VERDICT_SAME},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(Fixture) fixture = fixture_of(cases[i].n, cases[i].n);

		for (guint run = 0; run < cases[i].n; run++) {
			add_window(&fixture, 0, run, "t", cases[i].a[run]);
			add_window(&fixture, 1, run, "t", cases[i].b[run]);
		}
		judge(&fixture);
		const struct ctprof_runs *sample = cell_of(&fixture, "t", "run_time_ns")->runs;
		g_assert_cmpuint(sample->verdict, ==, cases[i].verdict);
		g_assert_cmpuint(sample->n[0], ==, cases[i].n);
		g_assert_cmpfloat(sample->values[1][0], ==, cases[i].b[0]);
	}
}

/* A row that only one of four runs has is not 0 in the others. */
static void test_missing_runs(void)
{
	g_auto(Fixture) fixture = fixture_of(4, 4);

	for (guint run = 0; run < 4; run++) {
		add_window(&fixture, 0, run, run < 3 ? "t" : "u", 5 + run);
		add_window(&fixture, 1, run, run < 2 ? "t" : "v", 9 + run);
	}
	judge(&fixture);
	const struct ctprof_runs *sample = cell_of(&fixture, "t", "run_time_ns")->runs;
	g_assert_cmpuint(sample->n[0], ==, 3);
	g_assert_cmpuint(sample->n[1], ==, 2);
	g_assert_true(isnan(sample->values[0][3]));
	g_assert_cmpfloat(sample->min[0], ==, 5);
	g_assert_cmpfloat(sample->max[0], ==, 7);
	g_assert_null(line_of(&fixture, "u", "run_time_ns"));
	g_assert_cmpuint(fixture.report->n_only[0], ==, 1);
	g_assert_cmpstr(fixture.report->only[0]->names[0], ==, "u");
	g_assert_cmpstr(fixture.report->only[1]->names[0], ==, "v");
}

/* ---- names ---- */

/* Group names do not depend on the other names in a run. */
static void test_names(void)
{
	static const struct {
		const char *names[2];
		const char *group;
	} cases[] = {
		{{"worker-1", "worker-2"}, "worker-{N}"},
		{{"worker-1", "worker-1"}, "worker-1"},
		{{"python3", "python3"}, "python3"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(Fixture) fixture = fixture_of(1, 1);

		for (guint side = 0; side < 2; side++)
			add_window(&fixture, side, 0, cases[i].names[side], 5);
		judge(&fixture);
		g_assert_nonnull(line_of(&fixture, cases[i].group, "run_time_ns"));
	}
}

static void test_cgroups(void)
{
	static const struct {
		const char *paths[2];
		const char *group;
	} cases[] = {
		{{"/s/session-1.scope", "/s/session-2.scope"}, "/s/session-{N}.scope"},
		{{"/s/session-1.scope", "/s/session-1.scope"}, "/s/session-1.scope"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(Fixture) fixture = fixture_of(1, 1);

		fixture.options.group_by = GROUP_BY_CGROUP;
		for (guint side = 0; side < 2; side++) {
			g_autoptr(Sample) sample = thread_of("t", cases[i].paths[side], 5);

			add_run(&fixture, side, 0, sample, NULL);
		}
		judge(&fixture);
		g_assert_nonnull(line_of(&fixture, cases[i].group, "run_time_ns"));
	}
}

/* ---- the command, and strangers ---- */

#define STAT 77 /* the process that ran the command, which is hidden */

static void add_process(Sample *sample, gint32 pid, gint32 ppid, const char *name, guint64 start,
			guint64 run_ns)
{
	sample_thread(sample, pid, pid, name, name, "/c");
	sample_u64(sample, "ppid", (guint64)ppid);
	sample_u64(sample, "start_time_clock_ticks", start);
	sample_u64(sample, "run_time_ns", run_ns);
}

static Sample *strangers_of(guint64 spun, guint64 sh)
{
	Sample *sample = sample_new();

	sample_metric(sample, "ppid", CTPROF_LABEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_PROCESS,
		      "identity");
	add_process(sample, 10, 1, "spin", 5, spun);
	add_process(sample, 20, 1, "sh", 5, sh);
	return sample;
}

/* Adds a run of that many seconds, with a spinner and a shell that run all the time: the command is
 * a shell, too, and starts a process that has ended. */
static void add_command(Fixture *fixture, guint side, guint run, gdouble seconds, guint64 ran_ns)
{
	guint64 beside = (guint64)((1000 + run) * seconds);
	g_autoptr(Sample) before = strangers_of(0, 0);
	g_autoptr(Sample) after = strangers_of(10 * beside, beside);

	add_process(after, 500, STAT, "sh", BEGAN + 1, ran_ns);
	add_process(after, 501, 500, "kid", BEGAN + 2, ran_ns);
	sample_exit(after, 502, 502, "end");
	sample_u64(after, "ppid", 501);
	sample_u64(after, "start_time_clock_ticks", BEGAN + 2);
	sample_u64(after, "run_time_ns", ran_ns);
	sample_u64(after, "final_run_time_ns", ran_ns);
	add_run_of(fixture, side, run, before, after, seconds);
}

/* Returns the index of the line of a group that is a rate, or a total; n_lines: there is none. */
static guint64 place_of(const Fixture *fixture, const char *group, gboolean is_rate)
{
	const struct ctprof_report_section *section = fixture->report->sections;

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = &section->lines[i];

		if (strcmp(line->names[0], group) == 0 &&
		    strcmp(section->fields[line->first].name, "run_time_ns") == 0 &&
		    ((line->cells->flags & CTPROF_CELL_RATE) != 0) == is_rate)
			return i;
	}
	return section->n_lines;
}

/* Runs of B are twice as long.  Processes that run all the time do not change, and neither does a
 * command that does the same work in twice the time. */
static void test_strangers(void)
{
	static const struct {
		const char *group;
		gboolean is_rate;
		gdouble median; /* for a command that does the same work */
	} rows[] = {
		{"spin", TRUE, 10035}, {"sh", TRUE, 1003.5},  {"sh", FALSE, 103.5},
		{"kid", FALSE, 103.5}, {"end", FALSE, 103.5},
	};
	const CommandFacts facts = {.parent = STAT, .wall_ns = 1};

	for (guint factor = 1; factor < 3; factor++) {
		g_auto(Fixture) fixture = fixture_of(8, 8);
		guint64 last_changed = 0;

		fixture.options.command = &facts;
		for (guint run = 0; run < 8; run++) {
			add_command(&fixture, 0, run, 2, 100 + run);
			add_command(&fixture, 1, run, 4, (100 + run) * factor);
		}
		judge(&fixture);
		for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
			guint64 at = place_of(&fixture, rows[i].group, rows[i].is_rate);
			const struct ctprof_report_section *section = fixture.report->sections;

			g_assert_cmpuint(at, <, section->n_lines);
			const struct ctprof_cell *cell = section->lines[at].cells;
			g_assert_cmpfloat(cell->value[0].real, ==, rows[i].median);
			g_assert_cmpfloat(cell->value[1].real, ==,
					  rows[i].median * (rows[i].is_rate ? 1 : factor));
			g_assert_cmpuint(cell->runs->verdict, ==,
					 rows[i].is_rate || factor == 1 ? CTPROF_VERDICT_SAME
									: CTPROF_VERDICT_CHANGED);
			last_changed = rows[i].is_rate ? last_changed : MAX(last_changed, at);
		}
		g_assert_cmpuint(place_of(&fixture, "spin", FALSE), ==,
				 fixture.report->sections->n_lines);
		g_assert_cmpuint(place_of(&fixture, "spin", TRUE), >, last_changed);
		g_assert_cmpuint(place_of(&fixture, "sh", TRUE), >, last_changed);
	}
}

/* ---- notes and titles ---- */

static gboolean is_noted(const struct ctprof_report *report, const char *text)
{
	const struct ctprof_report_section *section = report->sections;

	for (guint64 i = 0; i < section->n_notes; i++)
		if (strstr(section->notes[i], text))
			return TRUE;
	for (guint64 i = 0; i < report->n_titles; i++)
		if (strstr(report->titles[i], text))
			return TRUE;
	return FALSE;
}

static void test_notes(void)
{
	static const struct {
		guint n;
		guint64 first; /* value of the first run of A; the others are about 100 */
		const char *note;
	} cases[] = {
		{8, 500, "run 1 of A is 4.6 times the others in run_time_ns of t"},
		{8, 20, "run 1 of A is 0.19 times the others"},
		{3, 100, "3+3 runs: too few (the smallest possible p is 0.1)"},
		{4, 100, "4+4 runs: 1 row (57 %) or more must change at once"},
		{8, 100, "8+8 runs: a change of 1 row can be seen"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(Fixture) fixture = fixture_of(cases[i].n, cases[i].n);

		for (guint run = 0; run < cases[i].n; run++) {
			add_window(&fixture, 0, run, "t",
				   run == 0 ? cases[i].first : 100 + 2 * run);
			add_window(&fixture, 1, run, "t", 101 + 2 * run);
		}
		judge(&fixture);
		if (!is_noted(fixture.report, cases[i].note)) {
			g_test_message("%u: %s", i, cases[i].note);
			for (guint64 n = 0; n < fixture.report->sections->n_notes; n++)
				g_test_message("%s", fixture.report->sections->notes[n]);
			g_test_fail();
		}
	}
}

static Sample *host_of(const char *release, const char *policy)
{
	Sample *sample = sample_new();

	sample_seal(sample);
	sample_thread(sample, 10, 10, "t", "t", "/c");
	sample_text(sample, "policy", policy);
	sample_host(sample);
	sample_text(sample, "host.kernel_release", release);
	return sample;
}

/* Notes settings that differ between, not within, the sides; of groups, if chance is unlikely. */
static void test_settings(void)
{
	static const char *const policies[] = {"SCHED_OTHER", "SCHED_BATCH"};
	static const struct {
		guint n;
		const char *releases[2][2]; /* of A and B, alternately */
		const char *policy, *kernel;
	} cases[] = {
		{4,
		 {{"6.1", "6.2"}, {"6.1", "6.2"}},
		 "policy of t: SCHED_OTHER in A, SCHED_BATCH in B",
		 NULL},
		{2,
		 {{"6.1", "6.1"}, {"6.2", "6.2"}},
		 NULL,
		 "host.kernel_release of host: 6.1 in A, 6.2 in B"},
		{2, {{"6.1", "6.1"}, {"6.1", "6.1"}}, NULL, NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(Fixture) fixture = fixture_of(cases[i].n, cases[i].n);

		for (guint run = 0; run < 2 * cases[i].n; run++) {
			guint side = run / cases[i].n;
			g_autoptr(Sample) sample =
				host_of(cases[i].releases[side][run % 2], policies[side]);

			add_run(&fixture, side, run % cases[i].n, sample, NULL);
		}
		judge(&fixture);
		g_assert_cmpint(is_noted(fixture.report, "policy of t"), ==,
				cases[i].policy != NULL);
		g_assert_true(!cases[i].policy || is_noted(fixture.report, cases[i].policy));
		g_assert_cmpint(is_noted(fixture.report, "kernel_release"), ==,
				cases[i].kernel != NULL);
		g_assert_true(!cases[i].kernel || is_noted(fixture.report, cases[i].kernel));
	}
}

/* ---- --fail-on ---- */

static void test_fail_on(void)
{
	static const struct {
		const char *condition;
		guint64 hits;
	} cases[] = {
		{"q<0.05 && run_time_ns:pct>10", 1},
		{"q<0.05&&run_time_ns:pct>1000", 0},
		{"run_time_ns:delta>5ns && q<0.05 && p<=0.0002", 1},
		{"q<0.05 && run_time_ns:pct<0", 0},
		{"p<0.0001 && run_time_ns:pct>10", 0},
		{"q>0.5 && run_time_ns:pct>10", 0},
		{"run_time_ns:pct>10", 1},
		/* Applies to any metric, but only one row differs. */
		{"q<0.05", 1},
		{"wait_time_ns:pct>10, q<0.05 && run_time_ns:pct>10", 1},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strdup(cases[i].condition);
		g_auto(Fixture) fixture = fixture_of(8, 8);

		fixture.options.fail_on = text;
		for (guint run = 0; run < 8; run++) {
			add_window(&fixture, 0, run, "t", 100 + run);
			add_window(&fixture, 1, run, "t", 150 + run);
		}
		judge(&fixture);
		g_assert_cmpuint(fixture.report->n_hits, ==, cases[i].hits);
		for (guint64 n = 0; n < fixture.report->n_hits; n++) {
			g_assert_cmpstr(fixture.report->hits[n].names[0], ==, "t");
			g_assert_cmpstr(fixture.report->hits[n].metric, ==, "run_time_ns");
			g_assert_nonnull(fixture.report->hits[n].runs);
		}
		g_assert_cmpint(analysis_failed(fixture.analysis), ==, cases[i].hits > 0);
	}
}

static void test_misused_conditions(void)
{
	static const struct {
		const char *condition, *message;
		gboolean of_runs;
	} cases[] = {
		{"q<0.05", "several runs per side", FALSE},
		{"p<0.05 && run_time_ns:pct>10", "several runs per side", FALSE},
		{"q<5", "from 0 to 1", TRUE},
		{"q<1ms", "from 0 to 1", TRUE},
		{"q=0.05", "expected one of", TRUE},
		{"q<0.05 && q<0.01", "limited twice", TRUE},
		{"a:pct>1 && b:pct>1", "one metric", TRUE},
		{"q<0.05 && ", "expected a metric", TRUE},
		{"&&", "expected a metric", TRUE},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strdup(cases[i].condition);
		g_auto(Fixture) fixture = fixture_of(1, 1);
		g_autoptr(GError) error = NULL;

		fixture.options.fail_on = text;
		if (!cases[i].of_runs)
			fixture.options.runs = NULL;
		g_assert_null(analysis_new(&fixture.options, &error));
		g_assert_nonnull(strstr(error->message, cases[i].message));
	}
}

/* Changed rows come first, then those with a larger shift; each family is adjusted, and
 * the families among each other. */
static void test_order(void)
{
	const guint counts[] = {8, 8};
	g_autoptr(Runs) runs = runs_new(counts);
	guint n_tested;
	struct ctprof_report_field fields[] = {
		{.name = "small", .ladder = CTPROF_LADDER_NS},
		{.name = "large", .ladder = CTPROF_LADDER_NS},
		{.name = "noise", .ladder = CTPROF_LADDER_NS},
		{.name = "ratio", .ladder = CTPROF_LADDER_RATIO},
	};

	runs_set_names(runs, axis_of(GROUP_BY_PCOMM), NAME_PEERS, NULL, TRUE);
	const char *name = store_text(runs->store, "t");
	const RunsKey keys[] = {{.names = {name}, .n_names = 1, .family = FAMILY_PRIMARY},
				{.names = {name}, .n_names = 1, .family = FAMILY_DERIVED}};
	for (guint at = 0; at < 2 * 8; at++) {
		const RunPlace place = {runs, at / 8, at % 8};
		const gdouble values[] = {1e6 + place.run + place.side * 1e6,
					  1e6 + place.run + place.side * 1e9,
					  1e12 * (place.run % 3 + 1), place.run + place.side * 0.5};

		for (guint i = 0; i < G_N_ELEMENTS(fields); i++)
			runs_put(&place, &keys[i == 3], &fields[i], values[i], FALSE);
	}
	g_autoptr(GPtrArray) rows = runs_test(runs, NULL, ALPHA, &n_tested);
	static const char *const order[] = {"large", "small", "ratio", "noise"};
	for (guint i = 0; i < G_N_ELEMENTS(order); i++)
		g_assert_cmpstr(((RunsRow *)g_ptr_array_index(rows, i))->field.name, ==, order[i]);
	g_assert_cmpuint(n_tested, ==, 3 + 1);
	/* Two of the family's three tests have this p, and it is one of two families. */
	const RunsRow *large = g_ptr_array_index(rows, 0);
	g_assert_cmpfloat_with_epsilon(large->runs.q, large->runs.p * 3 / 2 * 2, 1e-15);
	g_assert_cmpfloat_with_epsilon(large->runs.p, runs_least_p(8, 8), 1e-15);
}

/* With only one side there is nothing to test. */
static void test_one_side(void)
{
	g_auto(Fixture) fixture = fixture_of(3, 0);

	for (guint run = 0; run < 3; run++)
		add_window(&fixture, 0, run, "t", 10 * (run + 1));
	judge(&fixture);
	const struct ctprof_cell *cell = cell_of(&fixture, "t", "run_time_ns");
	g_assert_cmpfloat(cell->value[0].real, ==, 20);
	g_assert_cmpuint(cell->runs->verdict, ==, CTPROF_VERDICT_NONE);
	g_assert_cmpfloat(cell->runs->max[0], ==, 30);
	g_assert_cmpuint(cell->runs->n_runs[1], ==, 0);
	g_assert_cmpuint(fixture.report->flags & CTPROF_REPORT_COMPARE, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/runs/values", test_values);
	g_test_add_func("/runs/verdicts", test_verdicts);
	g_test_add_func("/runs/missing-runs", test_missing_runs);
	g_test_add_func("/runs/names", test_names);
	g_test_add_func("/runs/cgroups", test_cgroups);
	g_test_add_func("/runs/strangers are rates, below the command", test_strangers);
	g_test_add_func("/runs/notes", test_notes);
	g_test_add_func("/runs/settings", test_settings);
	g_test_add_func("/runs/fail-on", test_fail_on);
	g_test_add_func("/runs/misused-conditions", test_misused_conditions);
	g_test_add_func("/runs/order", test_order);
	g_test_add_func("/runs/one-side", test_one_side);
	return g_test_run();
}

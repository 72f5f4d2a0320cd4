/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests properties that reports of any two snapshots have, using synthetic ones. */
#include <math.h>
#include <string.h>

#include "sample.h"

#define ROUNDS 30
#define MAX_THREADS 60

static const GroupBy axes[] = {GROUP_BY_PCOMM,      GROUP_BY_CGROUP, GROUP_BY_COMM,
			       GROUP_BY_COMM_EXACT, GROUP_BY_ALL,    GROUP_BY_THREAD};

/* Adds a value or leaves it absent; it is small or near the maximum of its type. */
static void maybe_u64(Sample *sample, const char *name)
{
	static const guint64 extremes[] = {0, 1, G_MAXUINT32, G_MAXUINT64 - 1, G_MAXUINT64};
	gint dice = g_test_rand_int_range(0, 10);

	if (dice == 0)
		sample_u64(sample, name,
			   extremes[g_test_rand_int_range(0, G_N_ELEMENTS(extremes))]);
	else if (dice > 2)
		sample_u64(sample, name, (guint64)g_test_rand_int_range(0, 1000));
}

static void add_thread(Sample *sample, gint32 tid)
{
	static const char *const numbers[] = {
		"run_time_ns",      "wait_sum",          "wait_count",       "wait_max",
		"timeslices",       "fair_slice_ns",     "allocated_bytes",  "cpu_delay_count",
		"cpu_delay_min_ns", "deallocated_bytes", "utime_clock_ticks"};
	static const char *const sets[] = {"0", "0 1", "2 3", "0 1 2 3 8"};
	static const char *const policies[] = {"SCHED_OTHER", "SCHED_FIFO", "\xff"};
	g_autofree char *pcomm = g_strdup_printf("p%d", g_test_rand_int_range(0, 3));
	g_autofree char *comm = g_strdup_printf("c-%x", g_test_rand_int_range(0, 40));
	g_autofree char *cgroup =
		g_strdup_printf("/%c/s-%d.slice", "ab"[tid % 2], g_test_rand_int_range(0, 3));

	sample_thread(sample, tid - tid % 4, tid, pcomm, comm, tid % 11 ? cgroup : NULL);
	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
		maybe_u64(sample, numbers[i]);
	if (tid % 3)
		sample_cpus(sample, "cpu_affinity", sets[g_test_rand_int_range(0, 4)]);
	if (tid % 5)
		sample_text(sample, "policy", policies[g_test_rand_int_range(0, 3)]);
	sample_i64(sample, "nice", g_test_rand_int_range(-20, 20));
	sample_u64(sample, "start_time_clock_ticks", (guint64)tid);
	if (tid % 4 == 0) {
		g_autofree char *map =
			g_strdup_printf("Pss=%d Rss=%d", tid % 7, g_test_rand_int_range(0, 9));

		sample_map(sample, "smaps_rollup_kib", map);
	}
}

static void add_cgroups(Sample *sample)
{
	for (gint i = 0; i < 4; i++) {
		g_autofree char *path = g_strdup_printf("/a/s-%d.slice", i);
		g_autofree char *stat =
			g_strdup_printf("anon=%d pgfault=%d", g_test_rand_int_range(0, 9),
					g_test_rand_int_range(0, 9));

		sample_cgroup(sample, path);
		maybe_u64(sample, "cpu.usage_usec");
		maybe_u64(sample, "memory.current");
		maybe_u64(sample, "memory.max");
		maybe_u64(sample, "psi.cpu.some.avg10");
		sample_map(sample, "memory.stat", stat);
	}
}

static Sample *random_sample(void)
{
	Sample *sample = sample_new();
	gint n = g_test_rand_int_range(0, MAX_THREADS);

	for (gint32 tid = 4; tid < 4 + n; tid++)
		add_thread(sample, tid);
	add_cgroups(sample);
	sample_host(sample);
	sample_u64(sample, "host.online_cpus", (guint64)g_test_rand_int_range(1, 4));
	maybe_u64(sample, "sched_ext.enable_seq");
	return sample;
}

static const SampleRow *counterpart(const struct ctprof_report *report,
				    const struct ctprof_report_section *section,
				    const SampleRow *row)
{
	g_autofree char *group = sample_group(row->line);

	return sample_find(report, section->name, group, row->metric);
}

static gboolean same_value(const struct ctprof_value *a, const struct ctprof_value *b)
{
	g_autofree char *x = sample_dump_value(a);
	g_autofree char *y = sample_dump_value(b);

	return strcmp(x, y) == 0;
}

/* Names are literal here, because a thread's key must not depend on the other side. */
static AnalysisOptions literal_options(GroupBy group_by)
{
	return (AnalysisOptions){
		.group_by = group_by, .no_thread_normalize = TRUE, .no_cgroup_normalize = TRUE};
}

/* The first screen only shows the newer side. */
static gboolean is_first_screen(const struct ctprof_report_section *section)
{
	return (section->flags & CTPROF_SECTION_BARE) != 0;
}

static void check_reversed(const struct ctprof_report *forth, const struct ctprof_report *back)
{
	g_assert_cmpuint(forth->n_sections, ==, back->n_sections);
	g_assert_cmpuint(forth->n_only[0], ==, back->n_only[1]);
	g_assert_cmpuint(forth->n_only[1], ==, back->n_only[0]);
	for (guint64 s = 0; s < forth->n_sections; s++) {
		const struct ctprof_report_section *section = &forth->sections[s];

		if (is_first_screen(section))
			continue;
		g_autoptr(GArray) rows = sample_rows(section);
		g_autoptr(GArray) others = sample_rows(&back->sections[s]);

		/* Headings depend on the order, rows do not. */
		g_assert_cmpuint(rows->len, ==, others->len);
		for (guint i = 0; i < rows->len; i++) {
			const SampleRow *row = &g_array_index(rows, SampleRow, i);
			const SampleRow *other = counterpart(back, section, row);

			g_assert_nonnull(other);
			g_assert_cmpfloat(row->delta, ==, -other->delta);
			g_assert_true(same_value(&row->value[0], &other->value[1]));
			g_assert_true(same_value(&row->value[1], &other->value[0]));
			g_assert_cmpuint(row->flags & CTPROF_CELL_SAME, ==,
					 other->flags & CTPROF_CELL_SAME);
		}
	}
}

/* With the sides swapped, every delta has the opposite sign. */
static void test_reversal(void)
{
	for (guint round = 0; round < ROUNDS; round++) {
		g_autoptr(Sample) a = random_sample();
		g_autoptr(Sample) b = random_sample();
		GroupBy axis = axes[round % G_N_ELEMENTS(axes)];
		AnalysisOptions options = literal_options(axis);
		const struct ctprof_report *forth, *back;

		/* Cgroups are paired from the candidate to the baseline. */
		options.rename_min_types = G_MAXUINT;
		/* A thread is labelled as in the baseline. */
		if (axis == GROUP_BY_THREAD)
			continue;
		g_autoptr(Analysis) one G_GNUC_UNUSED = sample_analyse(a, b, &options, &forth);
		g_autoptr(Analysis) two G_GNUC_UNUSED = sample_analyse(b, a, &options, &back);
		check_reversed(forth, back);
	}
}

/* Compares a snapshot with itself: no section has a change. */
static void test_identity(void)
{
	for (guint round = 0; round < ROUNDS; round++) {
		g_autoptr(Sample) a = random_sample();
		AnalysisOptions options = {.group_by = axes[round % G_N_ELEMENTS(axes)]};
		const struct ctprof_report *report;
		g_autoptr(Analysis) all G_GNUC_UNUSED = sample_analyse(a, a, &options, &report);

		g_assert_cmpuint(report->n_only[0] + report->n_only[1], ==, 0);
		g_assert_cmpuint(report->n_renames, ==, 0);
		for (guint64 s = 0; s < report->n_sections; s++) {
			g_autoptr(GArray) rows = sample_rows(&report->sections[s]);

			for (guint i = 0; i < rows->len && !is_first_screen(&report->sections[s]);
			     i++) {
				const SampleRow *row = &g_array_index(rows, SampleRow, i);

				g_assert_true(row->flags & CTPROF_CELL_SAME);
				g_assert_cmpfloat(row->delta, ==, 0);
			}
		}
		options.changed = TRUE;
		g_autoptr(Analysis) changed G_GNUC_UNUSED = sample_analyse(a, a, &options, &report);
		for (guint64 s = 0; s < report->n_sections; s++)
			if (!is_first_screen(&report->sections[s]))
				g_assert_cmpuint(report->sections[s].n_lines, ==, 0);
	}
}

static guint64 sum_of(const struct ctprof_report *report, const char *metric)
{
	guint64 sum = 0;

	g_autoptr(GArray) rows = sample_rows(sample_section(report, "primary"));

	for (guint i = 0; i < rows->len; i++) {
		const SampleRow *row = &g_array_index(rows, SampleRow, i);

		if (strcmp(row->metric, metric) == 0 && row->value[0].type == CTPROF_VALUE_NUMBER &&
		    __builtin_add_overflow(sum, row->value[0].number, &sum))
			sum = G_MAXUINT64;
	}
	return sum;
}

/* The groups of every axis have the same sum. */
static void test_sums(void)
{
	static const char *const metrics[] = {"thread_count", "run_time_ns", "wait_sum",
					      "cpu_delay_count"};

	for (guint round = 0; round < ROUNDS; round++) {
		g_autoptr(Sample) a = random_sample();
		guint64 sums[G_N_ELEMENTS(metrics)] = {0};

		for (guint axis = 0; axis < G_N_ELEMENTS(axes); axis++) {
			AnalysisOptions options = {.group_by = axes[axis]};
			const struct ctprof_report *report;
			g_autoptr(Analysis) analysis G_GNUC_UNUSED =
				sample_analyse(a, NULL, &options, &report);

			for (guint m = 0; m < G_N_ELEMENTS(metrics); m++) {
				guint64 sum = sum_of(report, metrics[m]);

				if (axis > 0)
					g_assert_cmpuint(sum, ==, sums[m]);
				sums[m] = sum;
			}
		}
	}
}

static void check_side(const struct ctprof_report *both, guint side,
		       const struct ctprof_report *alone)
{
	for (guint64 s = 0; s < both->n_sections; s++) {
		const struct ctprof_report_section *section = &both->sections[s];
		gboolean figures = strcmp(section->name, "primary") == 0 ||
				   strcmp(section->name, "derived") == 0;

		g_autoptr(GArray) rows = sample_rows(section);
		for (guint i = 0; figures && i < rows->len; i++) {
			const SampleRow *row = &g_array_index(rows, SampleRow, i);
			const SampleRow *mine = counterpart(alone, section, row);

			g_assert_nonnull(mine);
			g_assert_true(same_value(&row->value[side], &mine->value[0]));
			g_assert_cmpuint(row->line->threads[side], ==, mine->line->threads[0]);
		}
	}
}

/* compare has the same values for a side as show has for that side alone. */
static void test_show_agrees(void)
{
	for (guint round = 0; round < ROUNDS; round++) {
		g_autoptr(Sample) a = random_sample();
		g_autoptr(Sample) b = random_sample();
		const Sample *sides[] = {a, b};
		AnalysisOptions options = literal_options(axes[round % 5]);
		const struct ctprof_report *both, *alone;

		options.rename_min_types = G_MAXUINT;
		g_autoptr(Analysis) compared G_GNUC_UNUSED = sample_analyse(a, b, &options, &both);
		for (guint side = 0; side < 2; side++) {
			AnalysisOptions show = options;
			g_autoptr(Analysis) shown G_GNUC_UNUSED =
				sample_analyse(sides[side], NULL, &show, &alone);

			check_side(both, side, alone);
		}
	}
}

/* --limit keeps the first rows of all, and reports how many it left out. */
static void test_limit(void)
{
	for (guint round = 0; round < ROUNDS; round++) {
		g_autoptr(Sample) a = random_sample();
		g_autoptr(Sample) b = random_sample();
		/* The tree of "all" is in another order than the selected rows. */
		AnalysisOptions options = {.group_by = axes[round % 4]};
		const struct ctprof_report *whole, *cut;
		g_autoptr(Analysis) one G_GNUC_UNUSED = sample_analyse(a, b, &options, &whole);

		options.limit = (guint)g_test_rand_int_range(1, 40);
		g_autoptr(Analysis) two G_GNUC_UNUSED = sample_analyse(a, b, &options, &cut);
		const struct ctprof_report_section *all = sample_section(whole, "primary"),
						   *some = sample_section(cut, "primary");
		g_assert_cmpuint(some->n_lines + some->n_cut, ==, all->n_lines);
		/* All lines of the first groups are present. */
		g_autoptr(GHashTable) groups = g_hash_table_new(g_str_hash, g_str_equal);
		guint64 at = 0;
		for (guint64 i = 0; i < all->n_lines; i++) {
			const struct ctprof_report_line *line = &all->lines[i];

			if (g_hash_table_size(groups) < options.limit)
				g_hash_table_add(groups, (gpointer)(uintptr_t)line->names[0]);
			if (!g_hash_table_contains(groups, line->names[0]))
				continue;
			g_assert_cmpuint(at, <, some->n_lines);
			g_assert_cmpstr(some->lines[at].names[0], ==, line->names[0]);
			g_assert_cmpstr(some->fields[some->lines[at++].first].name, ==,
					all->fields[line->first].name);
		}
		g_assert_cmpuint(at, ==, some->n_lines);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/laws/reversal", test_reversal);
	g_test_add_func("/laws/identity", test_identity);
	g_test_add_func("/laws/sums", test_sums);
	g_test_add_func("/laws/show-agrees", test_show_agrees);
	g_test_add_func("/laws/limit", test_limit);
	return g_test_run();
}

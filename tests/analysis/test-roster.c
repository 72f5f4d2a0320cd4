/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads of a window are stored as the differences from the first of them. */
#include "sample.h"

static Sample *make_wide_sample(void)
{
	Sample *sample = sample_new();

	sample_seal(sample);
	for (gint32 bits = 0; bits <= 64; bits++) {
		g_autofree char *comm = g_strdup_printf("c%d", bits);

		sample_thread(sample, bits + 1, bits + 1, "p", comm, "/g");
		sample_u64(sample, "start_time_clock_ticks", 5);
		sample_u64(sample, "run_time_ns", bits < 64 ? G_GUINT64_CONSTANT(1) << bits : 0);
		sample_u64(sample, "wait_sum", bits > 0 ? G_MAXUINT64 >> (64 - bits) : 0);
	}
	return sample;
}

static void test_widths(void)
{
	g_autoptr(Sample) before = make_wide_sample();
	g_autoptr(Sample) after = make_wide_sample();
	AnalysisOptions options = {.group_by = GROUP_BY_COMM_EXACT,
				   .may_be_window = TRUE,
				   .is_window = TRUE,
				   .began = 50,
				   .elapsed_s = 1};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(before, after, &options, &report);

	for (guint bits = 0; bits <= 64; bits++) {
		g_autofree char *comm = g_strdup_printf("c%u", bits);
		const SampleRow *row = sample_find(report, "primary", comm, "run_time_ns");

		g_assert_cmpuint(row->value[1].number, ==,
				 bits < 64 ? G_GUINT64_CONSTANT(1) << bits : 0);
		row = sample_find(report, "primary", comm, "wait_sum");
		g_assert_cmpuint(row->value[1].number, ==,
				 bits > 0 ? G_MAXUINT64 >> (64 - bits) : 0);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/roster/numbers of all widths", test_widths);
	return g_test_run();
}

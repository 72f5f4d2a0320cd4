/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests by how much the memory of a pool is said to have grown: by what its processes hold more
 * than ever before the window. */
#include "sample.h"

#define SECONDS 10
#define MOST 2

/* A process at both ends of the window, in MiB; file: pages of files, in RSS and in PSS. */
typedef struct process {
	guint64 held[2], file[2];
	guint64 peak[2]; /* of RSS; both 0: not read */
} Process;

static const struct {
	Process processes[MOST]; /* that hold nothing: there is none */
	const char *sentence;    /* NULL: not said */
} cases[] = {
	{{{{100, 300}, {0}, {100, 300}}}, "the memory of app grew by 200M to 300M, 1.17G a minute"},
	/* The same without a peak. */
	{{{{100, 300}, {0}, {0}}}, "the memory of app grew by 200M to 300M, 1.17G a minute"},
	/* A heap in rotation: it held as much before, ... */
	{{{{100, 300}, {0}, {320, 320}}}, NULL},
	/* ... or holds less than it did within the window. */
	{{{{100, 300}, {0}, {320, 340}}}, NULL},
	/* The part above the peak. */
	{{{{100, 300}, {0}, {150, 310}}}, "the memory of app grew by 150M to 300M, 900M a minute"},
	/* Pages of files are in RSS, and are no growth. */
	{{{{100, 200}, {50, 450}, {150, 650}}},
	 "the memory of app grew by 100M to 650M, 600M a minute"},
	/* Each process has its own peak. */
	{{{{100, 300}, {0}, {100, 300}}, {{100, 300}, {0}, {320, 320}}},
	 "the memory of app grew by 200M to 600M, 1.17G a minute, 100 % of it in app[10]"},
};

static Sample *capture(const Process *processes, guint side)
{
	Sample *sample = sample_new();

	sample_host(sample);
	for (guint i = 0; i < MOST && processes[i].held[0] > 0; i++) {
		const Process *process = &processes[i];
		guint64 file = process->file[side] << 10;
		guint64 all = (process->held[side] << 10) + file;
		g_autofree char *memory =
			g_strdup_printf("Pss=%" G_GUINT64_FORMAT " Pss_File=%" G_GUINT64_FORMAT
					" Rss=%" G_GUINT64_FORMAT,
					all, file, all);

		sample_thread(sample, 10 + (gint32)i, 10 + (gint32)i, "app", "app", "/");
		sample_u64(sample, "start_time_clock_ticks", 100);
		sample_map(sample, "smaps_rollup_kib", memory);
		if (process->peak[1] > 0)
			sample_u64(sample, "hiwater_rss_bytes", process->peak[side] << 20);
	}
	return sample;
}

static void test_growth(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) before = capture(cases[i].processes, 0);
		g_autoptr(Sample) after = capture(cases[i].processes, 1);
		g_autofree char *sentence = sample_finding(before, after, SECONDS, "grew");

		g_assert_cmpstr(sentence, ==, cases[i].sentence);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/analysis/growth", test_growth);
	return g_test_run();
}

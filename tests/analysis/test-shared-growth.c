/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the finding about growth of shared memory and tmpfs, which no process may map. */
#include "sample.h"

#define SHARED "system.memory.shared"
#define SWAP_FREE "system.swap.free"
#define USED "tmpfs_used_bytes"
#define MIB 1024 /* KiB */

/* Growth in MiB of a window; what it began with is 1000 of each. */
static const struct {
	const char *what, *sentence; /* NULL: no finding */
	gdouble seconds;
	guint64 shared, swapped_in, pool, mounts[2];
	gboolean has_mounts;
} cases[] = {
	{"files of a tmpfs that no process maps",
	 "shared memory grew by 1.17G to 2.15G, 120 % a minute: tmpfs /dev/shm +1.16G",
	 60,
	 1200,
	 0,
	 0,
	 {1190, 10},
	 TRUE},
	{"a memfd: no tmpfs explains it",
	 "shared memory grew by 1.17G to 2.15G, 120 % a minute",
	 60,
	 1200,
	 0,
	 0,
	 {100, 0},
	 TRUE},
	{"two mounts, each less than most of it",
	 "shared memory grew by 1.17G to 2.15G, 120 % a minute",
	 60,
	 1200,
	 0,
	 0,
	 {600, 600},
	 TRUE},
	{"the mounts were not read",
	 "shared memory grew by 1.17G to 2.15G, 120 % a minute",
	 60,
	 1200,
	 0,
	 0,
	 {0},
	 FALSE},
	{"in a short window, as fast as in a minute",
	 "shared memory grew by 12.0M to 0.99G, 72 % a minute",
	 1,
	 12,
	 0,
	 0,
	 {0},
	 FALSE},
	{"a pool grew by itself",
	 "shared memory grew by 1.17G to 2.15G, 120 % a minute",
	 60,
	 1200,
	 0,
	 4000,
	 {0},
	 FALSE},
	/* ---- silence ---- */
	{"too little", NULL, 1, 8, 0, 0, {0}, FALSE},
	{"less than a twentieth of it", NULL, 60, 50, 0, 0, {0}, FALSE},
	{"it was swapped in", NULL, 60, 1200, 1190, 0, {1190, 0}, TRUE},
	{"a pool maps it, and is reported to grow", NULL, 60, 1200, 0, 1190, {1190, 0}, TRUE},
	{"a tmpfs whose files are swapped out at once", NULL, 60, 0, 0, 0, {1200, 0}, TRUE},
};

static void add_mount(Sample *sample, const char *name, guint64 mib)
{
	sample_object(sample, "memory-tmpfs", name);
	sample_u64(sample, USED, mib * MIB * 1024);
}

static Sample *capture(gsize i, gboolean is_after)
{
	guint64 times = is_after ? 1 : 0;
	Sample *sample = sample_new();

	sample_metric(sample, SHARED, CTPROF_LEVEL, CTPROF_UNIT_KIB, CTPROF_SCOPE_HOST, "system");
	sample_metric(sample, SWAP_FREE, CTPROF_LEVEL, CTPROF_UNIT_KIB, CTPROF_SCOPE_HOST,
		      "system");
	sample_metric(sample, USED, CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT,
		      "memory-tmpfs");
	sample_host(sample);
	sample_u64(sample, SHARED, (1000 + times * cases[i].shared) * MIB);
	sample_u64(sample, SWAP_FREE, (1000 + times * cases[i].swapped_in) * MIB);
	if (cases[i].has_mounts) {
		add_mount(sample, "/dev/shm", 1000 + times * cases[i].mounts[0]);
		add_mount(sample, "/tmp", 1000 + times * cases[i].mounts[1]);
	}
	sample_thread(sample, 10, 10, "app", "app", "/");
	sample_u64(sample, "start_time_clock_ticks", 100);
	g_autofree char *pss = g_strdup_printf("Pss=%" G_GUINT64_FORMAT,
					       (1000 + times * cases[i].pool) * (guint64)MIB);
	sample_map(sample, "smaps_rollup_kib", pss);
	return sample;
}

static void test_growth(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Sample) before = capture(i, FALSE);
		g_autoptr(Sample) after = capture(i, TRUE);
		g_autofree char *sentence =
			sample_finding(before, after, cases[i].seconds, "shared-grew");

		g_test_message("%s", cases[i].what);
		g_assert_cmpstr(sentence, ==, cases[i].sentence);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/analysis/digest/growth of shared memory", test_growth);
	return g_test_run();
}

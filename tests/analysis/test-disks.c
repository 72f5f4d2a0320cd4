/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the finding about a disk that is busy while threads wait: with numbers that show a problem,
 * and with those of disks and threads without one. */
#include <string.h>

#include "ctprof/plugin.h"
#include "row/registry.h"
#include "sample.h"

#define SECONDS 10
#define S G_GUINT64_CONSTANT(1000000000)
#define MB G_GUINT64_CONSTANT(1000000)
#define FINDING "disk-busy"

static const struct {
	const char *name, *group;
	guint32 kind, unit, scope;
} more[] = {
	{"ppid", "identity", CTPROF_LABEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_PROCESS},
	{"voluntary_csw", "sched", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	{"nonvoluntary_csw", "sched", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	{"write_bytes", "io", CTPROF_COUNTER, CTPROF_UNIT_BYTES, CTPROF_SCOPE_THREAD},
	{"cancelled_write_bytes", "io", CTPROF_COUNTER, CTPROF_UNIT_BYTES, CTPROF_SCOPE_THREAD},
	{"blkio_delay_total_ns", "delay", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD},
	{"system.disk.read_bytes", "system", CTPROF_COUNTER, CTPROF_UNIT_BYTES, CTPROF_SCOPE_HOST},
	{"system.disk.write_bytes", "system", CTPROF_COUNTER, CTPROF_UNIT_BYTES, CTPROF_SCOPE_HOST},
	{"psi.io.some.total_usec", "psi", CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_HOST},
	{"disk_reads", "system-disks", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_OBJECT},
	{"disk_read_bytes", "system-disks", CTPROF_COUNTER, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT},
	{"disk_read_time", "system-disks", CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_OBJECT},
	{"disk_writes", "system-disks", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_OBJECT},
	{"disk_write_bytes", "system-disks", CTPROF_COUNTER, CTPROF_UNIT_BYTES,
	 CTPROF_SCOPE_OBJECT},
	{"disk_write_time", "system-disks", CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_OBJECT},
	{"disk_busy_time", "system-disks", CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_OBJECT},
};

/* The activity of a disk in the window; bytes in MB, times in ms. */
typedef struct disk {
	const char *name; /* NULL: no more */
	guint64 reads, read_mb, read_ms, writes, written_mb, write_ms, busy_ms;
	gboolean is_new; /* it was added in the window */
} Disk;

/* A process of n threads, each with this activity. */
typedef struct band {
	const char *name; /* NULL: no more */
	guint n;
	guint64 delay_ms, read_mb, written_mb, cancelled_mb;
	const char *states; /* at both ends; NULL: "SS" */
	gboolean is_kernel;
} Band;

typedef struct scene {
	const char *what, *sentence; /* NULL: there is no such finding */
	guint64 stalled_ms;          /* some thread waited for I/O */
	gboolean has_delays, has_pressure;
	Disk disks[4];
	Band bands[4];
} Scene;

static void add_disk(Sample *sample, const Disk *disk, guint64 times)
{
	sample_object(sample, "system-disks", disk->name);
	sample_u64(sample, "disk_reads", times * disk->reads);
	sample_u64(sample, "disk_read_bytes", times * disk->read_mb * MB);
	sample_u64(sample, "disk_read_time", times * disk->read_ms * 1000);
	sample_u64(sample, "disk_writes", times * disk->writes);
	sample_u64(sample, "disk_write_bytes", times * disk->written_mb * MB);
	sample_u64(sample, "disk_write_time", times * disk->write_ms * 1000);
	sample_u64(sample, "disk_busy_time", times * disk->busy_ms * 1000);
}

static void add_thread(Sample *sample, const Scene *scene, const Band *band, gint32 tgid,
		       gint32 tid, gboolean is_after)
{
	guint64 times = is_after ? 1 : 0;

	sample_thread(sample, tgid, tid, band->name, band->name, "/");
	if (tgid == tid)
		sample_u64(sample, "ppid", band->is_kernel ? 2 : 1);
	sample_u64(sample, "start_time_clock_ticks", 100);
	sample_u64(sample, "run_time_ns", times * S / 100);
	sample_u64(sample, "wait_time_ns", 0);
	sample_u64(sample, "voluntary_csw", times * 100);
	sample_u64(sample, "nonvoluntary_csw", 0);
	sample_u64(sample, "state", (guint64)(band->states ? band->states[is_after] : 'S'));
	sample_u64(sample, "read_bytes", times * band->read_mb * MB);
	sample_u64(sample, "write_bytes", times * band->written_mb * MB);
	sample_u64(sample, "cancelled_write_bytes", times * band->cancelled_mb * MB);
	if (scene->has_delays)
		sample_u64(sample, "blkio_delay_total_ns", times * band->delay_ms * (S / 1000));
}

/* Returns the amount that all disks transfer. */
static guint64 host_bytes(const Scene *scene, gboolean of_writes)
{
	guint64 mb = 0;

	for (const Disk *disk = scene->disks; disk->name; disk++)
		if (!g_regex_match_simple("^(dm-|loop|nvme0c|ram|zram)", disk->name, 0, 0))
			mb += of_writes ? disk->written_mb : disk->read_mb;
	return mb * MB;
}

static Sample *capture(const Scene *scene, gboolean is_after)
{
	Sample *sample = sample_new();
	gint32 tgid = 0;

	for (guint i = 0; i < G_N_ELEMENTS(more); i++)
		sample_metric(sample, more[i].name, more[i].kind, more[i].unit, more[i].scope,
			      more[i].group);
	sample_host(sample);
	sample_u64(sample, "system.disk.read_bytes", is_after ? host_bytes(scene, FALSE) : 0);
	sample_u64(sample, "system.disk.write_bytes", is_after ? host_bytes(scene, TRUE) : 0);
	if (scene->has_pressure)
		sample_u64(sample, "psi.io.some.total_usec",
			   is_after ? scene->stalled_ms * 1000 : 0);
	for (const Disk *disk = scene->disks; disk->name; disk++)
		if (is_after || !disk->is_new)
			add_disk(sample, disk, is_after ? 1 : 0);
	for (const Band *band = scene->bands; band->name; band++, tgid += 100)
		for (gint32 i = 0; i < (gint32)band->n; i++)
			add_thread(sample, scene, band, 100 + tgid, 100 + tgid + i, is_after);
	return sample;
}

/* Returns the finding as a line, its subject and its sentence; NULL: there is no finding. */
static char *find(const Scene *scene, gdouble first_took_s, gdouble second_took_s)
{
	g_autoptr(Sample) before = capture(scene, FALSE);
	g_autoptr(Sample) after = capture(scene, TRUE);
	AnalysisOptions options = {
		.group_by = GROUP_BY_PCOMM,
		.may_be_window = TRUE,
		.is_window = TRUE,
		.is_whole_host = TRUE,
		.elapsed_s = SECONDS,
		.captures = {{.taken_s = first_took_s}, {.taken_s = second_took_s}},
		.began = 200,
	};
	const struct ctprof_report *report;
	g_autoptr(Analysis) analysis G_GNUC_UNUSED =
		sample_analyse(before, after, &options, &report);
	const struct ctprof_report_section *section = sample_section(report, "findings");

	for (guint64 i = 0; i < section->n_lines; i++) {
		const struct ctprof_report_line *line = &section->lines[i];

		if (strcmp(line->cells[0].value[1].text, FINDING) == 0)
			return g_strdup_printf("%s: %s", line->cells[1].value[1].text,
					       line->cells[line->n_cells - 1].value[1].text);
	}
	return NULL;
}

/* 2400 requests of 50 ms: 12 at a time. */
#define READING(name)                                                                              \
	{                                                                                          \
		name, 2400, 1200, 120000, 0, 0, 0, 9900, FALSE                                     \
	}
#define WRITING(name)                                                                              \
	{                                                                                          \
		name, 0, 0, 0, 2400, 1200, 120000, 9900, FALSE                                     \
	}
#define WAITING                                                                                    \
	{                                                                                          \
		"db", 8, 4000, 1, 1, 0, "DD", FALSE                                                \
	}
#define FLUSHER                                                                                    \
	{                                                                                          \
		"kworker", 2, 9900, 0, 1, 0, "DD", TRUE                                            \
	}

static const Scene scenes[] = {
	{"it is read, and the pool that waits is the one that reads",
	 "sda: disk sda is busy 99 % of the time: 240 requests/s take 50.0ms each, 114M/s read, 0B/s "
	 "written; 3.20 threads of db wait for block I/O; db reads 114M/s of it",
	 9000,
	 TRUE,
	 TRUE,
	 {READING("sda")},
	 {{"db", 8, 4000, 150, 0, 0, "DD", FALSE}}},
	{"another pool writes",
	 "sda: disk sda is busy 99 % of the time: 240 requests/s take 50.0ms each, 0B/s read, 114M/s "
	 "written; 3.20 threads of db wait for block I/O; backup writes 124M/s to files",
	 0,
	 TRUE,
	 FALSE,
	 {WRITING("sda")},
	 {WAITING, {"backup", 1, 0, 0, 1300, 0, NULL, FALSE}}},
	{"by pressure, where delays are not counted",
	 "sda: disk sda is busy 99 % of the time: 240 requests/s take 50.0ms each, 114M/s read, 0B/s "
	 "written; threads wait for I/O 90 % of the time, with 8 of db in state D at both ends",
	 9000,
	 FALSE,
	 TRUE,
	 {READING("sda")},
	 {WAITING}},
	{"what was deleted before it was written is not why",
	 "sda: disk sda is busy 99 % of the time: 240 requests/s take 50.0ms each, 0B/s read, 114M/s "
	 "written; 3.20 threads of db wait for block I/O",
	 0,
	 TRUE,
	 FALSE,
	 {WRITING("sda")},
	 {WAITING, {"temp", 1, 0, 0, 1300, 1000, NULL, FALSE}}},
	{"a device on top of it, or a path to it, does the same once more",
	 "sda: disk sda is busy 99 % of the time: 240 requests/s take 50.0ms each, 114M/s read, 0B/s "
	 "written; 3.20 threads of db wait for block I/O",
	 0,
	 TRUE,
	 FALSE,
	 {READING("dm-0"), READING("nvme0c0n1"), READING("sda")},
	 {WAITING}},
	{"beside a fast disk, whose bytes are most",
	 "sda: disk sda is busy 99 % of the time: 240 requests/s take 50.0ms each, 114M/s read, 0B/s "
	 "written; 3.20 threads of db wait for block I/O",
	 0,
	 TRUE,
	 FALSE,
	 {READING("sda"), {"nvme0n1", 90000, 20000, 18000, 0, 0, 0, 9000, FALSE}},
	 {WAITING, {"scan", 4, 400, 5000, 0, 0, NULL, FALSE}}},
	/* ---- all right ---- */
	{"NVMe: 32 at a time, each in 0.1 ms",
	 NULL,
	 9900,
	 TRUE,
	 TRUE,
	 {{"nvme0n1", 3200000, 13000, 320000, 0, 0, 0, 10000, FALSE}},
	 {{"db", 32, 9900, 406, 0, 0, "DD", FALSE}}},
	{"one after the other: busy, and none queues",
	 NULL,
	 9900,
	 TRUE,
	 TRUE,
	 {{"sda", 1000, 4, 9900, 0, 0, 0, 9900, FALSE}},
	 {{"db", 1, 9900, 4, 0, 0, "DD", FALSE}}},
	{"written back from the page cache, and no one waits",
	 NULL,
	 300,
	 TRUE,
	 TRUE,
	 {WRITING("sda")},
	 {{"backup", 1, 0, 0, 1300, 0, NULL, FALSE}}},
	{"but for the kernel's own threads",
	 NULL,
	 9900,
	 TRUE,
	 TRUE,
	 {WRITING("sda")},
	 {{"backup", 1, 0, 0, 1300, 0, NULL, FALSE}, FLUSHER}},
	{"the same by pressure",
	 NULL,
	 9900,
	 FALSE,
	 TRUE,
	 {WRITING("sda")},
	 {{"backup", 1, 0, 0, 1300, 0, "RD", FALSE}, FLUSHER}},
	{"threads wait less than half of the time",
	 NULL,
	 4900,
	 FALSE,
	 TRUE,
	 {READING("sda")},
	 {WAITING}},
	{"the same by their delays",
	 NULL,
	 4900,
	 TRUE,
	 TRUE,
	 {READING("sda")},
	 {{"db", 8, 500, 1, 1, 0, "DD", FALSE}}},
	{"a thread that is stuck waits for no disk",
	 NULL,
	 9900,
	 FALSE,
	 TRUE,
	 {WRITING("sda")},
	 {{"stuck", 1, 0, 0, 0, 0, "DD", FALSE}, FLUSHER}},
	{"into the page cache, and the disk has little to do",
	 NULL,
	 9900,
	 TRUE,
	 TRUE,
	 {{"sda", 0, 0, 0, 100, 50, 400, 400, FALSE}},
	 {WAITING, {"backup", 1, 0, 0, 1300, 0, NULL, FALSE}}},
	{"it queues in bursts, and is idle in between",
	 NULL,
	 9900,
	 TRUE,
	 TRUE,
	 {{"sda", 2400, 1200, 120000, 0, 0, 0, 8900, FALSE}},
	 {WAITING}},
	{"the threads may wait for the other disk as well",
	 NULL,
	 9900,
	 TRUE,
	 TRUE,
	 {READING("sda"), READING("sdb")},
	 {WAITING}},
	{"neither delays nor pressure are known",
	 NULL,
	 0,
	 FALSE,
	 FALSE,
	 {READING("sda")},
	 {WAITING}},
	{"what a new disk has counted may be older",
	 NULL,
	 9900,
	 TRUE,
	 TRUE,
	 {{"sda", 2400, 1200, 120000, 0, 0, 0, 9900, TRUE}},
	 {WAITING}},
};

static void test_disks(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(scenes); i++) {
		g_autofree char *found = find(&scenes[i], 0, 0);

		g_test_message("%s", scenes[i].what);
		g_assert_cmpstr(found, ==, scenes[i].sentence);
	}
}

/* A capture reads the disks at its end, but the window is from the beginning of one capture to that
 * of the other. */
static void test_ends(void)
{
	g_autofree char *shorter = find(&scenes[0], 3, 0), *longer = find(&scenes[0], 0, 3);

	g_assert_nonnull(shorter);
	g_assert_nonnull(strstr(shorter, ": 343 requests/s take 50.0ms each, 163M/s read"));
	g_assert_null(longer);
}

#define READER(mb)                                                                                 \
	{                                                                                          \
		"reader", 1, 0, mb, 0, 0, NULL, FALSE                                              \
	}
#define READS(name, mb)                                                                            \
	{                                                                                          \
		name, 1, mb, 1, 0, 0, 0, 1, FALSE                                                  \
	}

/* What threads transfer, and what of it disks did: .sentence is of the finding .what. */
static const Scene uppers[] = {
	{"disk-io",
	 "reader does the disk reads: 114M/s of 114M/s, 10 switches/s",
	 0,
	 FALSE,
	 FALSE,
	 {READS("sda", 1200)},
	 {READER(1200)}},
	/* Devices on top that the kernel remaps are counted once. */
	{"disk-io",
	 "reader does the disk reads: 114M/s of 114M/s, 10 switches/s",
	 0,
	 FALSE,
	 FALSE,
	 {READS("dm-0", 1200), READS("sda", 1200)},
	 {READER(1200)}},
	{"disk-io", NULL, 0, FALSE, FALSE, {READS("ram0", 1200)}, {READER(1200)}},
	/* Its first use in the window. */
	{"disk-io",
	 NULL,
	 0,
	 FALSE,
	 FALSE,
	 {{"loop0", 1, 1200, 1, 0, 0, 0, 1, TRUE}},
	 {READER(1200)}},
	/* Another pool reads the disk; the counts of the loop device were read a little earlier. */
	{"disk-io",
	 NULL,
	 0,
	 FALSE,
	 FALSE,
	 {READS("loop0", 1150), READS("sda", 50)},
	 {READER(1200), {"db", 1, 0, 50, 0, 0, NULL, FALSE}}},
	{"disk-io",
	 NULL,
	 0,
	 FALSE,
	 FALSE,
	 {READS("loop0", 60), READS("sda", 40)},
	 {READER(60), {"db", 1, 0, 40, 0, 0, NULL, FALSE}}},
	/* The file of the loop device is on the disk: a worker of the kernel reads it. */
	{"disk-io",
	 "kworker does the disk reads: 114M/s of 114M/s, 10 switches/s",
	 0,
	 FALSE,
	 FALSE,
	 {READS("loop0", 1200), READS("sda", 1200)},
	 {READER(1200), {"kworker", 1, 0, 1200, 0, 0, NULL, TRUE}}},
	/* It may have read from the loop device, but that explains a part only. */
	{"disk-io",
	 "reader does the disk reads: 105M/s of 124M/s, 10 switches/s",
	 0,
	 FALSE,
	 FALSE,
	 {READS("loop0", 100), READS("sda", 1300)},
	 {READER(1200)}},
	{"writes-files",
	 "backup writes 124M/s to files, the disks 3.81M/s",
	 0,
	 FALSE,
	 FALSE,
	 {{"zram0", 0, 0, 0, 1, 1300, 1, 1, FALSE}, {"sda", 0, 0, 0, 1, 40, 1, 1, FALSE}},
	 {{"backup", 1, 0, 0, 1300, 0, NULL, FALSE}}},
};

/* The kernel counts what threads read from devices in memory like what they read from disks, and
 * what they read from a loop device again for the worker that reads its file. */
static void test_uppers(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(uppers); i++) {
		g_autoptr(Sample) before = capture(&uppers[i], FALSE);
		g_autoptr(Sample) after = capture(&uppers[i], TRUE);
		g_autofree char *found = sample_finding(before, after, SECONDS, uppers[i].what);

		g_assert_cmpstr(found, ==, uppers[i].sentence);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/disks/a disk is named if it is why threads wait", test_disks);
	g_test_add_func("/disks/devices in memory are no disks", test_uppers);
	g_test_add_func("/disks/what a disk does is by the time between its readings", test_ends);
	return g_test_run();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the parsers of the kernel's files, with tables of cases. */
#include <glib.h>
#include <string.h>

#include "../affinity.h"
#include "../files.h"
#include "cgroup-lines.h"
#include "smaps-sums.h"

#define MISSING CTPROF_ABSENT_UNSUPPORTED
#define INAPPLICABLE CTPROF_ABSENT_INAPPLICABLE
#define INVALID CTPROF_ABSENT_INVALID

static struct files_index files_index;

struct number_case {
	enum file_id file;
	const char *text;
	const char *metric;
	guint32 why; /* CTPROF_PRESENT: expect is the value */
	gint64 expect;
};

static unsigned row_of(const char *metric)
{
	for (unsigned row = 0; row < N_METRICS; row++)
		if (g_str_equal(procfs_metrics[row].def.name, metric))
			return row;
	g_error("no metric %s", metric);
}

/* Parses a copy of the text's exact size, so that a read beyond it is detected. */
static const struct value *parse(enum file_id file, const char *bytes, gsize len,
				 const char *metric, char **ret_copy)
{
	static struct value values[N_METRICS];

	*ret_copy = g_memdup2(bytes, len);
	memset(values, 0xa5, sizeof values);
	procfs_files[file].parse(&files_index, file, (struct text){*ret_copy, len}, values);
	return &values[row_of(metric)];
}

static void say_case(const char *metric, const char *text)
{
	g_autofree char *escaped = g_strescape(text, NULL);

	g_test_message("%s of \"%s\"", metric, escaped);
}

static void assert_bytes(const char *got, gsize got_len, const char *expect)
{
	g_assert_cmpuint(got_len, ==, strlen(expect));
	g_assert_true(got_len == 0 || memcmp(got, expect, got_len) == 0);
}

static void check_numbers(const struct number_case *cases, gsize n)
{
	for (gsize i = 0; i < n; i++) {
		const struct number_case *c = &cases[i];
		g_autofree char *copy = NULL;
		const struct value *value =
			parse(c->file, c->text, strlen(c->text), c->metric, &copy);

		say_case(c->metric, c->text);
		g_assert_cmpuint(value->why, ==, c->why);
		if (value->why == CTPROF_PRESENT)
			g_assert_cmpint((gint64)value->bits, ==, c->expect);
	}
}

#define TAIL_8 "S 1 2 3 4 5 6 7"
#define TAIL_20 TAIL_8 " 8 9 10 11 12 13 14 15 16 17 18 19"
#define TAIL_36 TAIL_20 " 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35"

static void test_stat(void)
{
	static const struct number_case cases[] = {
		{FILE_STAT, "1234 (weird)name) " TAIL_20, "start_time_clock_ticks", 0, 19},
		{FILE_STAT, "1 (a\nb) R 1) " TAIL_20, "start_time_clock_ticks", 0, 19},
		{FILE_STAT, "1 (c) " TAIL_36 " 36 37 5\n", "minflt", 0, 7},
		{FILE_STAT, "1 (c) " TAIL_36 " 36 37 5\n", "majflt", 0, 9},
		{FILE_STAT, "1 (c) " TAIL_36 " 36 37 5\n", "utime_clock_ticks", 0, 11},
		{FILE_STAT, "1 (c) " TAIL_36 " 36 37 5\n", "stime_clock_ticks", 0, 12},
		{FILE_STAT, "1 (c) " TAIL_36 " 36 37 5\n", "priority", 0, 15},
		{FILE_STAT, "1 (c) " TAIL_36 " 36 37 5\n", "nice", 0, 16},
		{FILE_STAT, "1 (c) " TAIL_36 " 36 37 5\n", "processor", 0, 36},
		{FILE_STAT, "1 (c) " TAIL_36 " 36 37 5\n", "rt_priority", 0, 37},
		{FILE_STAT, "1 (c) " TAIL_8, "minflt", 0, 7},
		{FILE_STAT, "1 (c) " TAIL_8, "majflt", MISSING, 0},
		{FILE_STAT, "1 (c) " TAIL_8, "policy", MISSING, 0},
		{FILE_STAT, "1 (c) " TAIL_36 " -1", "processor", 0, -1},
		{FILE_STAT, "1 (c) " TAIL_36 " 2147483648", "processor", INVALID, 0},
		{FILE_STAT, "1 (c) " TAIL_36 " 0 4294967296", "rt_priority", INVALID, 0},
		{FILE_STAT, "1 (c) S 1 2 3 4 5 6 18446744073709551615", "minflt", 0, -1},
		{FILE_STAT, "1 (c) S 1 2 3 4 5 6 18446744073709551616", "minflt", INVALID, 0},
		{FILE_STAT, "1 (c) S 1 2 3 4 5 6 x 8 9", "minflt", INVALID, 0},
		{FILE_STAT, "1 (c) S 1 2 3 4 5 6 x 8 9", "majflt", 0, 9},
		{FILE_STAT, "", "minflt", MISSING, 0},
		{FILE_STAT, "no parens here", "minflt", MISSING, 0},
		{FILE_STAT, "  \n", "minflt", MISSING, 0},
		{FILE_STAT, ")", "minflt", MISSING, 0},
	};

	check_numbers(cases, G_N_ELEMENTS(cases));
}

static void test_schedstat(void)
{
	static const struct number_case cases[] = {
		{FILE_SCHEDSTAT, "12345 67890 42", "run_time_ns", 0, 12345},
		{FILE_SCHEDSTAT, "12345 67890 42", "wait_time_ns", 0, 67890},
		{FILE_SCHEDSTAT, "12345 67890 42\n", "timeslices", 0, 42},
		{FILE_SCHEDSTAT, "12345", "run_time_ns", 0, 12345},
		{FILE_SCHEDSTAT, "12345", "wait_time_ns", MISSING, 0},
		{FILE_SCHEDSTAT, "12345\n1 2 3", "wait_time_ns", MISSING, 0},
		{FILE_SCHEDSTAT, "1 invalid 3", "run_time_ns", 0, 1},
		{FILE_SCHEDSTAT, "1 invalid 3", "wait_time_ns", INVALID, 0},
		{FILE_SCHEDSTAT, "1 invalid 3", "timeslices", 0, 3},
		{FILE_SCHEDSTAT, "1 2 3 4", "timeslices", 0, 3},
		{FILE_SCHEDSTAT, "", "run_time_ns", MISSING, 0},
		{FILE_SCHEDSTAT, "0 63269 1\n", "run_time_ns", 0, 0},
	};

	check_numbers(cases, G_N_ELEMENTS(cases));
}

#define IO_SEVEN                                                                                   \
	"rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"                  \
	"cancelled_write_bytes: 7\n"

static void test_io(void)
{
	static const struct number_case cases[] = {
		{FILE_IO, IO_SEVEN, "rchar", 0, 1},
		{FILE_IO, IO_SEVEN, "wchar", 0, 2},
		{FILE_IO, IO_SEVEN, "syscr", 0, 3},
		{FILE_IO, IO_SEVEN, "syscw", 0, 4},
		{FILE_IO, IO_SEVEN, "read_bytes", 0, 5},
		{FILE_IO, IO_SEVEN, "write_bytes", 0, 6},
		{FILE_IO, IO_SEVEN, "cancelled_write_bytes", 0, 7},
		{FILE_IO, "rchar: 1\nwchar: not-a-number\nsyscr: 3\n", "rchar", 0, 1},
		{FILE_IO, "rchar: 1\nwchar: not-a-number\nsyscr: 3\n", "wchar", INVALID, 0},
		{FILE_IO, "rchar: 1\nwchar: not-a-number\nsyscr: 3\n", "syscr", 0, 3},
		{FILE_IO, "rchar: 1\nrchar: 2\n", "rchar", 0, 2},
		{FILE_IO, "x.rchar: 1\n", "rchar", MISSING, 0},
		{FILE_IO, " rchar\t:  +9 ", "rchar", 0, 9},
		{FILE_IO, "rchar x : 9", "rchar", MISSING, 0},
		{FILE_IO, "x rchar: 9", "rchar", MISSING, 0},
		{FILE_IO, ":9\n : 9\n", "rchar", MISSING, 0},
		{FILE_IO, "rchar\n", "rchar", MISSING, 0},
		{FILE_IO, "", "rchar", MISSING, 0},
	};

	check_numbers(cases, G_N_ELEMENTS(cases));
}

static void test_status(void)
{
	static const struct number_case cases[] = {
		{FILE_STATUS, "State:\tS (sleeping)\n", "state", 0, 'S'},
		{FILE_STATUS, "Name:\tx\n", "state", MISSING, 0},
		{FILE_STATUS, "State:\t\n", "state", INVALID, 0},
		{FILE_STATUS, "State:\t\xc3\xa9\n", "state", INVALID, 0},
		{FILE_STATUS, "Name:\ta\\nState:\\tR\nState:\tS\n", "state", 0, 'S'},
		{FILE_STATUS, "Threads:\t2\n", "nr_threads", 0, 2},
		{FILE_STATUS, "voluntary_ctxt_switches:\t5\n", "voluntary_csw", 0, 5},
		{FILE_STATUS, "voluntary_ctxt_switches:\t5\n", "nonvoluntary_csw", MISSING, 0},
		{FILE_STATUS, "nonvoluntary_ctxt_switches:\t6\n", "nonvoluntary_csw", 0, 6},
		{FILE_STATUS, "voluntary_ctxt_switches:\t5 x\n", "voluntary_csw", INVALID, 0},
	};

	check_numbers(cases, G_N_ELEMENTS(cases));
	for (const char *letter = "RSDTtXZPI"; *letter; letter++) {
		char text[] = "State:\t?\n";

		text[7] = *letter;
		const struct number_case one = {FILE_STATUS, text, "state", 0, *letter};
		check_numbers(&one, 1);
	}
}

/* The heading as the kernel prints it, which contains the comm. */
#define SCHED_HEADING(comm)                                                                        \
	comm " (1, #threads: 1)\n"                                                                 \
	     "-------------------------------------------------------------------\n"
#define UTIL_EST(ewma, enqueued)                                                                   \
	"x : 1\nse.avg.util_est.ewma : " ewma "\nse.avg.util_est.enqueued : " enqueued             \
	"\npolicy : 0"

#define SLEEP_BLOCK(sleep, block) "sum_sleep_runtime : " sleep "\nsum_block_runtime : " block "\n"

static void test_sched(void)
{
	static const struct number_case cases[] = {
		{FILE_SCHED, "se.statistics.nr_wakeups : 1000", "nr_wakeups", 0, 1000},
		{FILE_SCHED, "stats.nr_wakeups : 42", "nr_wakeups", 0, 42},
		{FILE_SCHED, "nr_wakeups : 7", "nr_wakeups", 0, 7},
		{FILE_SCHED, "nr_wakeups_sync : 7", "nr_wakeups", MISSING, 0},
		{FILE_SCHED, "se.nr_migrations : 42", "nr_migrations", 0, 42},
		{FILE_SCHED, "some.other.prefix.nr_migrations : 9", "nr_migrations", 0, 9},
		{FILE_SCHED, "nr_migrations_cold : 9", "nr_migrations", MISSING, 0},
		{FILE_SCHED, "ext.enabled : 1", "ext_enabled", 0, 1},
		{FILE_SCHED, "ext.enabled : 0", "ext_enabled", 0, 0},
		{FILE_SCHED, "foo.enabled : 1", "ext_enabled", MISSING, 0},
		{FILE_SCHED, "enabled : 1", "ext_enabled", MISSING, 0},
		{FILE_SCHED, "a.ext.enabled : 1", "ext_enabled", MISSING, 0},
		{FILE_SCHED, "se.slice : 1400000", "fair_slice_ns", 0, 1400000},
		{FILE_SCHED, "x : 1\npolicy : 0\n", "fair_slice_ns", MISSING, 0},
		{FILE_SCHED, "x : 1\npolicy : 3\n", "fair_slice_ns", MISSING, 0},
		{FILE_SCHED, "x : 1\npolicy      :       1", "fair_slice_ns", INAPPLICABLE, 0},
		{FILE_SCHED, "x : 1\npolicy : 1\nse.slice : 5", "fair_slice_ns", 0, 5},
		{FILE_SCHED, "se.avg.util_avg : 46\nse.avg.util_sum : 7", "util_avg", 0, 46},
		{FILE_SCHED, "se.avg.load_avg : 1024", "load_avg", 0, 1024},
		{FILE_SCHED, "se.avg.runnable_avg : 5", "runnable_avg", 0, 5},
		{FILE_SCHED, "x : 1\nse.avg.util_est : 204", "util_est", 0, 204},
		{FILE_SCHED, UTIL_EST("298", "46"), "util_est", 0, 298},
		{FILE_SCHED, UTIL_EST("46", "298"), "util_est", 0, 298},
		{FILE_SCHED, UTIL_EST("x", "298"), "util_est", INVALID, 0},
		{FILE_SCHED, UTIL_EST("46", "-1"), "util_est", INVALID, 0},
		{FILE_SCHED, "x : 1\nse.avg.util_est.ewma : 9", "util_est", MISSING, 0},
		{FILE_SCHED, "uclamp.min : 128\nuclamp.max : 512", "uclamp_min", 0, 128},
		{FILE_SCHED, "uclamp.min : 128\nuclamp.max : 512", "uclamp_max", 0, 512},
		{FILE_SCHED, "effective uclamp.min : 128", "uclamp_min", MISSING, 0},
		{FILE_SCHED, "numa_pages_migrated : 7", "numa_pages_migrated", 0, 7},
		{FILE_SCHED, "numa_preferred_nid : -1", "numa_preferred_nid", 0, -1},
		{FILE_SCHED, "total_numa_faults : 3\nnuma_faults node=0 x=1", "numa_faults", 0, 3},
		{FILE_SCHED, "x : 1\npolicy : 6\ndl.runtime : -5", "dl_runtime_ns", 0, -5},
		{FILE_SCHED, "x : 1\npolicy : 6\ndl.deadline : 50", "dl_deadline_ns", 0, 50},
		{FILE_SCHED, "x : 1\npolicy : 6\n", "dl_runtime_ns", MISSING, 0},
		{FILE_SCHED, "x : 1\npolicy : 0\n", "dl_runtime_ns", INAPPLICABLE, 0},
		{FILE_SCHED, "x : 1\npolicy : 1\n", "dl_deadline_ns", INAPPLICABLE, 0},
		{FILE_SCHED, "se.exec_start : 1140812.653085", "exec_max", MISSING, 0},
		{FILE_SCHED, SLEEP_BLOCK("3200.50", "1100.75"), "voluntary_sleep_ns", 0,
		 2099750000},
		{FILE_SCHED, SLEEP_BLOCK("3200.50", "1100.75"), "block_sum", 0, 1100750000},
		{FILE_SCHED, SLEEP_BLOCK("1.0", "2.0"), "voluntary_sleep_ns", 0, 0},
		{FILE_SCHED, SLEEP_BLOCK("1.0", "-2.0"), "voluntary_sleep_ns", INVALID, 0},
		{FILE_SCHED, "sum_sleep_runtime : 3.0", "voluntary_sleep_ns", MISSING, 0},
		{FILE_SCHED, "sum_block_runtime : 3.0", "voluntary_sleep_ns", MISSING, 0},
		{FILE_SCHED, SCHED_HEADING("wait_sum:9\nx"), "wait_sum", MISSING, 0},
		{FILE_SCHED, SCHED_HEADING("\n\n\nwait_sum:9\n\n") "wait_sum : 2\n", "wait_sum", 0,
		 2},
		{FILE_SCHED, SCHED_HEADING("---------------\nx") "wait_sum : 2\n", "wait_sum", 0,
		 2},
		{FILE_SCHED, SCHED_HEADING("a:b") "wait_sum : 2\n", "wait_sum", 0, 2},
		{FILE_SCHED, "", "wait_sum", MISSING, 0},
	};

	check_numbers(cases, G_N_ELEMENTS(cases));
}

static void test_dotted(void)
{
	static const struct {
		const char *text;
		guint32 why;
		guint64 ns;
		gboolean negative;
	} cases[] = {
		{"1234.5", 0, 1234500000, FALSE},
		{"678.9", 0, 678900000, FALSE},
		{"5000.25", 0, 5000250000, FALSE},
		{"250.5", 0, 250500000, FALSE},
		{"5.500", 0, 5500000, FALSE},
		{"0.000500", 0, 500, FALSE},
		{"1.0000019", 0, 1000001, FALSE},
		{"3.", 0, 3000000, FALSE},
		{"5", 0, 5, FALSE},
		{"18446744073709.551615", 0, G_MAXUINT64, FALSE},
		{"18446744073709.551616", INVALID, 0, FALSE},
		{"18446744073710.0", INVALID, 0, FALSE},
		{"-5", INVALID, 0, TRUE},
		{"-5.0", INVALID, 0, TRUE},
		{"0.-000500", INVALID, 0, TRUE},
		{"0.-1", INVALID, 0, TRUE},
		{"garbage", INVALID, 0, FALSE},
		{"garbage.5", INVALID, 0, FALSE},
		{"5.garbage", INVALID, 0, FALSE},
		{".5", INVALID, 0, FALSE},
		{"", INVALID, 0, FALSE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct value value;

		say_case("ns", cases[i].text);
		value_parse_dotted((struct text){cases[i].text, strlen(cases[i].text)}, &value);
		g_assert_cmpuint(value.why, ==, cases[i].why);
		g_assert_cmpint(value.negative, ==, cases[i].negative);
		if (value.why == CTPROF_PRESENT)
			g_assert_cmpuint(value.bits, ==, cases[i].ns);
	}
}

/* Paths in v1 controllers that differ from the thread's own. */
static void test_cgroup_v1(void)
{
	static const struct {
		const char *text, *expect;
	} cases[] = {
		{"0::/\n", ""},
		{"4:memory:/\n2:cpu,cpuacct:/\n0::/\n", ""},
		{"4:memory:/m:1 \n3:cpuset:/s\n2:cpu,cpuacct:/c\n1:pids:/\n0::/\n",
		 "cpu=/c;cpuacct=/c;memory=/m:1 ;"},
		{"4:memory:/m\n2:cpu:/c\n", "memory=/m;"},
		{"4:memory:/m\n4:memory:/again\n0::/m\n", ""},
		{"1:name=systemd:/s\n", ""},
		{"memory:/m\n:::\n0:memory:\n", ""},
		{"", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct ctprof_map_entry entries[CGROUP_CONTROLLERS];
		size_t n = cgroup_lines_v1(text_of(cases[i].text), entries);
		g_autoptr(GString) got = g_string_new(NULL);

		for (size_t e = 0; e < n; e++)
			g_string_append_printf(got, "%.*s=%.*s;", (int)entries[e].key_len,
					       entries[e].key, (int)entries[e].text_len,
					       entries[e].text);
		g_assert_cmpstr(got->str, ==, cases[i].expect);
	}
}

/* Values that are text: expect is NULL if the metric is missing. */
static void test_texts(void)
{
	static const struct {
		enum file_id file;
		const char *metric;
		const char *text;
		const char *expect;
	} cases[] = {
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 0", "SCHED_OTHER"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 1", "SCHED_FIFO"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 2", "SCHED_RR"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 3", "SCHED_BATCH"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 5", "SCHED_IDLE"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 6", "SCHED_DEADLINE"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 7", "SCHED_EXT"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 4", "SCHED_UNKNOWN(4)"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 99", "SCHED_UNKNOWN(99)"},
		{FILE_STAT, "policy", "1 (c) " TAIL_36 " 36 37 -1", "SCHED_UNKNOWN(-1)"},
		{FILE_COMM, "comm", "bash\n", "bash"},
		{FILE_COMM, "comm", " a\tb \n\n", " a\tb \n"},
		{FILE_COMM, "comm", "cut \xe2\x82\n", "cut \xe2\x82"},
		{FILE_COMM, "comm", "\n", ""},
		{FILE_COMM, "comm", "", ""},
		{FILE_COMM, "comm", "   \n", "   "},
		{FILE_PCOMM, "pcomm", "init\n", "init"},
		{FILE_CGROUP, "cgroup", "12:cpuset:/x\n0::/unified/path\n5:freezer:/y",
		 "/unified/path"},
		{FILE_CGROUP, "cgroup", "12:cpuset:/x\n5:freezer:/y\n", NULL},
		/* Without v2: the first of the known controllers, unless all are in the root; then
		 * that of another one, or of systemd. */
		{FILE_CGROUP, "cgroup", "4:memory:/m\n2:cpu,cpuacct:/c:1\n", "/c:1"},
		{FILE_CGROUP, "cgroup", "4:memory:/m\n2:cpu,cpuacct:/\n1:name=systemd:/s\n", "/m"},
		{FILE_CGROUP, "cgroup",
		 "4:memory:/\n2:cpu,cpuacct:/\n1:name=systemd:/s.slice/a.service\n",
		 "/s.slice/a.service"},
		{FILE_CGROUP, "cgroup", "4:memory:/\n2:cpu:/\n1:name=systemd:/\n", "/"},
		{FILE_CGROUP, "cgroup", "4:memory:/m\n0::/\n", "/"},
		{FILE_CGROUP, "cgroup", "0::\n", NULL},
		{FILE_CGROUP, "cgroup", "0::   \n", NULL},
		{FILE_CGROUP, "cgroup", "0::/first\n0::/second\n", "/first"},
		{FILE_CGROUP, "cgroup", "0::/\n", "/"},
		{FILE_CGROUP, "cgroup", "0::/a b \n", "/a b "},
		{FILE_CGROUP, "cgroup", "0::/../x (deleted)\n", "/../x (deleted)"},
		{FILE_CGROUP, "cgroup", "", NULL},
		{FILE_STATUS, "cpu_affinity", "Cpus_allowed_list:\t0-1,4\n", "0-1,4"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *copy = NULL;
		const struct value *value = parse(cases[i].file, cases[i].text,
						  strlen(cases[i].text), cases[i].metric, &copy);

		say_case(cases[i].metric, cases[i].text);
		g_assert_cmpuint(value->why, ==, cases[i].expect ? 0u : (guint32)MISSING);
		if (cases[i].expect)
			assert_bytes(value->text.p, value->text.len, cases[i].expect);
	}
}

static void test_long_comm(void)
{
	g_autofree char *name = g_strnfill(256, 'x');
	g_autofree char *copy = NULL;

	g_assert_cmpuint(parse(FILE_COMM, name, 256, "comm", &copy)->why, ==, INVALID);
}

/* ---- smaps ------------------------------------------------------------ */

static char *sums_to_string(const struct smaps_sums *sums)
{
	GString *out = g_string_new(NULL);

	for (guint32 i = 0; i < sums->n; i++)
		g_string_append_printf(out, "%s%.*s=%" G_GUINT64_FORMAT, i ? " " : "",
				       sums->sums[i].key_len, sums->sums[i].key, sums->sums[i].kib);
	return g_string_free(out, FALSE);
}

#define HEADING "55d0-7fff ---p 00000000 00:00 0    [rollup]\n"
#define MAPPING                                                                                    \
	"5500-5600 r-xp 00000000 08:01 7  /x: y\nSize: 4 kB\nKernelPageSize: 4 kB\n"               \
	"MMUPageSize: 4 kB\nRss: 3 kB\nTHPeligible: 0\nProtectionKey: 0\nVmFlags: rd ex\n"

static void test_smaps(void)
{
	static const struct {
		const char *text;
		bool per_mapping;
		const char *expect;
	} cases[] = {
		{HEADING "Rss:  2080 kB\n", false, "Rss=2080"},
		{HEADING "Rss:  2080 kB\nPss_Dirty: 1 kB\n", false, "Rss=2080 Pss_Dirty=1"},
		{"Pss: abc kB\nRss: 1 kB\n", false, "Rss=1"},
		{"Rss: 1", false, "Rss=1"},
		{"Rss:\n: 1\na b: 1\na-b: 1\nNew_Key2: 0\n", false, "New_Key2=0"},
		{"Rss: 18446744073709551615 kB\nRss: 1 kB\n", false, "Rss=18446744073709551615"},
		{"Rss: 18446744073709551616 kB\n", false, ""},
		{"KernelPageSize: 4 kB\n", false, "KernelPageSize=4"},
		{MAPPING MAPPING MAPPING, true, "Size=12 Rss=9"},
		{"", true, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smaps_sums sums;
		gsize len = strlen(cases[i].text);
		g_autofree char *copy = g_memdup2(cases[i].text, len);

		smaps_sums_reset(&sums, cases[i].per_mapping);
		g_assert_cmpuint(smaps_sums_add(&sums, copy, len, true), ==, len);
		g_autofree char *string = sums_to_string(&sums);
		g_assert_cmpstr(string, ==, cases[i].expect);
	}
}

/* The sums are the same for all pieces of text. */
static void test_smaps_pieces(void)
{
	static const char text[] = MAPPING MAPPING "Locked: 5 kB";
	const gsize len = sizeof text - 1;

	for (gsize piece = 1; piece <= len; piece++) {
		struct smaps_sums sums;
		gsize used = 0;

		smaps_sums_reset(&sums, true);
		for (gsize have = piece; have < len; have += piece)
			used += smaps_sums_add(&sums, text + used, have - used, false);
		smaps_sums_add(&sums, text + used, len - used, true);
		g_autofree char *string = sums_to_string(&sums);
		g_assert_cmpstr(string, ==, "Size=8 Rss=6 Locked=5");
	}
}

static void test_smaps_limits(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	struct smaps_sums sums;

	smaps_sums_reset(&sums, false);
	g_autofree char *longest = g_strnfill(SMAPS_KEY_LEN_MAX, 'k');
	g_string_append_printf(text, "%s: 1 kB\n%sx: 1 kB\n", longest, longest);
	for (guint i = 0; i < 2 * SMAPS_KEYS_MAX; i++)
		g_string_append_printf(text, "Key%u: 1 kB\n", i);
	smaps_sums_add(&sums, text->str, text->len, true);
	g_assert_cmpuint(sums.n, ==, SMAPS_KEYS_MAX);
	assert_bytes(sums.sums[0].key, sums.sums[0].key_len, longest);
	assert_bytes(sums.sums[1].key, sums.sums[1].key_len, "Key0");
}

/* ---- the rest --------------------------------------------------------- */

static void test_mask(void)
{
	const unsigned long mask[3] = {0x8000000000000005ul, 0, 1ul << 3};
	uint32_t cpus[8];

	g_assert_cmpuint(affinity_parse_mask(mask, sizeof mask, cpus, 8), ==, 4);
	g_assert_cmpuint(cpus[0], ==, 0);
	g_assert_cmpuint(cpus[1], ==, 2);
	g_assert_cmpuint(cpus[2], ==, 63);
	g_assert_cmpuint(cpus[3], ==, 131);
	/* Bytes that the kernel did not write are ignored. */
	g_assert_cmpuint(affinity_parse_mask(mask, 16, cpus, 8), ==, 3);
	g_assert_cmpuint(affinity_parse_mask(mask, sizeof mask, cpus, 2), ==, 2);
	g_assert_cmpuint(affinity_parse_mask(mask, 0, cpus, 8), ==, 0);
}

/* The parsers rely on this: the rows of a file are adjacent, columns ascend, every subtrahend is
 * found, and ranks are those of the lists. */
static void test_table(void)
{
	bool ranks[64] = {false};

	for (unsigned row = 0; row < N_METRICS; row++) {
		const struct procfs_metric *metric = &procfs_metrics[row];

		g_assert_nonnull(metric->def.name);
		g_assert_cmpuint(row, >=, files_index.first[metric->file]);
		g_assert_cmpuint(row, <,
				 files_index.first[metric->file] + files_index.count[metric->file]);
		if (row > 0 && procfs_metrics[row - 1].file == metric->file && metric->column > 0)
			g_assert_cmpuint(metric->column, >, procfs_metrics[row - 1].column);
		g_assert_cmpint(metric->minus != NULL, ==, files_index.minus[row] != 0);
		if (metric->def.rank == 0)
			continue;
		g_assert_cmpuint(metric->def.rank, <, 64);
		g_assert_false(ranks[metric->def.rank]);
		ranks[metric->def.rank] = true;
	}
	/* 41 and 42 are jemalloc's. */
	for (unsigned rank = 2; rank <= 53; rank++)
		g_assert_cmpint(ranks[rank], ==, rank != 41 && rank != 42);
	g_assert_cmpstr(procfs_metrics[METRIC_SMAPS_MAP].def.name, ==, "smaps_rollup_kib");
	g_assert_cmpstr(procfs_metrics[METRIC_SMAPS_STATE].def.name, ==, "smaps_state");
	g_assert_cmpstr(procfs_metrics[METRIC_SMAPS_SOURCE].def.name, ==, "smaps_source");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	files_index_build(&files_index);
	g_test_add_func("/procfs/parse/table", test_table);
	g_test_add_func("/procfs/parse/stat", test_stat);
	g_test_add_func("/procfs/parse/schedstat", test_schedstat);
	g_test_add_func("/procfs/parse/io", test_io);
	g_test_add_func("/procfs/parse/status", test_status);
	g_test_add_func("/procfs/parse/sched", test_sched);
	g_test_add_func("/procfs/parse/dotted", test_dotted);
	g_test_add_func("/procfs/parse/texts", test_texts);
	g_test_add_func("/procfs/parse/cgroup-v1", test_cgroup_v1);
	g_test_add_func("/procfs/parse/long-comm", test_long_comm);
	g_test_add_func("/procfs/parse/smaps", test_smaps);
	g_test_add_func("/procfs/parse/smaps-pieces", test_smaps_pieces);
	g_test_add_func("/procfs/parse/smaps-limits", test_smaps_limits);
	g_test_add_func("/procfs/parse/affinity-mask", test_mask);
	return g_test_run();
}

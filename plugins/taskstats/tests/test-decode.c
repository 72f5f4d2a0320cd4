/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests the pure parts: requests, replies, the struct of every version, and which accounting is
 * on. */
#include <errno.h>
#include <glib.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>

#include "../condition.h"
#include "../decode.h"
#include "../wire.h"
#include "kernel.h"

#define FAMILY 0x4242
#define NS_PER_S G_GUINT64_CONSTANT(1000000000)

/* Copied from the kernels' headers, independently of the plugin's own table: the place of each
 * metric's value, and the version that added it. */
static const struct layout {
	const char *name;
	guint16 since, at, at_v15;
} layout[] = {
	{"cpu_delay_count", 8, 16, 16},           {"cpu_delay_total_ns", 8, 24, 24},
	{"cpu_delay_max_ns", 15, 432, 32},        {"cpu_delay_min_ns", 15, 440, 40},
	{"blkio_delay_count", 8, 32, 48},         {"blkio_delay_total_ns", 8, 40, 56},
	{"blkio_delay_max_ns", 15, 448, 64},      {"blkio_delay_min_ns", 15, 456, 72},
	{"swapin_delay_count", 8, 48, 80},        {"swapin_delay_total_ns", 8, 56, 88},
	{"swapin_delay_max_ns", 15, 464, 96},     {"swapin_delay_min_ns", 15, 472, 104},
	{"freepages_delay_count", 8, 312, 360},   {"freepages_delay_total_ns", 8, 320, 368},
	{"freepages_delay_max_ns", 15, 480, 376}, {"freepages_delay_min_ns", 15, 488, 384},
	{"thrashing_delay_count", 9, 328, 392},   {"thrashing_delay_total_ns", 9, 336, 400},
	{"thrashing_delay_max_ns", 15, 496, 408}, {"thrashing_delay_min_ns", 15, 504, 416},
	{"compact_delay_count", 11, 352, 432},    {"compact_delay_total_ns", 11, 360, 440},
	{"compact_delay_max_ns", 15, 512, 448},   {"compact_delay_min_ns", 15, 520, 456},
	{"wpcopy_delay_count", 13, 400, 496},     {"wpcopy_delay_total_ns", 13, 408, 504},
	{"wpcopy_delay_max_ns", 15, 528, 512},    {"wpcopy_delay_min_ns", 15, 536, 520},
	{"irq_delay_count", 14, 416, 528},        {"irq_delay_total_ns", 14, 424, 536},
	{"irq_delay_max_ns", 15, 544, 544},       {"irq_delay_min_ns", 15, 552, 552},
	{"hiwater_rss_bytes", 8, 200, 248},       {"hiwater_vm_bytes", 8, 208, 256},
	{"cpu_delay_max_at", 17, 560, 0},         {"blkio_delay_max_at", 17, 576, 0},
	{"swapin_delay_max_at", 17, 592, 0},      {"freepages_delay_max_at", 17, 608, 0},
	{"thrashing_delay_max_at", 17, 624, 0},   {"compact_delay_max_at", 17, 640, 0},
	{"wpcopy_delay_max_at", 17, 656, 0},      {"irq_delay_max_at", 17, 672, 0},
};

G_STATIC_ASSERT(G_N_ELEMENTS(layout) == TASKSTATS_N_FIELDS);

/* Metric i, in the order of the lists: rank 54 and following, and each kind by its name. */
static void test_metrics(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(layout); i++) {
		const struct ctprof_metric *metric = &taskstats_fields[i].metric;
		const char *name = metric->name;
		guint32 kind = CTPROF_COUNTER, unit = CTPROF_UNIT_NS;

		if (g_str_has_suffix(name, "_max_ns") || g_str_has_prefix(name, "hiwater_"))
			kind = CTPROF_PEAK;
		else if (g_str_has_suffix(name, "_min_ns"))
			kind = CTPROF_LOW;
		else if (g_str_has_suffix(name, "_max_at"))
			kind = CTPROF_LABEL;
		if (g_str_has_suffix(name, "_count"))
			unit = CTPROF_UNIT_NONE;
		else if (g_str_has_suffix(name, "_bytes"))
			unit = CTPROF_UNIT_BYTES;
		g_assert_cmpstr(name, ==, layout[i].name);
		g_assert_cmpuint(metric->rank, ==, 54 + i);
		g_assert_cmpuint(metric->kind, ==, kind);
		g_assert_cmpuint(metric->unit, ==, unit);
		g_assert_cmpstr(metric->group, ==, "delay");
	}
	g_assert_cmpstr(layout[TASKSTATS_FIELD_CPU_COUNT].name, ==, "cpu_delay_count");
	g_assert_cmpstr(layout[TASKSTATS_FIELD_HIWATER_RSS].name, ==, "hiwater_rss_bytes");
	g_assert_cmpstr(layout[TASKSTATS_FIELD_HIWATER_VM].name, ==, "hiwater_vm_bytes");
}

static void check_layout(guint16 version, gsize len)
{
	g_autoptr(GByteArray) stats = kernel_stats(version, len);
	struct taskstats_values values;

	g_assert_cmpint(taskstats_decode(stats->data, stats->len, &values), ==, 0);
	g_assert_cmpuint(values.version, ==, version);
	for (guint i = 0; i < G_N_ELEMENTS(layout); i++) {
		const struct layout *l = &layout[i];
		gsize at = version == 15 ? l->at_v15 : l->at;
		guint64 scale = g_str_has_suffix(l->name, "_bytes") ? 1024 : 1;
		gboolean is_time = g_str_has_suffix(l->name, "_max_at");
		gboolean there = version >= l->since && at + (is_time ? 16 : 8) <= len;

		g_test_message("version %u, %zu bytes, %s", version, len, l->name);
		g_assert_cmpint((values.present >> i) & 1, ==, there);
		if (there && is_time)
			g_assert_cmpuint(values.value[i], ==,
					 kernel_stats_word(at) * NS_PER_S +
						 kernel_stats_word(at + 8));
		else if (there)
			g_assert_cmpuint(values.value[i], ==, kernel_stats_word(at) * scale);
	}
}

/* Each version has its own fields at its own offsets; 15 and 16 have the same size but different
 * layouts; for an unknown newer version, the old offsets are used. */
static void test_versions(void)
{
	for (guint16 version = 8; version <= 18; version++)
		check_layout(version, kernel_stats_size(version));
}

/* Fields beyond the end are absent; bytes beyond a version's size are not taken for fields that the
 * version does not have. */
static void test_lengths(void)
{
	for (guint16 version = 8; version <= 18; version++)
		for (gsize len = 328; len <= 704; len++)
			check_layout(version, len);
}

static void test_nonsense(void)
{
	static const struct {
		guint16 version;
		gsize len;
	} cases[] = {{16, 0}, {16, 1}, {16, 2}, {16, 327}, {7, 560}, {0, 560}};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GByteArray) stats = kernel_stats(cases[i].version, cases[i].len);
		struct taskstats_values values = {.version = 4711};

		g_assert_cmpint(taskstats_decode(stats->data, stats->len, &values), ==, -EBADMSG);
		g_assert_cmpuint(values.version, ==, 4711);
	}
}

/* An invalid time becomes 0. */
static void test_times(void)
{
	static const struct {
		gint64 seconds, ns;
		guint64 value;
	} cases[] = {
		{0, 0, 0},
		{1795210143, 5, 1795210143000000005},
		{1795210143, 999999999, 1795210143999999999},
		{1795210143, 1000000000, 0},
		{1795210143, -1, 0},
		{-1, 5, 0},
		{G_MAXINT64, 0, 0},
		{G_MAXINT64 / 1000000000 - 1, 0, 9223372035000000000},
	};
	g_autoptr(GByteArray) stats = kernel_stats(17, 688);
	struct taskstats_values values;

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kernel_stats_set(stats, 672, (guint64)cases[i].seconds);
		kernel_stats_set(stats, 680, (guint64)cases[i].ns);
		g_assert_cmpint(taskstats_decode(stats->data, stats->len, &values), ==, 0);
		g_assert_cmpuint(values.value[TASKSTATS_N_FIELDS - 1], ==, cases[i].value);
	}
}

static void test_kibibytes(void)
{
	static const struct {
		guint64 kib, bytes;
	} cases[] = {{0, 0},
		     {512, 524288},
		     {G_MAXUINT64 / 1024, G_MAXUINT64 - 1023},
		     {G_MAXUINT64 / 1024 + 1, G_MAXUINT64},
		     {G_MAXUINT64, G_MAXUINT64}};
	g_autoptr(GByteArray) stats = kernel_stats(16, 560);
	struct taskstats_values values;

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		kernel_stats_set(stats, 208, cases[i].kib);
		g_assert_cmpint(taskstats_decode(stats->data, stats->len, &values), ==, 0);
		g_assert_cmpuint(values.value[TASKSTATS_FIELD_HIWATER_VM], ==, cases[i].bytes);
	}
}

static void test_request(void)
{
	static const guint8 expected[28] = {0x1c, 0, 0, 0, 0x42, 0x42, 1,    0,   0x34, 0x12,
					    0,    0, 0, 0, 0,    0,    1,    1,   0,    0,
					    8,    0, 1, 0, 0xbe, 0xba, 0xfe, 0xca};

	if (G_BYTE_ORDER != G_LITTLE_ENDIAN) {
		g_test_skip("the expected bytes are little-endian");
		return;
	}
	struct taskstats_request request =
		taskstats_request_make(FAMILY, TASKSTATS_OF_THREAD, 0x1234, (gint32)0xcafebabe);
	g_assert_true(memcmp(&request, expected, sizeof expected) == 0);
}

/* One 16-bit patch of a valid reply, which is then cut; -1 keeps all of it. */
static void test_reply(void)
{
	static const struct {
		const char *name;
		gint at;
		guint16 patch;
		gint cut;
		gint error; /* -1: unrecognisable */
	} cases[] = {
		{"whole", -1, 0, -1, 0},
		{"empty datagram", -1, 0, 0, -1},
		{"cut in the header", -1, 0, 15, -1},
		{"cut behind the header", -1, 0, 16, EBADMSG},
		{"cut in the struct", -1, 0, 500, EBADMSG},
		{"length below a header", 0, 15, -1, EBADMSG},
		{"length 0", 0, 0, -1, EBADMSG},
		{"length of a bare header", 0, 16, -1, EBADMSG},
		{"no room for genlmsghdr", 0, 19, -1, EBADMSG},
		{"no attribute", 0, 20, -1, EBADMSG},
		{"length beyond the datagram", 0, 0xffff, -1, EBADMSG},
		{"another family", 4, FAMILY + 1, -1, EBADMSG},
		{"NLMSG_DONE", 4, NLMSG_DONE, -1, EBADMSG},
		{"command GET", 16, 0x0101, -1, EBADMSG},
		{"group shorter than its header", 20, 3, -1, EBADMSG},
		{"group beyond the message", 20, 0xffff, -1, EBADMSG},
		{"group for a process", 22, TASKSTATS_TYPE_AGGR_TGID, -1, EBADMSG},
		{"group marked nested", 22, NLA_F_NESTED | TASKSTATS_TYPE_AGGR_PID, -1, 0},
		{"empty group", 20, 4, -1, EBADMSG},
		{"group ends after the pid", 20, 12, -1, EBADMSG},
		{"pid of length 0", 24, 4, -1, EBADMSG},
		{"pid beyond the group", 24, 0xffff, -1, EBADMSG},
		{"no pid", 26, TASKSTATS_TYPE_TGID, -1, EBADMSG},
		{"struct beyond the group", 32, 0xffff, -1, EBADMSG},
		{"no struct", 34, TASKSTATS_TYPE_NULL, -1, EBADMSG},
	};
	g_autoptr(GByteArray) stats = kernel_stats(16, 560);

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GByteArray) whole = kernel_reply(FAMILY, 77, 4242, stats);
		gsize len = cases[i].cut < 0 ? whole->len : (gsize)cases[i].cut;
		struct taskstats_reply reply;

		g_test_message("%s", cases[i].name);
		if (cases[i].at >= 0)
			memcpy(whole->data + cases[i].at, &cases[i].patch, 2);
		/* A copy of the exact size, so that a sanitizer detects reads beyond it. */
		g_autofree guint8 *data = g_memdup2(whole->data, len);
		gboolean known =
			taskstats_parse_reply(data, len, FAMILY, TASKSTATS_OF_THREAD, &reply);
		g_assert_cmpint(known, ==, cases[i].error >= 0);
		if (!known)
			continue;
		g_assert_cmpint(reply.error, ==, cases[i].error);
		g_assert_cmpuint(reply.seq, ==, 77);
		if (reply.error == 0) {
			g_assert_cmpint(reply.tid, ==, 4242);
			g_assert_cmpuint(reply.stats_len, ==, stats->len);
			g_assert_true(memcmp(reply.stats, stats->data, stats->len) == 0);
		}
	}
}

static void test_error_reply(void)
{
	static const struct {
		gint32 wire;
		gint len;
		gint error;
	} cases[] = {{-1, 36, EPERM},  {-3, 36, ESRCH},   {-22, 36, EINVAL},
		     {0, 36, EBADMSG}, {22, 36, EBADMSG}, {G_MININT32, 36, EBADMSG},
		     {-1, 20, EPERM},  {-1, 19, EBADMSG}, {-1, 16, EBADMSG}};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GByteArray) whole = kernel_error(78, cases[i].wire);
		guint32 len = (guint32)cases[i].len;
		struct taskstats_reply reply;

		memcpy(whole->data, &len, sizeof len);
		g_autofree guint8 *data = g_memdup2(whole->data, len);
		g_assert_true(
			taskstats_parse_reply(data, len, FAMILY, TASKSTATS_OF_THREAD, &reply));
		g_assert_cmpuint(reply.seq, ==, 78);
		g_assert_cmpint(reply.error, ==, cases[i].error);
	}
}

/* Which accounting is on follows from the sysctl and from the kernel's answer about the requesting
 * thread. */
static void test_activity(void)
{
	const guint32 none = TASKSTATS_MEASURED, cpu = none | TASKSTATS_CPU;
	const guint32 all_delays = cpu | TASKSTATS_BLOCK, xacct = TASKSTATS_XACCT;
	const struct {
		const char *text;
		guint16 version;
		guint64 cpu_count, hiwater_vm;
		guint32 active;
	} cases[] = {
		{"1\n", 16, 9, 9, all_delays | xacct},
		{"0\n", 16, 9, 9, cpu | xacct},
		{"1", 14, 0, 9, all_delays | xacct},
		{"", 16, 0, 9, none | xacct},
		{" \n", 16, 0, 9, none | xacct},
		{"yes\n", 16, 9, 9, cpu | xacct},
		{"1\n", 16, 9, 0, all_delays},
		/* No sysctl: compiled out. */
		{NULL, 16, 0, 9, none | xacct},
		/* No sysctl, but counted: it is hidden, or the kernel is older than 5.14. */
		{NULL, 16, 9, 9, cpu | xacct},
		{NULL, 10, 9, 9, all_delays | xacct},
		{NULL, 10, 0, 9, none | xacct},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct taskstats_values own = {.version = cases[i].version};
		gsize len = cases[i].text ? strlen(cases[i].text) : 0;

		own.value[TASKSTATS_FIELD_CPU_COUNT] = cases[i].cpu_count;
		own.value[TASKSTATS_FIELD_HIWATER_VM] = cases[i].hiwater_vm;
		g_test_message("case %u", i);
		g_assert_cmphex(taskstats_parse_delayacct(cases[i].text, len, &own), ==,
				cases[i].active);
	}
}

/* Returns the number after " key=", or after its nth '/'; FALSE: the key is missing. */
static gboolean summary_number(const char *line, const char *key, guint nth, guint64 *ret)
{
	g_autofree char *needle = g_strdup_printf(" %s=", key);
	const char *at = strstr(line, needle);

	if (!at)
		return FALSE;
	at += strlen(needle);
	for (; nth > 0; nth--)
		at = strchr(at, '/') + 1;
	*ret = g_ascii_strtoull(at, NULL, 10);
	return TRUE;
}

/* Finds a metric that the summary has: "blkio=COUNT/TOTAL" and the peaks. */
static gboolean summary_value(const char *line, const char *metric, guint64 *ret)
{
	g_auto(GStrv) words = g_strsplit(metric, "_delay_", 2);

	if (g_str_equal(metric, "hiwater_rss_bytes") || g_str_equal(metric, "hiwater_vm_bytes")) {
		g_autofree char *key = g_strndup(metric, strlen(metric) - strlen("_bytes"));

		if (!summary_number(line, key, 0, ret))
			return FALSE;
		*ret *= 1024;
		return TRUE;
	}
	return summary_number(line, words[0], g_str_has_prefix(words[1], "total") ? 1 : 0, ret);
}

/* btime of the recorded kernel of version 17, which had been up for at most 33 s. */
#define BOOTED 1795210110

static void check_recorded(const char *line, const struct taskstats_values *values)
{
	guint64 number = 0;

	g_assert_true(summary_number(line, "version", 0, &number));
	g_assert_cmpuint(values->version, ==, number);
	for (guint i = 0; i < G_N_ELEMENTS(layout); i++) {
		gboolean present = (values->present >> i) & 1;
		gboolean newer = layout[i].since >= 15;

		if (!newer && summary_value(line, layout[i].name, &number)) {
			g_assert_true(present);
			g_assert_cmpuint(values->value[i], ==, number);
		} else {
			g_assert_cmpint(present, ==, newer && values->version >= layout[i].since);
		}
		/* The longest delay was after the boot, and exists only if there was a delay. */
		if (present && i >= TASKSTATS_FIELD_MAX_AT) {
			guint64 max = values->value[(i - TASKSTATS_FIELD_MAX_AT) * 4 + 2];

			g_assert_cmpint(values->value[i] > 0, ==, max > 0);
			if (max > 0)
				g_assert_cmpuint(values->value[i] / NS_PER_S - BOOTED, <, 40);
		}
		/* The summary lacks max and min, but they limit each other. */
		if (present && g_str_has_suffix(layout[i].name, "_max_ns")) {
			g_assert_cmpuint(values->value[i], <=, values->value[i - 1]);
			g_assert_cmpuint(values->value[i], >=, values->value[i + 1]);
			g_assert_cmpint(values->value[i] > 0, ==, values->value[i - 1] > 0);
		}
	}
}

static guint check_recorded_kernel(const char *dir)
{
	g_autofree char *summary = g_build_filename(dir, "taskstats", "summary.txt", NULL);
	g_autofree char *text = NULL;
	guint checked = 0;

	if (!g_file_get_contents(summary, &text, NULL, NULL))
		return 0;
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i] && *lines[i]; i++) {
		g_autofree char *tid = g_strndup(lines[i] + 4, strcspn(lines[i] + 4, " "));
		g_autofree char *name = g_strdup_printf("%s.bin", tid);
		g_autofree char *path = g_build_filename(dir, "taskstats", name, NULL);
		g_autofree char *stats = NULL;
		struct taskstats_values values;
		gsize len;

		if (!g_file_get_contents(path, &stats, &len, NULL))
			continue;
		g_test_message("%s", path);
		g_assert_cmpint(taskstats_decode((guint8 *)stats, len, &values), ==, 0);
		check_recorded(lines[i], &values);
		checked++;
	}
	return checked;
}

/* Structs recorded on real kernels have the values that their recorder found. */
static void test_recorded(void)
{
	g_autofree char *root =
		g_test_build_filename(G_TEST_DIST, "..", "..", "..", "shared", "fixtures", NULL);
	g_autoptr(GDir) dir = g_dir_open(root, 0, NULL);
	const char *name;
	guint checked = 0;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *first = g_build_filename(root, name, NULL);
		g_autofree char *later = g_build_filename(first, "later", NULL);

		checked += check_recorded_kernel(first) + check_recorded_kernel(later);
	}
	if (checked == 0)
		g_test_skip("no recorded kernels beside the source tree");
	g_test_message("%u recorded structs", checked);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/taskstats/metrics", test_metrics);
	g_test_add_func("/taskstats/decode/versions", test_versions);
	g_test_add_func("/taskstats/decode/lengths", test_lengths);
	g_test_add_func("/taskstats/decode/nonsense", test_nonsense);
	g_test_add_func("/taskstats/decode/times", test_times);
	g_test_add_func("/taskstats/decode/kibibytes", test_kibibytes);
	g_test_add_func("/taskstats/decode/recorded", test_recorded);
	g_test_add_func("/taskstats/request", test_request);
	g_test_add_func("/taskstats/reply", test_reply);
	g_test_add_func("/taskstats/reply/error", test_error_reply);
	g_test_add_func("/taskstats/activity", test_activity);
	return g_test_run();
}

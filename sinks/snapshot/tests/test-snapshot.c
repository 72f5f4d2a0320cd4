/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <string.h>

#include "test-build.h"

#define ZERO_HALF "{\"avg10\":0,\"avg60\":0,\"avg300\":0,\"total_usec\":0}"
#define ZERO_PSI_OF(r) "\"" r "\":{\"some\":" ZERO_HALF ",\"full\":" ZERO_HALF "}"
#define ZERO_PSI                                                                                   \
	"{" ZERO_PSI_OF("cpu") "," ZERO_PSI_OF("memory") "," ZERO_PSI_OF("io") "," ZERO_PSI_OF(    \
		"irq")
#define HALF_NAMES(h)                                                                              \
	"\"psi." h ".avg10\",\"psi." h ".avg60\",\"psi." h ".avg300\",\"psi." h ".total_usec\""
#define RESOURCE_NAMES(r) HALF_NAMES(r ".some") "," HALF_NAMES(r ".full")
#define PSI_NAMES                                                                                  \
	RESOURCE_NAMES("cpu")                                                                      \
	"," RESOURCE_NAMES("memory") "," RESOURCE_NAMES("io") "," RESOURCE_NAMES("irq")

static void test_empty_capture(void)
{
	g_autoptr(Build) build = build_new();

	build_open(build);
	g_assert_cmpstr(
		build_text(build), ==,
		"{\"format\":{\"name\":\"ctprof\",\"version\":1},"
		"\"captured_at_unix_ns\":1700000000000000000,\"host\":null,\"threads\":[],"
		"\"cgroup_stats\":{},\"probe_summary\":null,\"parse_summary\":null,"
		"\"taskstats_summary\":null,\"psi\":" ZERO_PSI
		",\"absent\":{\"skipped\":[" PSI_NAMES "]}},\"sched_ext\":null,\"metrics\":[],"
		"\"plugins\":[],\"presence_sets\":[],\"capture\":{\"version\":\"0.1.0\","
		"\"kernel\":null,\"jobs\":2,\"options\":{},\"begin_unix_ns\":1700000000000000000,"
		"\"begin_boottime_ns\":5000,\"end_unix_ns\":1700000000000000900,"
		"\"end_boottime_ns\":5900,\"skew_ns\":900,\"threads\":0,\"processes\":0,"
		"\"vanished\":0,\"cpu_ns\":0,\"peak_rss_bytes\":0}}");
	g_autoptr(JsonNode) root = build_parse(build);
	g_assert_true(JSON_NODE_HOLDS_OBJECT(root));
}

static void test_host_and_capture_rows(void)
{
	g_autoptr(Build) build = build_new();

	build_metric(build, "host.cpu_model", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_HOST);
	build_metric(build, "host.lsm", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_HOST);
	build_metric(build, "host.tun", CTPROF_MAP, CTPROF_UNIT_TEXT, CTPROF_SCOPE_HOST);
	build_metric(build, "host.off", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST)->wanted =
		0;
	build_metric(build, "mine.count", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST);
	build_metric(build, "mine.late", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_CAPTURE);
	build_metric(build, "host.late", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_CAPTURE);
	build_metric(build, "sched_ext.state", CTPROF_CATEGORY, CTPROF_UNIT_TEXT,
		     CTPROF_SCOPE_HOST);
	build_metric(build, "sched_ext.ops", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, CTPROF_SCOPE_HOST);
	build_metric(build, "psi.io.full.avg10", CTPROF_GAUGE, CTPROF_UNIT_CENTIPERCENT,
		     CTPROF_SCOPE_HOST);
	build_metric(build, "parse_summary.read_failures_by_file", CTPROF_MAP, CTPROF_UNIT_NONE,
		     CTPROF_SCOPE_CAPTURE);
	build_metric(build, "parse_summary.tids_walked", CTPROF_COUNTER, CTPROF_UNIT_NONE,
		     CTPROF_SCOPE_CAPTURE);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_HOST, 1);
	build_put_text(build, 0, "host.cpu_model", "C \xff");
	build_put_state(build, 0, "host.lsm", CTPROF_ABSENT_DENIED);
	build_put_map(build, 0, "host.tun", "sched_x=1ms");
	build_put(build, 0, "mine.count", 1);
	build_put_text(build, 0, "sched_ext.ops", "rusty");
	build_put(build, 0, "psi.io.full.avg10", 10099);
	g_assert_cmpint(build_send(build), ==, 0);
	/* Only the first row counts, so this one is ignored. */
	build_rows(build, CTPROF_SCOPE_HOST, 1);
	g_assert_cmpint(build_send(build), ==, 0);
	build_rows(build, CTPROF_SCOPE_CAPTURE, 1);
	build_put(build, 0, "mine.late", 2);
	build_put(build, 0, "host.late", 3);
	build_put_map(build, 0, "parse_summary.read_failures_by_file", "io=3");
	g_assert_cmpint(build_send(build), ==, 0);

	build_assert_section(
		build, "host",
		"{\"cpu_model\":\"C \xef\xbf\xbd\",\"cpu_model_hex\":\"4320ff\","
		"\"tun\":{\"sched_x\":\"1ms\"},\"absent\":{\"denied\":[\"host.lsm\"]}}");
	build_assert_section(build, "extra",
			     "{\"mine\":{\"count\":1,\"late\":2},\"host\":{\"late\":3}}");
	build_assert_section(build, "sched_ext",
			     "{\"state\":\"\",\"switch_all\":0,\"nr_rejected\":0,\"hotplug_seq\":0,"
			     "\"enable_seq\":0,\"ops\":\"rusty\",\"absent\":{\"unsupported\":["
			     "\"sched_ext.state\"],\"skipped\":[\"sched_ext.switch_all\","
			     "\"sched_ext.nr_rejected\",\"sched_ext.hotplug_seq\","
			     "\"sched_ext.enable_seq\"]}}");
	build_assert_section(
		build, "parse_summary",
		"{\"tids_walked\":0,\"read_failures\":0,\"read_failures_by_file\":{\"io\":3},"
		"\"dominant_read_failure\":null,\"kernel_config_dominant\":false,"
		"\"negative_dotted_values\":0,\"absent\":{\"unsupported\":["
		"\"parse_summary.tids_walked\"],\"skipped\":["
		"\"parse_summary.read_failures\",\"parse_summary.dominant_read_failure\","
		"\"parse_summary.kernel_config_dominant\","
		"\"parse_summary.negative_dotted_values\"]}}");
	build_assert_section(build, "taskstats_summary", "null");
	build_assert_part(build, "\"full\":{\"avg10\":10099,\"avg60\":0,");
}

/* Without any present value, host is null, and "extra" lists only the wanted metrics as absent. */
static void test_absent_objects(void)
{
	g_autoptr(Build) build = build_new();

	build_metric(build, "host.a", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST);
	build_metric(build, "b", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST);
	build_metric(build, "c", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST)->wanted = 0;
	build_open(build);
	build_rows(build, CTPROF_SCOPE_HOST, 1);
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_section(build, "host", "null");
	build_assert_section(build, "extra", "{\"absent\":{\"unsupported\":[\"b\"]}}");
}

/* Objects are written as they arrive, between the cgroups and the rest; metrics of its group that
 * an object lacks are listed with the object. */
static void test_named_objects(void)
{
	g_autoptr(Build) build = build_new();
	struct ctprof_metric other;
	struct ctprof_metric_info *info;

	build_metric(build, "size", CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT);
	build_metric(build, "word", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_OBJECT);
	build_metric(build, "map", CTPROF_MAP, CTPROF_UNIT_NONE, CTPROF_SCOPE_OBJECT);
	build_metric(build, "off", CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT)->wanted =
		0;
	info = build_metric(build, "elsewhere", CTPROF_LEVEL, CTPROF_UNIT_NONE,
			    CTPROF_SCOPE_OBJECT);
	other = *info->metric;
	other.group = "other";
	info->metric = &other;
	build_open(build);
	build_rows(build, CTPROF_SCOPE_OBJECT, 2);
	build_path(build, 0, "/run\n");
	build_put(build, 0, "size", 0);
	build_put_text(build, 0, "word", "a\xff");
	build_put_map(build, 0, "map", "k=1 l=2");
	build_path(build, 1, "\xfe");
	build_put_state(build, 1, "map", CTPROF_ABSENT_DENIED);
	g_assert_cmpint(build_send(build), ==, 0);
	build_rows(build, CTPROF_SCOPE_OBJECT, 2);
	build_path(build, 0, "/run\n");
	build_put(build, 0, "size", G_MAXUINT64);
	build_put_text(build, 0, "word", "");
	build_put_map(build, 0, "map", "k=1");
	build_path(build, 1, "nowhere");
	build_put(build, 1, "size", 4711);
	build_group(build, 1, "unheard-of");
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_part(
		build,
		"\"cgroup_stats\":{},\"objects\":["
		"{\"group\":\"test\",\"name\":\"/run\\n\",\"size\":0,\"word\":\"a\xef\xbf\xbd\","
		"\"word_hex\":\"61ff\",\"map\":{\"k\":1,\"l\":2}},"
		"{\"group\":\"test\",\"name\":\"\xef\xbf\xbd\",\"name_hex\":\"fe\",\"absent\":{"
		"\"unsupported\":[\"size\",\"word\"],\"denied\":[\"map\"]}},"
		"{\"group\":\"test\",\"name\":\"/run\\n\",\"size\":18446744073709551615,"
		"\"word\":\"\",\"map\":{\"k\":1}}],\"probe_summary\":");
	g_assert_null(strstr(build_text(build), "4711"));
}

/* Exits are written next to the threads, with the metrics that exist, and sets of their own. */
static void test_exits(void)
{
	g_autoptr(Build) build = build_new();

	build_metric(build, "comm", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_EXIT);
	build_metric(build, "run", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_EXIT);
	build_metric(build, "nice", CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_SCOPE_EXIT);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_EXIT, 2);
	build_target(build, 0, 7, 7);
	build_put_text(build, 0, "comm", "a\xff");
	build_put(build, 0, "run", G_MAXUINT64);
	build_put_state(build, 0, "nice", CTPROF_ABSENT_DENIED);
	build_target(build, 1, 0, 8);
	g_assert_cmpint(build_send(build), ==, 0);
	build_rows(build, CTPROF_SCOPE_EXIT, 1);
	build_target(build, 0, 7, 9);
	build_put_state(build, 0, "comm", CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_part(build, "\"threads\":[],\"exits\":["
				 "{\"tid\":7,\"tgid\":7,\"comm\":\"a\xef\xbf\xbd\","
				 "\"comm_hex\":\"61ff\",\"run\":18446744073709551615,"
				 "\"presence\":0},{\"tid\":8,\"tgid\":0,\"presence\":1},"
				 "{\"tid\":9,\"tgid\":7,\"presence\":1}],\"cgroup_stats\":{},");
	build_assert_part(build, "\"presence_sets\":[],\"exit_presence_sets\":["
				 "{\"denied\":[\"nice\"]},"
				 "{\"unsupported\":[\"comm\",\"run\",\"nice\"]}],\"capture\":");
}

static void add_cgroup_metrics(Build *build)
{
	static const struct {
		const char *name;
		guint32 kind;
	} metrics[] = {
		{"cpu.usage_usec", CTPROF_COUNTER},  {"cpu.max_quota_us", CTPROF_GAUGE},
		{"cpu.weight_nice", CTPROF_ORDINAL}, {"memory.max", CTPROF_GAUGE},
		{"memory.low", CTPROF_GAUGE},        {"memory.stat", CTPROF_MAP},
		{"memory.peak", CTPROF_GAUGE},       {"io.stat", CTPROF_MAP},
		{"pids.max", CTPROF_GAUGE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(metrics); i++)
		build_metric(build, metrics[i].name, metrics[i].kind, CTPROF_UNIT_NONE,
			     CTPROF_SCOPE_CGROUP);
}

static void test_cgroups(void)
{
	g_autoptr(Build) build = build_new();

	add_cgroup_metrics(build);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_CGROUP, 2);
	build_path(build, 0, "/a\xff");
	build_path(build, 1, "/b \"c\"");
	build_put(build, 0, "cpu.usage_usec", 1);
	build_put(build, 0, "cpu.max_quota_us", G_MAXUINT64);
	build_put(build, 0, "cpu.weight_nice", (guint64)(gint64)-3);
	build_put(build, 0, "memory.max", G_MAXUINT64);
	build_put(build, 0, "memory.low", G_MAXUINT64);
	build_put_map(build, 0, "memory.stat", "anon=1 file=2");
	build_put(build, 0, "memory.peak", 9);
	build_put_map(build, 0, "io.stat", "8:0=1");
	build_put(build, 0, "pids.max", 7);
	build_put_state(build, 1, "memory.max", CTPROF_ABSENT_DENIED);
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_section(
		build, "cgroup_stats",
		"{\"/a\xef\xbf\xbd\":{\"cpu\":{\"usage_usec\":1,\"nr_throttled\":0,"
		"\"throttled_usec\":0,\"max_quota_us\":null,\"max_period_us\":100000,"
		"\"weight\":null,\"weight_nice\":-3},\"memory\":{\"current\":0,\"max\":null,"
		"\"high\":null,\"low\":18446744073709551615,\"min\":null,"
		"\"stat\":{\"anon\":1,\"file\":2},\"events\":{},\"peak\":9},"
		"\"pids\":{\"current\":null,\"max\":7},\"psi\":" ZERO_PSI
		"},\"io\":{\"stat\":{\"8:0\":1}},\"path_hex\":\"2f61ff\",\"absent\":{\"skipped\":["
		"\"cpu.nr_throttled\",\"cpu.throttled_usec\",\"cpu.max_period_us\",\"cpu.weight\","
		"\"memory.current\",\"memory.high\",\"memory.min\",\"memory.events\","
		"\"pids.current\"," PSI_NAMES "]}},"
		"\"/b \\\"c\\\"\":{\"cpu\":{\"usage_usec\":0,\"nr_throttled\":0,"
		"\"throttled_usec\":0,\"max_quota_us\":null,\"max_period_us\":100000,"
		"\"weight\":null,\"weight_nice\":null},\"memory\":{\"current\":0,\"max\":null,"
		"\"high\":null,\"low\":null,\"min\":null,\"stat\":{},\"events\":{}},"
		"\"pids\":{\"current\":null,\"max\":null},\"psi\":" ZERO_PSI
		"},\"absent\":{\"unsupported\":[\"cpu.usage_usec\",\"cpu.max_quota_us\","
		"\"cpu.weight_nice\",\"memory.low\",\"memory.stat\",\"pids.max\","
		"\"memory.peak\",\"io.stat\"],\"denied\":[\"memory.max\"],\"skipped\":["
		"\"cpu.nr_throttled\",\"cpu.throttled_usec\",\"cpu.max_period_us\",\"cpu.weight\","
		"\"memory.current\",\"memory.high\",\"memory.min\",\"memory.events\","
		"\"pids.current\"," PSI_NAMES "]}}}");
}

static void test_about(void)
{
	static const struct ctprof_fact options[] = {
		{.struct_size = sizeof options[0], .key = "jobs", .value = "2"},
		{.struct_size = sizeof options[0], .key = "output", .value = "a\"b"},
	};
	static const struct ctprof_plugin_report plugins[] = {
		{sizeof plugins[0], CTPROF_STATE_LIVE, CTPROF_KIND_SOURCE, 0, 1, 2, 3, "p", "1.0",
		 NULL},
		{sizeof plugins[0], CTPROF_STATE_LEFT_OUT, CTPROF_KIND_SINK, 0, 0, 0, 0, "q", "2",
		 "why"},
		{sizeof plugins[0], 99, CTPROF_KIND_SOURCE, 0, 0, 0, 0, "r", "3", NULL},
	};
	g_autoptr(Build) build = build_new();
	struct ctprof_metric_info *info;
	struct ctprof_metric metric;

	build_metric(build, "nice", CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD);
	info = build_metric(build, "memory.max", CTPROF_GAUGE, CTPROF_UNIT_BYTES,
			    CTPROF_SCOPE_CGROUP);
	metric = *info->metric;
	metric.rank = 7;
	metric.tag = "cfs-only";
	metric.gates = "A B";
	metric.flags = CTPROF_METRIC_ON_DEMAND | CTPROF_METRIC_UNLIMITED | CTPROF_METRIC_QUIET;
	info->metric = &metric;
	build_capture(build)->options = options;
	build_capture(build)->n_options = 2;
	build_capture(build)->kernel = "6.18";
	build_end_facts(build)->plugins = plugins;
	build_end_facts(build)->n_plugins = 3;
	build_end_facts(build)->threads = 11;
	build_open(build);
	build_assert_section(
		build, "metrics",
		"[{\"name\":\"nice\",\"kind\":\"ordinal\",\"unit\":\"none\","
		"\"scope\":\"thread\",\"group\":\"test\",\"plugin\":\"test\",\"rank\":0,"
		"\"help\":\"help\",\"origin\":\"origin\"},"
		"{\"name\":\"memory.max\",\"kind\":\"gauge\",\"unit\":\"bytes\","
		"\"scope\":\"cgroup\",\"group\":\"test\",\"plugin\":\"test\",\"rank\":7,"
		"\"tag\":\"cfs-only\",\"gates\":\"A B\",\"flags\":[\"on_demand\","
		"\"unlimited\",\"quiet\"],\"help\":\"help\",\"origin\":\"origin\"}]");
	build_assert_section(
		build, "plugins",
		"[{\"name\":\"p\",\"version\":\"1.0\",\"kind\":\"source\",\"state\":\"live\","
		"\"batches\":1,\"failures\":2,\"cpu_ns\":3},"
		"{\"name\":\"q\",\"version\":\"2\",\"kind\":\"sink\",\"state\":\"left_out\","
		"\"why\":\"why\",\"batches\":0,\"failures\":0,\"cpu_ns\":0},"
		"{\"name\":\"r\",\"version\":\"3\",\"kind\":\"source\",\"state\":\"unknown\","
		"\"batches\":0,\"failures\":0,\"cpu_ns\":0}]");
	build_assert_part(build, "\"kernel\":\"6.18\",\"jobs\":2,\"options\":{\"jobs\":\"2\","
				 "\"output\":\"a\\\"b\"},");
	build_assert_part(build, "\"skew_ns\":900,\"threads\":11,");
}

/* Metrics whose place is taken lose only their own values, which is reported. */
static const struct {
	const char *what, *name;
	guint32 kind, unit, scope;
} misplaced[] = {
	{"a field of another type", "nice", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
	{"what the target tells", "tid", CTPROF_LABEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	{"an object", "memory", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_CGROUP},
	{"below a value", "cpu.weight.x", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_CGROUP},
	{"a nested field of another type", "memory.stat", CTPROF_GAUGE, CTPROF_UNIT_NONE,
	 CTPROF_SCOPE_CGROUP},
	{"the sink's own member", "absent", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_CGROUP},
	{"likewise in host", "host.absent", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
	{"an object's name", "name", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_OBJECT},
	{"an object's group", "group", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_OBJECT},
	{"what an object lacks", "absent", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_OBJECT},
	{"what an exit lacks", "presence", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_EXIT},
	{"an exit's thread", "tgid", CTPROF_LABEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_EXIT},
	{"too deep", "a.b.c.d.e.f.g.h.i", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
	{"no name", "a\"b", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
	{"an unknown scope", "x", CTPROF_GAUGE, CTPROF_UNIT_NONE, 35},
};

static void test_misplaced_metrics(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(misplaced); i++) {
		g_autoptr(Build) build = build_new();
		guint32 scope = misplaced[i].scope;
		g_autofree char *log = g_strdup_printf("10 metric %s is left out of the snapshot: ",
						       misplaced[i].name);

		g_test_message("%s", misplaced[i].what);
		build_metric(build, misplaced[i].name, misplaced[i].kind, misplaced[i].unit, scope);
		build_open(build);
		g_assert_true(g_str_has_prefix(fake_host_log(build_host(build)), log));
		if (scope != 35) {
			build_rows(build, scope, 1);
			build_path(build, 0, "/");
			build_put(build, 0, misplaced[i].name, 4711);
			g_assert_cmpint(build_send(build), ==, 0);
		}
		g_assert_null(strstr(build_text(build), "4711"));
	}
}

static void test_rows_out_of_order(void)
{
	g_autoptr(Build) build = build_new();

	build_metric(build, "host.a", CTPROF_GAUGE, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_THREAD, 1);
	g_assert_cmpint(build_send(build), ==, 0);
	build_rows(build, CTPROF_SCOPE_HOST, 1);
	g_assert_cmpint(build_send(build), ==, -EINVAL);
	g_assert_cmpstr(fake_host_error(build_host(build)), !=, "");
}

static void test_short_rows(void)
{
	g_autoptr(Build) build = build_new();

	build_metric(build, "nice", CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD)->index =
		100;
	build_open(build);
	build_rows(build, CTPROF_SCOPE_THREAD, 1);
	g_assert_cmpint(build_send(build), ==, -EINVAL);
}

/* Sends threads with values that compress badly; returns the first error. */
static int send_noise(Build *build, guint n)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	int r = 0;

	for (guint done = 0; r == 0 && done < n; done += 100) {
		build_rows(build, CTPROF_SCOPE_THREAD, 100);
		for (guint i = 0; i < 100; i++) {
			build_target(build, i, 1, (gint32)(done + i + 1));
			build_put(build, i, "nr_wakeups",
				  (guint64)g_rand_int(random) << 32 | g_rand_int(random));
		}
		r = build_send(build);
	}
	return r;
}

/* Wherever the output fails, an op returns an error, and the sink can still be closed. */
static void test_output_errors(void)
{
	for (gssize limit = 0; limit < 60000; limit += 5000) {
		g_autoptr(Build) build = build_new();
		int r;

		build_add_known(build);
		build_open(build);
		build_write_limit(build, limit, -ENOSPC);
		r = send_noise(build, 10000);
		if (r == 0)
			r = build_end(build);
		g_assert_cmpint(r, ==, -ENOSPC);
		g_assert_cmpstr(fake_host_error(build_host(build)), ==,
				"the snapshot cannot be written");
	}
}

/* A capture that is dropped without end() neither leaks nor crashes. */
static void test_broken_off(void)
{
	g_autoptr(Build) unused = build_new();
	g_autoptr(Build) begun = build_new();

	g_assert_nonnull(unused);
	build_add_known(begun);
	build_open(begun);
	g_assert_cmpint(send_noise(begun, 100), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/snapshot/empty", test_empty_capture);
	g_test_add_func("/snapshot/objects", test_host_and_capture_rows);
	g_test_add_func("/snapshot/objects-absent", test_absent_objects);
	g_test_add_func("/snapshot/named-objects", test_named_objects);
	g_test_add_func("/snapshot/exits", test_exits);
	g_test_add_func("/snapshot/cgroups", test_cgroups);
	g_test_add_func("/snapshot/about", test_about);
	g_test_add_func("/snapshot/misplaced", test_misplaced_metrics);
	g_test_add_func("/snapshot/rows-late", test_rows_out_of_order);
	g_test_add_func("/snapshot/rows-short", test_short_rows);
	g_test_add_func("/snapshot/output-errors", test_output_errors);
	g_test_add_func("/snapshot/broken-off", test_broken_off);
	return g_test_run();
}

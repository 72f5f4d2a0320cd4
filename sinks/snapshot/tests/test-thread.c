/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <json-glib/json-glib.h>
#include <string.h>
#include <time.h>

#include "test-build.h"

/* The thread fields of the format in order, each with the placeholder of an absent value unless it
 * is 0. */
static const char thread_fields[] =
	"tid tgid pcomm=\"\" comm=\"\" cgroup=\"\" start_time_clock_ticks policy=\"\" nice "
	"cpu_affinity=[] processor state=\"~\" ext_enabled=false run_time_ns wait_time_ns "
	"timeslices voluntary_csw nonvoluntary_csw nr_wakeups nr_wakeups_local "
	"nr_wakeups_remote nr_wakeups_sync nr_wakeups_migrate nr_wakeups_affine "
	"nr_wakeups_affine_attempts nr_migrations nr_forced_migrations "
	"nr_failed_migrations_affine nr_failed_migrations_running nr_failed_migrations_hot "
	"wait_sum wait_count wait_max voluntary_sleep_ns sleep_max block_sum block_max "
	"iowait_sum iowait_count exec_max slice_max allocated_bytes deallocated_bytes minflt "
	"majflt utime_clock_ticks stime_clock_ticks priority rt_priority core_forceidle_sum "
	"fair_slice_ns nr_threads smaps_rollup_kib={} rchar wchar syscr syscw read_bytes "
	"write_bytes cancelled_write_bytes cpu_delay_count cpu_delay_total_ns "
	"cpu_delay_max_ns cpu_delay_min_ns blkio_delay_count blkio_delay_total_ns "
	"blkio_delay_max_ns blkio_delay_min_ns swapin_delay_count swapin_delay_total_ns "
	"swapin_delay_max_ns swapin_delay_min_ns freepages_delay_count "
	"freepages_delay_total_ns freepages_delay_max_ns freepages_delay_min_ns "
	"thrashing_delay_count thrashing_delay_total_ns thrashing_delay_max_ns "
	"thrashing_delay_min_ns compact_delay_count compact_delay_total_ns "
	"compact_delay_max_ns compact_delay_min_ns wpcopy_delay_count wpcopy_delay_total_ns "
	"wpcopy_delay_max_ns wpcopy_delay_min_ns irq_delay_count irq_delay_total_ns "
	"irq_delay_max_ns irq_delay_min_ns hiwater_rss_bytes hiwater_vm_bytes "
	"taskstats_measured=false cpu_delay_active=false delay_block_active=false "
	"xacct_active=false jemalloc_measured=false";

/* Writes a thread of which only the IDs are known: all other fields are placeholders. */
static void test_absent_thread(void)
{
	g_autoptr(Build) build = build_new();
	g_auto(GStrv) fields = g_strsplit(thread_fields, " ", -1);
	g_autoptr(GString) record = g_string_new("[{\"tid\":7,\"tgid\":5");
	g_autoptr(GString) set = g_string_new("[{\"skipped\":[");

	g_assert_cmpuint(g_strv_length(fields), ==, 98);
	for (guint i = 2; fields[i]; i++) {
		g_auto(GStrv) parts = g_strsplit(fields[i], "=", 2);

		g_string_append_printf(record, ",\"%s\":%s", parts[0], parts[1] ? parts[1] : "0");
		g_string_append_printf(set, "%s\"%s\"", i > 2 ? "," : "", parts[0]);
	}
	g_string_append(record, ",\"presence\":0}]");
	g_string_append(set, "]}]");
	build_open(build);
	build_rows(build, CTPROF_SCOPE_THREAD, 1);
	build_target(build, 0, 5, 7);
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_section(build, "threads", record->str);
	build_assert_section(build, "presence_sets", set->str);
}

static void test_thread_values(void)
{
	static const guint32 cpus[] = {0, 1, 255};
	g_autoptr(Build) build = build_new();

	build_add_known(build);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_THREAD, 1);
	build_target(build, 0, 5, 5);
	build_put_text(build, 0, "pcomm", "a\"b");
	build_put_text(build, 0, "comm", "x\n\x1b[1m\xc3\xa9");
	build_put_text(build, 0, "cgroup", "/");
	build_put_text(build, 0, "policy", "SCHED_OTHER");
	build_put(build, 0, "nice", (guint64)(gint64)-20);
	build_put(build, 0, "rt_priority", 99);
	build_put_cpus(build, 0, "cpu_affinity", cpus, 3);
	build_put(build, 0, "state", 'S');
	build_put(build, 0, "ext_enabled", 1);
	build_put(build, 0, "nr_wakeups", G_MAXUINT64);
	build_put_map(build, 0, "smaps_rollup_kib", "Pss=18446744073709551615 Rss=0");
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_part(build,
			  "[{\"tid\":5,\"tgid\":5,\"pcomm\":\"a\\\"b\","
			  "\"comm\":\"x\\n\\u001b[1m\xc3\xa9\",\"cgroup\":\"/\","
			  "\"start_time_clock_ticks\":0,\"policy\":\"SCHED_OTHER\",\"nice\":-20,"
			  "\"cpu_affinity\":[0,1,255],\"processor\":0,\"state\":\"S\","
			  "\"ext_enabled\":true,\"run_time_ns\":0,");
	build_assert_part(build, ",\"nr_wakeups\":18446744073709551615,");
	build_assert_part(build, ",\"rt_priority\":99,");
	build_assert_part(build, ",\"smaps_rollup_kib\":{\"Pss\":18446744073709551615,\"Rss\":0},");
	build_assert_part(build, ",\"jemalloc_measured\":false,\"presence\":0}]");
	build_assert_part(build, "\"presence_sets\":[{\"skipped\":[\"start_time_clock_ticks\","
				 "\"processor\",\"run_time_ns\",");
	g_autoptr(JsonNode) root = build_parse(build);
	g_assert_nonnull(root);
}

/* Bytes that are not UTF-8 follow the fields as hex, wherever the text was cut. */
static void test_thread_bytes(void)
{
	g_autoptr(Build) build = build_new();

	build_add_known(build);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_THREAD, 2);
	build_put_text(build, 0, "pcomm", "caf\xc3");
	build_put_text(build, 0, "comm", "\xed\xa0\x80");
	build_put_text(build, 0, "cgroup", "/\xff");
	build_put_text(build, 1, "comm", "\xc3\xa9");
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_part(build, "\"pcomm\":\"caf\xef\xbf\xbd\","
				 "\"comm\":\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\","
				 "\"cgroup\":\"/\xef\xbf\xbd\",");
	build_assert_part(build,
			  "\"jemalloc_measured\":false,\"pcomm_hex\":\"636166c3\","
			  "\"comm_hex\":\"eda080\",\"cgroup_hex\":\"2fff\",\"presence\":0},{");
	build_assert_part(build, "\"jemalloc_measured\":false,\"presence\":1}]");
}

/* Values that the field's JSON type cannot hold are absent as INVALID. */
static void test_thread_misfits(void)
{
	g_autoptr(Build) build = build_new();
	g_autofree char *sets = NULL;

	build_add_known(build);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_THREAD, 1);
	build_put(build, 0, "nice", (guint64)G_MAXINT32 + 1);
	build_put(build, 0, "rt_priority", (guint64)(gint64)-1);
	build_put(build, 0, "state", 200);
	build_put(build, 0, "ext_enabled", 2);
	build_put(build, 0, "policy", 0);
	build_put_state(build, 0, "comm", CTPROF_ABSENT_DENIED);
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_part(build, "\"policy\":\"\",\"nice\":0,");
	build_assert_part(build, "\"state\":\"~\",\"ext_enabled\":false,");
	sets = build_section(build, "presence_sets");
	g_assert_nonnull(strstr(sets, "\"denied\":[\"comm\"],\"invalid\":[\"policy\",\"nice\","
				      "\"state\",\"ext_enabled\",\"rt_priority\"],"));
}

static void test_thread_extra(void)
{
	g_autoptr(Build) build = build_new();

	build_metric(build, "a.b", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD);
	build_metric(build, "c", CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_SCOPE_MM);
	build_metric(build, "t", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD);
	build_metric(build, "m", CTPROF_MAP, CTPROF_UNIT_TEXT, CTPROF_SCOPE_PROCESS);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_THREAD, 3);
	build_put(build, 0, "c", (guint64)G_MININT64);
	build_put_text(build, 0, "t", "\xff");
	build_put_map(build, 0, "m", "k=v");
	build_put(build, 2, "a.b", 3);
	g_assert_cmpint(build_send(build), ==, 0);
	build_assert_part(build,
			  "\"jemalloc_measured\":false,\"extra\":{\"c\":-9223372036854775808,"
			  "\"t\":\"\xef\xbf\xbd\",\"t_hex\":\"ff\",\"m\":{\"k\":\"v\"}},"
			  "\"presence\":0},{");
	build_assert_part(build, "\"jemalloc_measured\":false,\"presence\":1},{");
	build_assert_part(build,
			  "\"jemalloc_measured\":false,\"extra\":{\"a.b\":3},\"presence\":2}]");
	build_assert_part(build, "\"presence_sets\":[{\"unsupported\":[\"a.b\"],\"skipped\":[");
	build_assert_part(build, "},{\"unsupported\":[\"c\",\"t\",\"m\"],\"skipped\":[");
}

static void test_pieces(void)
{
	g_autoptr(Build) build = build_new();

	build_add_known(build);
	build_open(build);
	for (gint32 tid = 1; tid <= 3; tid++) {
		build_rows(build, CTPROF_SCOPE_THREAD, 1);
		build_target(build, 0, 1, tid);
		if (tid == 2)
			build_put(build, 0, "nice", 0);
		g_assert_cmpint(build_send(build), ==, 0);
	}
	build_rows(build, CTPROF_SCOPE_THREAD, 0);
	g_assert_cmpint(build_send(build), ==, 0);
	g_autoptr(JsonNode) root = build_parse(build);
	JsonObject *top = json_node_get_object(root);
	JsonArray *threads = json_object_get_array_member(top, "threads");
	g_assert_cmpuint(json_array_get_length(threads), ==, 3);
	for (guint i = 0; i < 3; i++) {
		JsonObject *thread = json_array_get_object_element(threads, i);

		g_assert_cmpint(json_object_get_int_member(thread, "tid"), ==, i + 1);
		g_assert_cmpint(json_object_get_int_member(thread, "presence"), ==, i % 2);
	}
	g_assert_cmpuint(json_array_get_length(json_object_get_array_member(top, "presence_sets")),
			 ==, 2);
}

/* A text of maximum length whose bytes have the longest escapes. */
static void test_long_text(void)
{
	g_autoptr(Build) build = build_new();
	g_autofree char *text = g_strnfill(65535, '\x01');

	build_add_known(build);
	build_open(build);
	build_rows(build, CTPROF_SCOPE_THREAD, 3);
	for (guint i = 0; i < 3; i++)
		build_put_text(build, i, "comm", text);
	g_assert_cmpint(build_send(build), ==, 0);
	g_autoptr(JsonNode) root = build_parse(build);
	JsonArray *threads = json_object_get_array_member(json_node_get_object(root), "threads");
	JsonObject *last = json_array_get_object_element(threads, 2);
	g_assert_cmpstr(json_object_get_string_member(last, "comm"), ==, text);
}

/* Adds all other numbers of the format to the known ones. */
static void add_all_numbers(Build *build)
{
	g_auto(GStrv) names = g_strsplit(thread_fields, " ", -1);
	static const char *const others[] = {"tid",      "tgid",        "nice",       "processor",
					     "priority", "rt_priority", "nr_wakeups", NULL};

	build_add_known(build);
	for (char **name = names; *name; name++)
		if (!strchr(*name, '=') && !g_strv_contains(others, *name))
			build_metric(build, g_intern_string(*name), CTPROF_COUNTER,
				     CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD);
}

/* file-format.md, from which others write readers, names every field in order. */
static void test_documented(void)
{
	g_autofree char *path =
		g_test_build_filename(G_TEST_DIST, "..", "..", "docs", "file-format.md", NULL);
	g_auto(GStrv) fields = g_strsplit(thread_fields, " ", -1);
	g_autofree char *page = NULL;

	g_assert_true(g_file_get_contents(path, &page, NULL, NULL));
	const char *at = strstr(page, "\n## threads\n");
	for (char **field = fields; *field; field++) {
		g_autofree char *name = g_strndup(*field, strcspn(*field, "="));
		g_autofree char *quoted = g_strconcat("`", name, "`", NULL);

		at = at ? strstr(at, quoted) : NULL;
		if (!at)
			g_error("%s is not where it belongs in file-format.md", name);
	}
}

/* Puts 500 threads: with few values, or with half of all fields changing. */
static void fill_rows(Build *build, GRand *random, gint32 first, gboolean busy)
{
	static const guint32 cpus[] = {0, 1};
	const struct ctprof_capture *capture = build_capture(build);

	build_rows(build, CTPROF_SCOPE_THREAD, 500);
	for (guint i = 0; i < 500; i++) {
		build_target(build, i, first, first + (gint32)i);
		for (guint64 m = 11; m < capture->n_metrics; m++) {
			gboolean zero = busy ? m % 2 == 0 : m > 15;

			build_put(build, i, capture->metrics[m].metric->name,
				  zero ? 0 : g_rand_int(random) >> g_rand_int_range(random, 0, 31));
		}
		build_put_text(build, i, "pcomm", "postgres");
		build_put_text(build, i, "comm", "worker/3");
		build_put_text(build, i, "cgroup", "/system.slice/postgresql.service");
		build_put_text(build, i, "policy", "SCHED_OTHER");
		build_put_cpus(build, i, "cpu_affinity", cpus, 2);
		build_put(build, i, "state", 'S');
		build_put(build, i, "nr_wakeups", i);
	}
}

static void test_throughput(void)
{
	for (gboolean busy = FALSE; busy <= TRUE; busy++) {
		g_autoptr(Build) build = build_new();
		g_autoptr(GRand) random = g_rand_new_with_seed(2);
		clock_t spent = 0;
		guint n = 0;

		add_all_numbers(build);
		build_open(build);
		for (; n < 20000; n += 500) {
			fill_rows(build, random, 1000 + (gint32)n, busy);
			clock_t begin = clock();
			g_assert_cmpint(build_send(build), ==, 0);
			spent += clock() - begin;
		}
		gsize text = strlen(build_text(build)) / n;
		g_test_message("%s: %.2f us CPU, %" G_GSIZE_FORMAT
			       " bytes of JSON, %u of zstd a thread",
			       busy ? "busy" : "idle", (double)spent * 1e6 / CLOCKS_PER_SEC / n,
			       text, fake_host_written(build_host(build))->len / n);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/snapshot/thread/absent", test_absent_thread);
	g_test_add_func("/snapshot/thread/values", test_thread_values);
	g_test_add_func("/snapshot/thread/bytes", test_thread_bytes);
	g_test_add_func("/snapshot/thread/misfits", test_thread_misfits);
	g_test_add_func("/snapshot/thread/extra", test_thread_extra);
	g_test_add_func("/snapshot/thread/pieces", test_pieces);
	g_test_add_func("/snapshot/thread/long-text", test_long_text);
	g_test_add_func("/snapshot/throughput", test_throughput);
	g_test_add_func("/snapshot/thread/documented", test_documented);
	return g_test_run();
}

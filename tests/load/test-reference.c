/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files without format, definitions and presence, as the reference writes them. */
#include <string.h>
#include <time.h>

#include "../../sinks/snapshot/schema.h"
#include "kit.h"
#include "plugin/loader.h"

#define ZERO_HALF "{\"avg10\":0,\"avg60\":0,\"avg300\":0,\"total_usec\":0}"
#define ZERO_RESOURCE "{\"some\":" ZERO_HALF ",\"full\":" ZERO_HALF "}"
#define PSI_WITH(cpu)                                                                              \
	"{\"cpu\":" cpu ",\"memory\":" ZERO_RESOURCE ",\"io\":" ZERO_RESOURCE                      \
	",\"irq\":" ZERO_RESOURCE "}"

/* The fields of a thread; the value of each is its position in the record. */
static void add_record(GString *text, gboolean delay, gboolean others, gboolean measured,
		       const char *state, const char *cpus)
{
	__attribute__((cleanup(shape_free))) struct shape shape = {0};

	g_assert_cmpint(schema_add_fields(&shape, SCHEMA_THREAD), ==, 0);
	for (gsize i = 0; i < shape.n; i++) {
		const struct member *field = &shape.members[i];
		struct text name = member_name(field);
		gboolean flag = text_starts(name, "cpu_delay_a")   ? delay
				: text_starts(name, "delay_block") ? others
								   : measured;

		g_string_append_printf(text, "%s\"%.*s\":", i ? "," : "{", (int)name.len, name.p);
		if (field->kind == VALUE_TEXT)
			g_string_append_printf(text, "\"t%zu\"", i);
		else if (field->kind == VALUE_BOOL)
			g_string_append(text, flag ? "true" : "false");
		else if (field->kind == VALUE_CHAR)
			g_string_append(text, state);
		else if (field->kind == VALUE_CPUS)
			g_string_append(text, cpus);
		else if (field->kind == VALUE_MAP)
			g_string_append(text, "{\"Rss\":5,\"Pss\":4}");
		else
			g_string_append_printf(text, "%zu", i < SCHEMA_TARGET_FIELDS ? 7 : i);
	}
	g_string_append_c(text, '}');
}

static char *make_file(const char *record)
{
	return g_strconcat(
		"{\"captured_at_unix_ns\":1700000000000000001,"
		"\"host\":{\"cpu_model\":\"x\",\"online_cpus\":8,\"sched_tunables\":{\"a\":\"1\"},"
		"\"heap_state\":{\"x\":[1,2.5]}},\"threads\":[",
		record,
		"],\"cgroup_stats\":{\"/a\":{\"cpu\":{\"usage_usec\":1,\"nr_throttled\":0,"
		"\"throttled_usec\":0,\"max_quota_us\":null,\"max_period_us\":100000,"
		"\"weight\":null,\"weight_nice\":-3},\"memory\":{\"current\":2,\"max\":null,"
		"\"high\":9,\"low\":18446744073709551615,\"min\":null,\"stat\":{\"anon\":3},"
		"\"events\":{}},\"pids\":{\"current\":4,\"max\":null},\"psi\":" PSI_WITH(
			ZERO_RESOURCE) "}},\"probe_summary\":null,"
				       "\"parse_summary\":{\"tids_walked\":1,\"read_failures\":0,"
				       "\"read_failures_by_file\":{},\"dominant_read_failure\":"
				       "null,\"kernel_config_dominant\":false,"
				       "\"negative_dotted_values\":0},\"taskstats_summary\":null,"
				       "\"psi\":" PSI_WITH(
					       "{\"some\":{\"avg10\":1859,\"avg60\":1,\"avg300\":2,"
					       "\"total_usec\":3},\"full\":" ZERO_HALF
					       "}") ",\"sched_ext\":{\"state\":\"enabled\","
						    "\"switch_all\":1,\"nr_rejected\":2,"
						    "\"hotplug_seq\":3,\"enable_seq\":4}}",
		NULL);
}

static char *load_text(const char *text)
{
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GError) error = NULL;

	kit_write_text(kit, text);
	char *rows = kit_load(kit, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kit_facts(kit), ==, "1700000000000000001 0 - -\n");
	return rows;
}

static void assert_line(const char *rows, const char *line)
{
	g_autofree char *whole = g_strdup_printf("\n  %s\n", line);

	if (!strstr(rows, whole))
		g_error("no line '%s' in %s", line, rows);
}

/* Threads, a cgroup, the host and the capture, in the units and types of our own metrics. */
static void test_values(void)
{
	static const char *const lines[] = {
		"pcomm = \"t2\"",
		"policy = \"t6\"",
		"nice = +7",
		"cpu_affinity = [0 3 ]",
		"state = 83",
		"nr_threads = 50",
		"rt_priority = +47",
		"smaps_rollup_kib = {\"Pss\":4 \"Rss\":5 }",
		"irq_delay_min_ns = 90",
		"hiwater_vm_bytes = 92",
		"allocated_bytes = 40",
		"taskstats_measured = 1",
		"cpu.max_quota_us = 18446744073709551615",
		"cpu.max_period_us = 100000",
		"cpu.weight = !unsupported",
		"cpu.weight_nice = -3",
		"memory.high = 9",
		"memory.low = 18446744073709551615",
		"memory.min = !unsupported",
		"memory.stat = {\"anon\":3 }",
		"memory.events = {}",
		"pids.max = 18446744073709551615",
		"psi.cpu.some.avg10 = 1859",
		"host.online_cpus = 8",
		"host.arch = !unsupported",
		"host.sched_tunables = {\"a\":\"1\" }",
		"sched_ext.state = \"enabled\"",
		"parse_summary.kernel_config_dominant = 0",
		"parse_summary.dominant_read_failure = !unsupported",
		"probe_summary.failed = !unsupported",
	};
	g_autoptr(GString) record = g_string_new(NULL);

	add_record(record, TRUE, TRUE, TRUE, "\"S\"", "[0,3]");
	g_autofree char *text = make_file(record->str);
	g_autofree char *rows = load_text(text);
	g_assert_true(g_str_has_prefix(rows, "thread 7/7* \n"));
	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
		assert_line(rows, lines[i]);
}

/* A value is absent if the flags do not show that it was measured, or if it is impossible. */
static const struct flags_case {
	const char *what;
	gboolean delay, others, measured;
	const char *lines[6];
} flags_cases[] = {
	{"all",
	 TRUE,
	 TRUE,
	 TRUE,
	 {"cpu_delay_count = 59", "irq_delay_count = 87", "hiwater_rss_bytes = 91",
	  "deallocated_bytes = 41"}},
	{"no taskstats",
	 TRUE,
	 TRUE,
	 FALSE,
	 {"cpu_delay_count = !unsupported", "irq_delay_count = !unsupported",
	  "hiwater_rss_bytes = !unsupported", "deallocated_bytes = !unsupported",
	  "run_time_ns = 12", "jemalloc_measured = 0"}},
	{"no delays but of CPUs",
	 TRUE,
	 FALSE,
	 TRUE,
	 {"cpu_delay_max_ns = 61", "blkio_delay_count = !unsupported", "delay_block_active = 0"}},
	{"no delays of CPUs",
	 FALSE,
	 TRUE,
	 TRUE,
	 {"cpu_delay_max_ns = !unsupported", "blkio_delay_count = 63"}},
};

static void test_flags(gconstpointer data)
{
	const struct flags_case *c = data;
	g_autoptr(GString) record = g_string_new(NULL);

	add_record(record, c->delay, c->others, c->measured, "\"~\"", "[]");
	g_autofree char *text = make_file(record->str);
	g_autofree char *rows = load_text(text);
	for (gsize i = 0; i < G_N_ELEMENTS(c->lines) && c->lines[i]; i++)
		assert_line(rows, c->lines[i]);
	assert_line(rows, "state = !unsupported");
	assert_line(rows, "cpu_affinity = !unsupported");
}

/* An older reference had fewer fields, and none of them is an error. */
static void test_missing_fields(void)
{
	g_autofree char *text = make_file("{\"tid\":8,\"tgid\":7,\"comm\":\"c\",\"majflt\":3}");
	g_autofree char *rows = load_text(text);

	g_assert_true(g_str_has_prefix(rows, "thread 7/8 \n"));
	assert_line(rows, "comm = \"c\"");
	assert_line(rows, "majflt = 3");
	assert_line(rows, "minflt = !unsupported");
	assert_line(rows, "cpu_delay_count = !unsupported");
	assert_line(rows, "nr_threads = !inapplicable");
}

static gboolean count_rows(gpointer data, const Registry *registry, const struct ctprof_rows *rows,
			   GError **error)
{
	(void)registry;
	(void)error;
	if (rows->scope == CTPROF_SCOPE_THREAD)
		*(guint64 *)data += rows->n;
	return TRUE;
}

static gdouble cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (gdouble)now.tv_sec * 1e6 + (gdouble)now.tv_nsec / 1e3;
}

/* All records are passed on, in many pieces; the cost is printed, not judged. */
static void test_many(void)
{
	enum { THREADS = 20000 };
	g_autoptr(Kit) kit = kit_new();
	g_autoptr(GString) records = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	guint64 rows = 0;

	for (guint i = 0; i < THREADS; i++) {
		if (i > 0)
			g_string_append_c(records, ',');
		add_record(records, i % 2 == 0, TRUE, i % 3 == 0, "\"S\"", "[0,1]");
	}
	g_autofree char *text = make_file(records->str);
	kit_write_text(kit, text);
	gdouble begin = cpu_us();
	g_autoptr(Loaded) loaded =
		load_file(kit_sink(kit), kit_path(kit), count_rows, &rows, &error);
	g_assert_no_error(error);
	g_assert_nonnull(loaded);
	g_assert_cmpuint(rows, ==, THREADS);
	g_test_message("loaded: %.2f us CPU a thread of %zu bytes", (cpu_us() - begin) / THREADS,
		       records->len / THREADS);
}

/* Opens the sources of this build: the metrics that they declare are the known ones. */
static void open_sources(GPtrArray *plugins, Registry *registry, GHashTable *options)
{
	for (guint i = 0; i < plugins->len; i++) {
		Plugin *plugin = g_ptr_array_index(plugins, i);

		if (plugin->descriptor.kind == CTPROF_KIND_SOURCE)
			g_assert_true(plugin_open(plugin, NULL, registry, options, NULL));
	}
}

static char *describe(const struct ctprof_metric *metric)
{
	return g_strdup_printf("%s: %s %s %s %s %s %s %u %u", metric->name,
			       registry_kind_word(metric->kind), registry_unit_word(metric->unit),
			       registry_scope_word(metric->scope), metric->group,
			       metric->tag ? metric->tag : "-", metric->gates ? metric->gates : "-",
			       metric->rank, metric->flags);
}

static void assert_alike(const struct ctprof_metric *known, const struct ctprof_metric *declared)
{
	g_autofree char *a = describe(known);
	g_autofree char *b = describe(declared);

	g_assert_cmpstr(a, ==, b);
}

static void test_known_as_declared(void)
{
	const char *const dirs[] = {g_getenv("CTPROF_BUILD"), NULL};
	g_autoptr(GHashTable) options = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(Registry) registry = registry_new();
	g_autoptr(GError) error = NULL;
	guint compared = 0;

	if (!dirs[0]) {
		g_test_skip("CTPROF_BUILD does not name a build tree");
		return;
	}
	g_autoptr(Loader) loader = loader_new(dirs, &error);
	g_assert_no_error(error);
	g_autoptr(Select) all = select_parse(NULL, NULL);
	g_autoptr(GPtrArray) plugins = loader_load(loader, all, NULL, &error);
	g_assert_no_error(error);
	open_sources(plugins, registry, options);
	for (gsize i = 0; i < known_n_metrics; i++) {
		const struct ctprof_metric *known = &known_metrics[i];
		const Metric *metric =
			registry_named(registry, registry_row_of_scope(known->scope), known->name);

		/* A plugin may be left out of a build. */
		if (metric)
			assert_alike(known, &metric->def);
		compared += metric ? 1 : 0;
	}
	g_assert_cmpuint(compared, >, 100);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/load/reference/values", test_values);
	for (gsize i = 0; i < G_N_ELEMENTS(flags_cases); i++) {
		g_autofree char *name =
			g_strconcat("/load/reference/flags/", flags_cases[i].what, NULL);

		g_test_add_data_func(name, &flags_cases[i], test_flags);
	}
	g_test_add_func("/load/reference/missing-fields", test_missing_fields);
	g_test_add_func("/load/reference/many", test_many);
	g_test_add_func("/load/reference/known/as-declared", test_known_as_declared);
	return g_test_run();
}

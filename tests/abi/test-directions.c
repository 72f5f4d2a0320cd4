/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tests old plugins with new data, and new plugins with an old host: what is
 * lent ends where the older side's structs end, and reading beyond that fails.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ctprof/report.h"
#include "fakehost.h"

/* Of ABI 1.0: tests/abi/v1/layout.c. */
#define HOST_SIZE_THEN 152
#define TARGET_SIZE_THEN 32

/* A page that is followed by none. */
typedef struct brink {
	char *page;
	gsize size;
} Brink;

static void brink_clear(Brink *brink)
{
	munmap(brink->page, 2 * brink->size);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Brink, brink_clear)

static void brink_init(Brink *brink)
{
	brink->size = (gsize)sysconf(_SC_PAGESIZE);
	brink->page = mmap(NULL, 2 * brink->size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	g_assert_true(brink->page != MAP_FAILED);
	g_assert_cmpint(mprotect(brink->page + brink->size, brink->size, PROT_NONE), ==, 0);
}

/* Puts size bytes at the end of what can be read. */
static void *brink_put(const Brink *brink, const void *data, gsize size)
{
	return memcpy(brink->page + brink->size - size, data, size);
}

/* The descriptor of a plugin below the build directory; it stays loaded. */
static const struct ctprof_plugin *load(const char *file)
{
	g_autofree char *path = g_build_filename(g_getenv("CTPROF_BUILD"), file, NULL);
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct ctprof_plugin *(*entry)(void);

	if (!module)
		g_error("%s", dlerror());
	void *symbol = dlsym(module, "ctprof_plugin_entry_v1");
	g_assert_nonnull(symbol);
	memcpy(&entry, &symbol, sizeof entry);
	return entry();
}

/* A struct that has grown since: each element of an array of them is longer than the sink knows. */
#define GROWN(type)                                                                                \
	struct {                                                                                   \
		struct type now;                                                                   \
		guint64 later[3];                                                                  \
	}
#define LATER .later = {G_MAXUINT64, G_MAXUINT64, G_MAXUINT64}
#define CELL(n)                                                                                    \
	{                                                                                          \
		{.struct_size = sizeof cells[0],                                                   \
		 .value = {{.type = CTPROF_VALUE_NUMBER, .number = (n)}}},                         \
			LATER                                                                      \
	}

/* The report has a section of a kind that the sink leaves out. */
static void test_old_sink(void)
{
	const struct ctprof_plugin *plugin = load("tests/abi/ctprof-lines.so");
	const struct ctprof_sink_ops *ops = plugin->ops;
	const GROWN(ctprof_report_field) fields[] = {
		{{.struct_size = sizeof fields[0], .name = "m"}, LATER},
		{{.struct_size = sizeof fields[0], .name = "n"}, LATER},
	};
	const GROWN(ctprof_cell) cells[] = {CELL(7), CELL(8), CELL(9)};
	const GROWN(ctprof_report_line) lines[] = {
		{{.struct_size = sizeof lines[0],
		  .n_names = 1,
		  .names = {"a"},
		  .n_cells = 2,
		  .cells = &cells[0].now},
		 LATER},
		{{.struct_size = sizeof lines[0],
		  .n_names = 1,
		  .names = {"b"},
		  .first = 1,
		  .n_cells = 1,
		  .cells = &cells[2].now},
		 LATER},
	};
	const GROWN(ctprof_report_section) sections[] = {
		{{.struct_size = sizeof sections[0],
		  .name = "memory",
		  .n_fields = 2,
		  .fields = &fields[0].now,
		  .n_lines = 2,
		  .lines = &lines[0].now},
		 LATER},
		{{.struct_size = sizeof sections[0],
		  .flags = CTPROF_SECTION_METRICS,
		  .name = "primary",
		  .n_fields = 2,
		  .fields = &fields[0].now,
		  .n_lines = 2,
		  .lines = &lines[0].now},
		 LATER},
	};
	const struct ctprof_report report = {.struct_size = sizeof report,
					     .group_by = "pcomm",
					     .n_sections = G_N_ELEMENTS(sections),
					     .sections = &sections[0].now,
					     .command = "show"};
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);
	gpointer self = NULL;

	g_assert_cmpuint(plugin->abi_minor, ==, 0);
	g_assert_cmpint(ops->open(fake_host_table(fake), &self), ==, 0);
	g_assert_cmpint(ops->report(self, &report), ==, 0);
	ops->close(self);
	const GByteArray *written = fake_host_written(fake);
	g_autofree char *text = g_strndup((const char *)written->data, written->len);
	g_assert_cmpstr(text, ==, "primary a m 7\nprimary a n 8\nprimary b n 9\n");
}

/* The host tables of older hosts. */
static const struct old_table {
	guint32 size, minor;
} old_tables[] = {
	{HOST_SIZE_THEN, 0},
	{offsetof(struct ctprof_host, exited), 2},
};

static const struct ctprof_host *lend_old_table(FakeHost *fake, const Brink *brink,
						const struct old_table *old)
{
	struct ctprof_host *table = brink_put(brink, fake_host_table(fake), old->size);

	table->struct_size = old->size;
	table->abi_minor = old->minor;
	return table;
}

/* The source that scripts/new-plugin writes. */
static void test_new_source(void)
{
	const struct ctprof_source_ops *ops = load("tests/abi/ctprof-newer.so")->ops;
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);
	g_auto(Brink) tables = {.page = NULL};
	g_auto(Brink) targets = {.page = NULL};
	gpointer self = NULL;

	brink_init(&tables);
	brink_init(&targets);
	g_assert_cmpint(ops->open(lend_old_table(fake, &tables, &old_tables[0]), &self), ==, 0);
	g_assert_nonnull(strstr(fake_host_log(fake), "has ABI 1.0"));
	fake_host_add_thread(fake, 1000, 1000);
	struct ctprof_batch *batch = fake_host_batch(fake, CTPROF_SCOPE_THREAD);
	struct ctprof_target *target = brink_put(&targets, batch->targets, TARGET_SIZE_THEN);
	target->struct_size = TARGET_SIZE_THEN;
	batch->targets = target;
	g_assert_cmpint(ops->collect(self, NULL, batch), ==, 0);
	ops->close(self);
	g_assert_cmpuint(fake_host_state(fake, 0, "newer_oom_score"), ==,
			 CTPROF_ABSENT_UNSUPPORTED);
}

/* ---- histograms, and a host before them ------------------------------------- */

static int (*metric_of_now)(const struct ctprof_host *host, const struct ctprof_metric *metric,
			    guint32 *ret_slot);

/* Rejects a kind that it does not know, as the host of ABI 1.5 does. */
static int refuse_histograms(const struct ctprof_host *host, const struct ctprof_metric *metric,
			     guint32 *ret_slot)
{
	return metric->kind == CTPROF_HISTOGRAM ? -EINVAL : metric_of_now(host, metric, ret_slot);
}

static void test_histogram_old_host(void)
{
	const struct old_table before = {offsetof(struct ctprof_host, put_histogram), 5};
	g_autofree char *path =
		g_build_filename(g_getenv("CTPROF_BUILD"), "ctprof-latency.so", NULL);
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);
	g_auto(Brink) tables = {.page = NULL};
	gpointer self = NULL;

	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		g_test_skip("this build has no plugin with a histogram");
		return;
	}
	brink_init(&tables);
	const struct ctprof_source_ops *ops = load("ctprof-latency.so")->ops;
	struct ctprof_host *table =
		(struct ctprof_host *)(guintptr)lend_old_table(fake, &tables, &before);
	metric_of_now = table->metric;
	table->metric = refuse_histograms;
	g_assert_cmpint(ops->open(table, &self), <, 0);
	g_assert_nonnull(strstr(fake_host_error(fake), "refused metric run_delay"));
}

/* The plugin opens, or explains why not. */
static void check_opens(const char *file, const struct old_table *old)
{
	const struct ctprof_plugin *plugin = load(file);
	const struct ctprof_source_ops *ops = plugin->ops;
	g_autoptr(FakeHost) fake = fake_host_new(NULL, NULL, NULL, FALSE);
	g_auto(Brink) tables = {.page = NULL};
	gpointer self = NULL;

	if (plugin->kind != CTPROF_KIND_SOURCE)
		return;
	g_test_message("%s", file);
	brink_init(&tables);
	int result = ops->open(lend_old_table(fake, &tables, old), &self);
	if (result < 0)
		g_assert_cmpstr(fake_host_error(fake), !=, "");
	else
		ops->close(self);
}

static void test_own_sources(void)
{
	g_autoptr(GDir) dir = g_dir_open(g_getenv("CTPROF_BUILD"), 0, NULL);
	const char *file;
	guint n = 0;

	g_assert_nonnull(dir);
	while ((file = g_dir_read_name(dir))) {
		if (!g_str_has_prefix(file, "ctprof-") || !g_str_has_suffix(file, ".so"))
			continue;
		for (guint i = 0; i < G_N_ELEMENTS(old_tables); i++)
			check_opens(file, &old_tables[i]);
		n++;
	}
	g_assert_cmpuint(n, >, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/abi/old-sink-new-report", test_old_sink);
	g_test_add_func("/abi/new-source-old-host", test_new_source);
	g_test_add_func("/abi/own-sources-old-host", test_own_sources);
	g_test_add_func("/abi/histogram-old-host", test_histogram_old_host);
	return g_test_run();
}

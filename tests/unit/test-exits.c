/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exited threads: rows of their own, and sources that listen for them. */
#include <errno.h>
#include <string.h>

#include "capture/between.h"
#include "row/batch.h"
#include "toys.h"

typedef struct fixture {
	Registry *registry;
	Batch *batch;
	struct ctprof_host host;
	struct ctprof_batch *open;
	guint64 bad;
	guint32 slot, of_threads;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
	(void)unused;
	f->registry = registry_new();
	/* One name, two rows. */
	f->of_threads =
		toy_add(f->registry, "p",
			toy_metric("run", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD));
	f->slot = toy_add(f->registry, "p",
			  toy_metric("run", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_EXIT));
	g_assert_true(registry_seal(f->registry, NULL, NULL, NULL));
	f->batch = batch_new(f->registry, ROW_EXIT);
	batch_lend(&f->host);
	batch_begin(f->batch, 0);
	f->open = batch_open(f->batch, &f->bad);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
	(void)unused;
	batch_free(f->batch);
	registry_free(f->registry);
}

static void test_rows(Fixture *f, gconstpointer unused)
{
	static const struct {
		gint32 tgid, tid;
		guint32 flags;
	} cases[] = {{7, 8, 0}, {7, 7, CTPROF_TARGET_LEADER}, {0, 9, 0}, {7, 7, 1}};
	struct ctprof_rows rows;
	guint64 row;

	(void)unused;
	g_assert_cmpuint(f->open->scope, ==, CTPROF_SCOPE_EXIT);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_assert_cmpint(f->host.exited(f->open, cases[i].tgid, cases[i].tid, &row), ==, 0);
		g_assert_cmpuint(row, ==, i);
	}
	f->host.put_u64(f->open, 1, f->slot, 5);
	batch_view(f->batch, &rows);
	g_assert_cmpuint(rows.n, ==, G_N_ELEMENTS(cases));
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct ctprof_target *target = ctprof_rows_target(&rows, i);

		g_assert_cmpint(target->tgid, ==, cases[i].tgid);
		g_assert_cmpint(target->tid, ==, cases[i].tid);
		g_assert_cmpuint(target->flags, ==, cases[i].flags);
		g_assert_cmpint(target->task_fd, ==, -1);
		g_assert_cmpuint(rows.states[i], ==,
				 i == 1 ? CTPROF_PRESENT : CTPROF_ABSENT_UNSUPPORTED);
	}
	g_assert_cmpuint(f->bad, ==, 0);
}

/* Each call counts as a failure of the plugin, and adds no row. */
static void test_refused(Fixture *f, gconstpointer unused)
{
	g_autoptr(Batch) threads = batch_new(f->registry, ROW_THREAD);
	guint64 row = 4711;

	(void)unused;
	batch_begin(threads, 0);
	g_assert_cmpint(f->host.exited(f->open, 1, 0, &row), ==, -EINVAL);
	g_assert_cmpint(f->host.exited(f->open, -1, 1, &row), ==, -EINVAL);
	g_assert_cmpint(f->host.exited(batch_open(threads, &f->bad), 1, 1, &row), ==, -EINVAL);
	g_assert_cmpuint(f->bad, ==, 3);
	f->host.put_u64(f->open, 0, f->slot, 1);
	g_assert_cmpint(f->host.exited(f->open, 1, 1, &row), ==, 0);
	f->host.put_u64(f->open, 0, f->of_threads, 1);
	f->host.vanished(f->open, 0);
	g_assert_cmpuint(f->bad, ==, 6);
	g_assert_cmpuint(row, ==, 0);
}

static void test_full(Fixture *f, gconstpointer unused)
{
	guint64 row;

	(void)unused;
	for (guint i = 0; i < BATCH_ROWS; i++)
		g_assert_cmpint(f->host.exited(f->open, 1, 1, &row), ==, 0);
	g_assert_cmpint(f->host.exited(f->open, 1, 1, &row), ==, -ENOSPC);
	g_assert_cmpuint(f->bad, ==, 0);
}

/* A refused row class has no wanted metrics, whether named or not. */
static void test_refuse(void)
{
	g_autoptr(Registry) registry = registry_new();

	toy_add(registry, "p",
		toy_metric("run", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_EXIT));
	registry_refuse(registry, ROW_EXIT);
	g_assert_true(registry_seal(registry, "run", NULL, NULL));
	g_assert_false(registry_provides(registry, "p", ROW_EXIT));
	g_assert_false(registry_asks(registry, "p"));
}

/* ---- listening ---------------------------------------------------------------- */

static struct ears {
	int starts, listens, start_result, listen_result, drain_result;
	int deaf;   /* the number of sources, from the first, that do not listen */
	int drains; /* atomic */
	const struct ctprof_host *host;
} ears;

static int ears_open(const struct ctprof_host *host, void **ret_self)
{
	const struct ctprof_metric metric =
		toy_metric("run", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_EXIT);
	guint32 slot;

	ears.host = host;
	*ret_self = &ears;
	return host->metric(host, &metric, &slot);
}

static void ears_close(void *self)
{
	(void)self;
}

static int answer(int result, const char *text)
{
	if (result < 0)
		ears.host->error(ears.host, "%s", text);
	return result;
}

static int ears_start(void *self)
{
	(void)self;
	ears.starts++;
	return answer(ears.start_result, "no start");
}

static int ears_listen(void *self)
{
	(void)self;
	ears.listens++;
	return answer(ears.listens <= ears.deaf ? -EINVAL : ears.listen_result, "deaf");
}

static int ears_drain(void *self)
{
	(void)self;
	__atomic_add_fetch(&ears.drains, 1, __ATOMIC_RELAXED);
	return answer(ears.drain_result, "overrun");
}

static int ears_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)self;
	(void)context;
	(void)batch;
	return 0;
}

static Plugin *make_ears(const char *name, gboolean old)
{
	static const struct ctprof_source_ops ops = {
		.struct_size = sizeof ops,
		.open = ears_open,
		.close = ears_close,
		.start = ears_start,
		.collect = ears_collect,
		.listen = ears_listen,
		.drain = ears_drain,
	};
	static struct ctprof_source_ops old_ops;
	const struct ctprof_plugin descriptor = {
		.struct_size = sizeof descriptor,
		.abi_major = CTPROF_ABI_MAJOR,
		.kind = CTPROF_KIND_SOURCE,
		.name = name,
		.ops = old ? &old_ops : &ops,
	};

	/* An older plugin has no member from listen on. */
	old_ops = ops;
	old_ops.struct_size = offsetof(struct ctprof_source_ops, listen);
	return plugin_new(g_strdup(""), NULL, &descriptor);
}

static void wait_for_drains(int n)
{
	while (__atomic_load_n(&ears.drains, __ATOMIC_RELAXED) < n)
		g_usleep(1000);
}

/* A listening source is drained repeatedly until it is stopped. */
static void check_drains(Between *listener, Plugin *plugin)
{
	wait_for_drains(3);
	const GPtrArray *sources = between_stop(listener);
	int drains = ears.drains;

	g_assert_cmpuint(sources->len, ==, 1);
	g_assert_true(g_ptr_array_index(sources, 0) == plugin);
	g_assert_true(between_stop(listener) == sources);
	plugin_start(plugin);
	g_assert_cmpint(ears.starts, ==, 1);
	g_assert_cmpint(ears.listens, ==, 1);
	g_assert_cmpint(ears.drains, ==, drains);
}

/* A source that fails to drain is not called again, counts as a failure, and stays live. */
static void check_overrun(Between *listener, Plugin *plugin)
{
	wait_for_drains(1);
	g_assert_cmpuint(between_stop(listener)->len, ==, 1);
	plugin_drain(plugin);
	g_assert_cmpint(ears.drains, ==, 1);
	g_assert_cmpuint(plugin->failures, ==, 1);
	g_assert_true(plugin_is_live(plugin));
}

static void test_listener(void)
{
	static const struct {
		gboolean old;
		struct ears ears;
		gboolean is_live;
		const char *why;
		void (*check)(Between *listener, Plugin *plugin);
	} cases[] = {
		{FALSE, {0}, TRUE, NULL, check_drains},
		{FALSE, {.drain_result = -EIO}, TRUE, NULL, check_overrun},
		{FALSE, {.listen_result = -EINVAL}, TRUE, "ears: deaf", NULL},
		{FALSE, {.start_result = -EPERM}, FALSE, "ears: no start", NULL},
		{TRUE, {0}, TRUE, "no plugin that records them is loaded", NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Registry) registry = registry_new();
		g_autoptr(GPtrArray) plugins = g_ptr_array_new();
		g_autoptr(GHashTable) options = g_hash_table_new(g_str_hash, g_str_equal);
		g_autoptr(Plugin) plugin = make_ears("ears", cases[i].old);

		ears = cases[i].ears;
		g_ptr_array_add(plugins, plugin);
		g_assert_true(plugin_open(plugin, NULL, registry, options, NULL));
		g_assert_true(registry_seal(registry, NULL, NULL, NULL));
		g_autoptr(Between) listener = between_listen(plugins, registry);

		between_start(listener);
		g_assert_cmpstr(between_failure(listener), ==, cases[i].why);
		g_assert_true(plugin_is_live(plugin) == cases[i].is_live);
		if (cases[i].check)
			cases[i].check(listener, plugin);
		else
			g_assert_cmpuint(between_stop(listener)->len, ==, 0);
	}
}

/* Two sources would both have a row for every exit: only the first that can listen does. */
static void test_one_listens(void)
{
	for (int deaf = 0; deaf < 3; deaf++) {
		g_autoptr(Registry) registry = registry_new();
		g_autoptr(GPtrArray) plugins =
			g_ptr_array_new_with_free_func((GDestroyNotify)plugin_free);
		g_autoptr(GHashTable) options = g_hash_table_new(g_str_hash, g_str_equal);
		const char *const names[] = {"left", "right"};

		ears = (struct ears){.deaf = deaf};
		for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
			Plugin *plugin = make_ears(names[i], FALSE);

			g_ptr_array_add(plugins, plugin);
			g_assert_true(plugin_open(plugin, NULL, registry, options, NULL));
		}
		g_assert_true(registry_seal(registry, NULL, NULL, NULL));
		g_autoptr(Between) listener = between_listen(plugins, registry);

		between_start(listener);
		const GPtrArray *sources = between_stop(listener);
		g_assert_cmpint(ears.listens, ==, MIN(deaf + 1, 2));
		g_assert_cmpuint(sources->len, ==, deaf < 2 ? 1 : 0);
		if (deaf < 2)
			g_assert_true(g_ptr_array_index(sources, 0) ==
				      g_ptr_array_index(plugins, (guint)deaf));
		g_assert_true((between_failure(listener) == NULL) == (deaf < 2));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add("/exits/rows", Fixture, NULL, set_up, test_rows, tear_down);
	g_test_add("/exits/refused", Fixture, NULL, set_up, test_refused, tear_down);
	g_test_add("/exits/full", Fixture, NULL, set_up, test_full, tear_down);
	g_test_add_func("/exits/refuse", test_refuse);
	g_test_add_func("/exits/listener", test_listener);
	g_test_add_func("/exits/one", test_one_listens);
	return g_test_run();
}

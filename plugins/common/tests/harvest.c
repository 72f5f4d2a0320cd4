/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "harvest.h"

#include <glib/gstdio.h>
#include <string.h>

const struct ctprof_plugin *ctprof_plugin_entry_v1(void);

Tree *tree_new(void)
{
	g_autoptr(GError) error = NULL;
	char *tree = g_dir_make_tmp("ctprof-XXXXXX", &error);

	g_assert_no_error(error);
	return tree;
}

static void remove_below(const char *path)
{
	const char *name;

	if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
		g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);

		while (dir && (name = g_dir_read_name(dir))) {
			g_autofree char *child = g_build_filename(path, name, NULL);

			remove_below(child);
		}
	}
	g_remove(path);
}

void tree_free(Tree *tree)
{
	remove_below(tree);
	g_free(tree);
}

void tree_write(const Tree *tree, const char *path, const char *text)
{
	g_autofree char *full = g_build_filename(tree, path, NULL);
	g_autofree char *dir = g_path_get_dirname(full);
	g_autoptr(GError) error = NULL;

	if (!text) {
		g_assert_cmpint(g_remove(full), ==, 0);
		return;
	}
	g_assert_cmpint(g_mkdir_with_parents(dir, 0700), ==, 0);
	g_file_set_contents(full, text, -1, &error);
	g_assert_no_error(error);
}

void tree_copy(const Tree *tree, const char *path, const char *from)
{
	g_autoptr(GDir) dir = g_dir_open(from, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *source = g_build_filename(from, name, NULL);
		g_autofree char *target = g_build_filename(path, name, NULL);
		g_autofree char *text = NULL;

		if (g_file_test(source, G_FILE_TEST_IS_DIR))
			tree_copy(tree, target, source);
		else if (g_file_get_contents(source, &text, NULL, NULL))
			tree_write(tree, target, text);
	}
}

char *fixture_path(const char *kernel)
{
	g_autofree char *path = g_build_filename(g_test_get_dir(G_TEST_DIST), "..", "..", "..",
						 "shared", "fixtures", kernel, NULL);

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		return g_steal_pointer(&path);
	g_test_skip("the recorded kernels are not here");
	return NULL;
}

/* ---- running a source -------------------------------------------------- */

/* Metric names in the order of registration, as the fake host finds metrics only by name. */
static GPtrArray *names;
static int (*register_metric)(const struct ctprof_host *, const struct ctprof_metric *, guint32 *);

static int note_metric(const struct ctprof_host *host, const struct ctprof_metric *metric,
		       guint32 *ret_slot)
{
	g_ptr_array_add(names, (gpointer)(uintptr_t)metric->name);
	return register_metric(host, metric, ret_slot);
}

static FakeHost *lend(const struct field_trip *trip, struct ctprof_host *ret_table)
{
	FakeHost *fake = fake_host_new(trip->proc, trip->sys, trip->cgroup, trip->live);
	g_auto(GStrv) wanted = g_strsplit(trip->want ? trip->want : "", " ", -1);

	for (char **want = wanted; *want && **want; want++)
		fake_host_want(fake, *want);
	*ret_table = *fake_host_table(fake);
	register_metric = ret_table->metric;
	ret_table->metric = note_metric;
	g_clear_pointer(&names, g_ptr_array_unref);
	names = g_ptr_array_new();
	return fake;
}

static char *value_text(FakeHost *fake, const char *name)
{
	const struct ctprof_metric *metric = fake_host_metric(fake, name);
	guint32 state = fake_host_state(fake, 0, name);

	if (state != CTPROF_PRESENT)
		return g_strdup_printf("!%u", state);
	if (metric->kind == CTPROF_MAP || metric->unit == CTPROF_UNIT_TEXT)
		return g_strdup(fake_host_string(fake, 0, name));
	if (metric->kind == CTPROF_ORDINAL)
		return g_strdup_printf("%" G_GINT64_FORMAT, fake_host_i64(fake, 0, name));
	return g_strdup_printf("%" G_GUINT64_FORMAT, fake_host_u64(fake, 0, name));
}

static const struct ctprof_source_ops *source_ops(void)
{
	return ctprof_plugin_entry_v1()->ops;
}

Harvest *harvest_new(const struct field_trip *trip)
{
	const struct ctprof_source_ops *ops = source_ops();
	struct ctprof_host table;
	Harvest *harvest = g_new0(Harvest, 1);
	void *self = NULL;

	harvest->fake = lend(trip, &table);
	harvest->values = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	g_assert_cmpint(ops->open(&table, &self), ==, 0);
	harvest->started = ops->start ? ops->start(self) : 0;
	if (trip->path)
		fake_host_add_cgroup(harvest->fake, trip->path);
	struct ctprof_batch *batch = fake_host_batch(harvest->fake, trip->scope);
	if (harvest->started == 0)
		g_assert_cmpint(ops->collect(self, NULL, batch), ==, 0);
	ops->close(self);
	harvest->error = g_strdup(fake_host_error(harvest->fake));
	for (guint i = 0; i < names->len; i++) {
		char *name = g_ptr_array_index(names, i);

		g_hash_table_insert(harvest->values, name, value_text(harvest->fake, name));
	}
	return harvest;
}

void harvest_free(Harvest *harvest)
{
	g_hash_table_unref(harvest->values);
	fake_host_free(harvest->fake);
	g_free(harvest->error);
	g_free(harvest);
}

const char *harvest_value(const Harvest *harvest, const char *name)
{
	const char *value = g_hash_table_lookup(harvest->values, name);

	if (!value)
		g_error("no metric '%s'", name);
	return value;
}

char *harvest_findings(const struct field_trip *trip)
{
	const struct ctprof_source_ops *ops = source_ops();
	struct ctprof_host table;
	g_autoptr(FakeHost) fake = lend(trip, &table);
	void *self = NULL;

	g_assert_cmpint(ops->open(&table, &self), ==, 0);
	g_assert_cmpint(ops->probe(self), ==, 0);
	ops->close(self);
	return g_strdup(fake_host_findings(fake));
}

/* ---- which value comes from which file ---------------------------------- */

static gboolean matches(const char *globs, const char *name)
{
	g_auto(GStrv) list = g_strsplit(globs, " ", -1);

	for (char **glob = list; *glob; glob++)
		if (g_pattern_match_simple(*glob, name))
			return TRUE;
	return FALSE;
}

static void check_without(const Harvest *whole, const struct field_trip *trip,
			  const struct dependence *row)
{
	g_autoptr(Harvest) rest = harvest_new(trip);
	GHashTableIter each;
	gpointer name, before;

	g_assert_cmpint(rest->started, ==, 0);
	g_hash_table_iter_init(&each, whole->values);
	while (g_hash_table_iter_next(&each, &name, &before)) {
		const char *expected = matches(row->metrics, name) ? "!10" : before;

		if (strcmp(harvest_value(rest, name), expected) != 0)
			g_error("without %s, %s is '%s', not '%s'", row->file, (char *)name,
				harvest_value(rest, name), expected);
	}
}

static void check_coverage(const Harvest *whole, const struct dependence *table, gsize n,
			   const char *standing)
{
	GHashTableIter each;
	gpointer name, value;

	g_hash_table_iter_init(&each, whole->values);
	while (g_hash_table_iter_next(&each, &name, &value)) {
		gboolean known = *(char *)value == '!' || matches(standing, name);

		for (gsize i = 0; !known && i < n; i++)
			known = matches(table[i].metrics, name);
		if (!known)
			g_error("no file is known to give %s", (char *)name);
	}
}

void check_dependences(const Tree *tree, const struct field_trip *trip,
		       const struct dependence *table, gsize n, const char *standing)
{
	g_autoptr(Harvest) whole = harvest_new(trip);

	g_assert_cmpint(whole->started, ==, 0);
	check_coverage(whole, table, n, standing);
	for (gsize i = 0; i < n; i++) {
		g_autofree char *full = g_build_filename(tree, table[i].file, NULL);
		g_autofree char *text = NULL;

		g_assert_true(g_file_get_contents(full, &text, NULL, NULL));
		tree_write(tree, table[i].file, NULL);
		check_without(whole, trip, &table[i]);
		tree_write(tree, table[i].file, text);
	}
}

void check_readme(void)
{
	struct field_trip nowhere = {.scope = CTPROF_SCOPE_HOST};
	g_autoptr(Harvest) nothing = harvest_new(&nowhere);
	g_autofree char *path = g_test_build_filename(G_TEST_DIST, "README.md", NULL);
	g_autofree char *readme = NULL;

	g_assert_cmpuint(names->len, ==, fake_host_n_metrics(nothing->fake));
	g_assert_true(g_file_get_contents(path, &readme, NULL, NULL));
	for (guint i = 0; i < names->len; i++) {
		g_autofree char *quoted =
			g_strdup_printf("`%s`", (char *)g_ptr_array_index(names, i));

		if (!strstr(readme, quoted))
			g_error("README.md does not name %s", quoted);
	}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Object batches, whose rows are named by the source. */
#include <errno.h>
#include <string.h>

#include "row/batch.h"
#include "toys.h"

enum { SIZE, WORD, OTHER, UNASKED, FOREIGN, N_SLOTS };

static const struct {
	const char *plugin, *group, *name;
	guint32 kind, unit, scope;
} metrics[N_SLOTS] = {
	[SIZE] = {"p", "disks", "size", CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT},
	[WORD] = {"p", "disks", "word", CTPROF_LABEL, CTPROF_UNIT_TEXT, CTPROF_SCOPE_OBJECT},
	[OTHER] = {"p", "mounts", "used", CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT},
	[UNASKED] = {"p", "dear", "cost", CTPROF_LEVEL, CTPROF_UNIT_NS, CTPROF_SCOPE_OBJECT},
	[FOREIGN] = {"q", "alien", "legs", CTPROF_LEVEL, CTPROF_UNIT_NONE, CTPROF_SCOPE_OBJECT},
};

typedef struct fixture {
	Registry *registry;
	Batch *batch;
	struct ctprof_host host;
	struct ctprof_batch *open;
	guint64 bad;
	guint32 slots[N_SLOTS];
} Fixture;

static void begin(Fixture *f)
{
	batch_begin(f->batch, 0);
	f->open = batch_open(f->batch, &f->bad);
}

static void set_up(Fixture *f, gconstpointer unused)
{
	(void)unused;
	f->registry = registry_new();
	for (guint i = 0; i < N_SLOTS; i++) {
		struct ctprof_metric metric = toy_metric(metrics[i].name, metrics[i].kind,
							 metrics[i].unit, metrics[i].scope);

		metric.group = metrics[i].group;
		f->slots[i] = toy_add(f->registry, metrics[i].plugin, metric);
	}
	g_assert_true(registry_seal(f->registry, NULL, "-dear", NULL));
	f->batch = batch_new(f->registry, ROW_OBJECT);
	batch_lend(&f->host);
	batch_own(f->batch, f->registry, "p");
	begin(f);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
	(void)unused;
	batch_free(f->batch);
	registry_free(f->registry);
}

static guint64 name(Fixture *f, const char *group, const char *text)
{
	guint64 row = G_MAXUINT64;

	g_assert_cmpint(f->host.object(f->open, group, text, strlen(text), &row), ==, 0);
	return row;
}

static guint32 state(const Fixture *f, guint64 row, guint metric)
{
	struct ctprof_rows rows;

	batch_view(f->batch, &rows);
	return rows
		.states[row * rows.n_slots + registry_slot(f->registry, f->slots[metric])->index];
}

/* A batch begins without rows; a named row has only the slots of its group. */
static void test_rows(Fixture *f, gconstpointer unused)
{
	(void)unused;
	g_assert_cmpuint(f->open->n, ==, 0);
	g_assert_cmpuint(name(f, "disks", "sda"), ==, 0);
	g_assert_cmpuint(name(f, "mounts", "/run\n\xff"), ==, 1);
	g_assert_cmpuint(f->open->n, ==, 2);
	f->host.put_u64(f->open, 0, f->slots[SIZE], 7);
	const struct ctprof_target *target = ctprof_batch_target(f->open, 1);
	g_assert_cmpstr(target->group, ==, "mounts");
	g_assert_cmpstr(target->path, ==, "/run\n\xff");
	g_assert_cmpuint(target->path_len, ==, 6);
	g_assert_cmpint(target->task_fd, ==, -1);
	g_assert_cmpuint(state(f, 0, SIZE), ==, CTPROF_PRESENT);
	g_assert_cmpuint(state(f, 0, WORD), ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(state(f, 0, OTHER), ==, CTPROF_ABSENT_SKIPPED);
	g_assert_cmpuint(state(f, 1, OTHER), ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(state(f, 1, SIZE), ==, CTPROF_ABSENT_SKIPPED);
	g_assert_cmpuint(f->bad, ==, 0);
}

static void test_name_is_copied(Fixture *f, gconstpointer unused)
{
	char text[] = "sda";
	guint64 row;

	(void)unused;
	g_assert_cmpint(f->host.object(f->open, "disks", text, 3, &row), ==, 0);
	memset(text, 'x', 3);
	g_assert_cmpstr(ctprof_batch_target(f->open, row)->path, ==, "sda");
}

/* Each call returns -EINVAL, counts as a failure of the plugin, and adds no row. */
static void test_refused(Fixture *f, gconstpointer unused)
{
	static const char longest[4097] = {[0 ... 4095] = 'x'};
	static const struct {
		const char *group, *name;
		gsize length;
	} cases[] = {
		{"disks", "", 0},      {"disks", "a\0b", 3}, {"disks", longest, 4097},
		{"disks", NULL, 3},    {NULL, "sda", 3},     {"", "sda", 3},
		{"nowhere", "sda", 3}, {"alien", "zork", 4},
	};
	guint64 row = 4711;

	(void)unused;
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		g_assert_cmpint(f->host.object(f->open, cases[i].group, cases[i].name,
					       cases[i].length, &row),
				==, -EINVAL);
	g_assert_cmpuint(f->bad, ==, G_N_ELEMENTS(cases));
	g_assert_cmpuint(f->open->n, ==, 0);
	g_assert_cmpuint(row, ==, 4711);
	g_assert_cmpint(f->host.object(f->open, "disks", longest, 4096, &row), ==, 0);
}

/* A full batch is not a failure; the next batch has room again. */
static void test_full(Fixture *f, gconstpointer unused)
{
	guint64 row;

	(void)unused;
	for (guint i = 0; i < BATCH_ROWS; i++)
		g_assert_cmpuint(name(f, "disks", "same"), ==, i);
	g_assert_cmpint(f->host.object(f->open, "disks", "one more", 8, &row), ==, -ENOSPC);
	g_assert_cmpuint(f->bad, ==, 0);
	g_assert_cmpuint(batch_rows(f->batch), ==, BATCH_ROWS);
	begin(f);
	g_assert_cmpuint(name(f, "disks", "one more"), ==, 0);
}

/* A put into another group's slot, or a row not named yet, is a failure. */
static void test_foreign_slots(Fixture *f, gconstpointer unused)
{
	(void)unused;
	f->host.put_u64(f->open, 0, f->slots[SIZE], 1);
	g_assert_cmpuint(f->bad, ==, 1);
	guint64 row = name(f, "disks", "sda");
	f->host.put_u64(f->open, row, f->slots[OTHER], 1);
	g_assert_cmpuint(f->bad, ==, 2);
	f->host.put_u64(f->open, row + 1, f->slots[SIZE], 1);
	g_assert_cmpuint(f->bad, ==, 3);
	g_assert_cmpuint(state(f, row, OTHER), ==, CTPROF_ABSENT_SKIPPED);
}

/* Objects of an unwanted group may be named, and are dropped. */
static void test_unasked_group(Fixture *f, gconstpointer unused)
{
	struct ctprof_rows rows;

	(void)unused;
	name(f, "dear", "a");
	f->host.put_u64(f->open, name(f, "disks", "b"), f->slots[SIZE], 8);
	name(f, "dear", "c");
	g_assert_cmpuint(batch_rows(f->batch), ==, 3);
	g_assert_cmpuint(batch_drop_vanished(f->batch), ==, 2);
	batch_view(f->batch, &rows);
	g_assert_cmpuint(rows.n, ==, 1);
	g_assert_cmpstr(ctprof_rows_target(&rows, 0)->path, ==, "b");
	g_assert_cmpuint(state(f, 0, SIZE), ==, CTPROF_PRESENT);
}

static void test_filled(Fixture *f, gconstpointer unused)
{
	(void)unused;
	guint64 row = name(f, "disks", "sda");
	g_assert_cmpint(f->host.filled(f->open, row, f->slots[SIZE]), ==, 0);
	f->host.put_absent(f->open, row, f->slots[SIZE], CTPROF_ABSENT_DENIED);
	g_assert_cmpint(f->host.filled(f->open, row, f->slots[SIZE]), ==, 0);
	f->host.put_u64(f->open, row, f->slots[SIZE], 0);
	g_assert_cmpint(f->host.filled(f->open, row, f->slots[SIZE]), ==, 1);
	g_assert_cmpuint(f->bad, ==, 0);
	g_assert_cmpint(f->host.filled(f->open, row + 1, f->slots[SIZE]), ==, 0);
	g_assert_cmpint(f->host.filled(f->open, row, 4711), ==, 0);
	g_assert_cmpuint(f->bad, ==, 2);
}

/* A plugin may not name rows of other classes. */
static void test_thread_batch(Fixture *f, gconstpointer unused)
{
	g_autoptr(Batch) batch = batch_new(f->registry, ROW_THREAD);
	guint64 row, bad = 0;

	(void)unused;
	batch_begin(batch, 0);
	struct ctprof_batch *open = batch_open(batch, &bad);
	g_assert_cmpint(f->host.object(open, "disks", "sda", 3, &row), ==, -EINVAL);
	g_assert_cmpuint(bad, ==, 1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *path;
		void (*test)(Fixture *f, gconstpointer unused);
	} tests[] = {
		{"/objects/rows-are-named-and-have-their-groups-slots", test_rows},
		{"/objects/names-are-copied", test_name_is_copied},
		{"/objects/bad-names-and-groups-are-refused", test_refused},
		{"/objects/a-full-batch-says-so", test_full},
		{"/objects/slots-of-other-groups-are-no-place", test_foreign_slots},
		{"/objects/unasked-groups-go-nowhere", test_unasked_group},
		{"/objects/filled-tells-of-values", test_filled},
		{"/objects/only-object-batches-take-names", test_thread_batch},
	};

	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
		g_test_add(tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
	return g_test_run();
}

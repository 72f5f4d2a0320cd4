/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "row/batch.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "toys.h"

/* Rows 0..2 of one batch: a leader, and two other threads. */
enum { N_ROWS = 3 };

enum { COUNT, ORDER, TEXT, CPUS, MAP, WORDS, LEADER, UNWANTED, HOST, N_SLOTS };

static const struct {
	const char *name;
	guint32 kind, unit, scope;
} metrics[N_SLOTS] = {
	[COUNT] = {"count", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	[ORDER] = {"order", CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	[TEXT] = {"text", CTPROF_CATEGORY, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
	[CPUS] = {"cpus", CTPROF_CPUSET, CTPROF_UNIT_CPUS, CTPROF_SCOPE_THREAD},
	[MAP] = {"map", CTPROF_MAP, CTPROF_UNIT_BYTES, CTPROF_SCOPE_THREAD},
	[WORDS] = {"words", CTPROF_MAP, CTPROF_UNIT_TEXT, CTPROF_SCOPE_THREAD},
	[LEADER] = {"leader", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_PROCESS},
	[UNWANTED] = {"unwanted", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD},
	[HOST] = {"host", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST},
};

typedef struct fixture {
	Registry *registry;
	Batch *batch;
	struct ctprof_host host;
	struct ctprof_batch *open;
	guint64 bad;
	guint32 slots[N_SLOTS];
} Fixture;

static void begin(Fixture *f, gsize n)
{
	struct ctprof_target *targets = batch_targets(f->batch);

	for (gsize i = 0; i < n; i++)
		targets[i] = (struct ctprof_target){
			.struct_size = sizeof targets[i],
			.flags = i == 0 ? CTPROF_TARGET_LEADER : 0,
			.tgid = 100,
			.tid = 100 + (gint32)i,
			.task_fd = -1,
		};
	batch_begin(f->batch, n);
	f->open = batch_open(f->batch, &f->bad);
}

static void set_up(Fixture *f, gconstpointer unused)
{
	(void)unused;
	f->registry = registry_new();
	for (guint i = 0; i < N_SLOTS; i++)
		f->slots[i] = toy_add(f->registry, "p",
				      toy_metric(metrics[i].name, metrics[i].kind, metrics[i].unit,
						 metrics[i].scope));
	g_assert_true(registry_seal(f->registry, "-unwanted", NULL, NULL));
	f->batch = batch_new(f->registry, ROW_THREAD);
	batch_lend(&f->host);
	begin(f, N_ROWS);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
	(void)unused;
	batch_free(f->batch);
	registry_free(f->registry);
}

static guint32 state(const Fixture *f, guint64 row, guint metric)
{
	struct ctprof_rows rows;

	batch_view(f->batch, &rows);
	return rows
		.states[row * rows.n_slots + registry_slot(f->registry, f->slots[metric])->index];
}

static guint64 value(const Fixture *f, guint64 row, guint metric)
{
	struct ctprof_rows rows;

	g_assert_cmpuint(state(f, row, metric), ==, CTPROF_PRESENT);
	batch_view(f->batch, &rows);
	return rows
		.values[row * rows.n_slots + registry_slot(f->registry, f->slots[metric])->index];
}

static gconstpointer stored(const Fixture *f, guint64 row, guint metric)
{
	return (gconstpointer)(uintptr_t)value(f, row, metric);
}

/* Like g_assert_cmpmem(), whose own conversions cause warnings. */
static void assert_bytes(const void *a, gsize a_size, const void *b, gsize b_size)
{
	g_assert_cmpuint(a_size, ==, b_size);
	g_assert_true(memcmp(a, b, b_size) == 0);
}

static void test_empty(Fixture *f, gconstpointer unused)
{
	(void)unused;
	g_assert_cmpuint(state(f, 0, COUNT), ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(state(f, 0, UNWANTED), ==, CTPROF_ABSENT_SKIPPED);
	g_assert_cmpuint(state(f, 0, LEADER), ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(state(f, 1, LEADER), ==, CTPROF_ABSENT_INAPPLICABLE);
	g_assert_cmpuint(f->open->scope, ==, CTPROF_SCOPE_THREAD);
	g_assert_cmpuint(f->open->n, ==, N_ROWS);
}

static void test_numbers(Fixture *f, gconstpointer unused)
{
	(void)unused;
	f->host.put_u64(f->open, 0, f->slots[COUNT], G_MAXUINT64);
	f->host.put_u64(f->open, 2, f->slots[COUNT], 0);
	f->host.put_i64(f->open, 1, f->slots[ORDER], G_MININT64);
	g_assert_cmpuint(value(f, 0, COUNT), ==, G_MAXUINT64);
	g_assert_cmpuint(value(f, 2, COUNT), ==, 0);
	g_assert_cmpint((gint64)value(f, 1, ORDER), ==, G_MININT64);
	g_assert_cmpuint(state(f, 1, COUNT), ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(f->bad, ==, 0);
}

/* The first source that has a value wins; an absence never replaces a value. */
static void test_first_wins(Fixture *f, gconstpointer unused)
{
	(void)unused;
	f->host.put_absent(f->open, 0, f->slots[COUNT], CTPROF_ABSENT_DENIED);
	g_assert_cmpuint(state(f, 0, COUNT), ==, CTPROF_ABSENT_DENIED);
	f->host.put_u64(f->open, 0, f->slots[COUNT], 1);
	f->host.put_u64(f->open, 0, f->slots[COUNT], 2);
	f->host.put_absent(f->open, 0, f->slots[COUNT], CTPROF_ABSENT_TIMEOUT);
	g_assert_cmpuint(value(f, 0, COUNT), ==, 1);
	g_assert_cmpuint(f->bad, ==, 0);
}

/* A row need not be read for values that it has, that are inapplicable to it, or that a
 * source has reported as unsupported by the kernel; for other absent values it must be. */
static void test_filled(Fixture *f, gconstpointer unused)
{
	static const struct {
		guint32 why;
		int filled;
	} cases[] = {
		{CTPROF_ABSENT_UNSUPPORTED, 1},  {CTPROF_ABSENT_DENIED, 0},
		{CTPROF_ABSENT_VANISHED, 0},     {CTPROF_ABSENT_TIMEOUT, 0},
		{CTPROF_ABSENT_INVALID, 0},      {CTPROF_ABSENT_SKIPPED, 0},
		{CTPROF_ABSENT_INAPPLICABLE, 1},
	};

	(void)unused;
	g_assert_cmpint(f->host.filled(f->open, 0, f->slots[COUNT]), ==, 0);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		f->host.put_absent(f->open, 0, f->slots[COUNT], cases[i].why);
		g_assert_cmpint(f->host.filled(f->open, 0, f->slots[COUNT]), ==, cases[i].filled);
	}
	f->host.put_absent(f->open, 0, f->slots[COUNT], CTPROF_ABSENT_UNSUPPORTED);
	batch_invalidate(f->batch, 0);
	g_assert_cmpuint(state(f, 0, COUNT), ==, CTPROF_ABSENT_UNSUPPORTED);
	g_assert_cmpuint(state(f, 1, COUNT), ==, CTPROF_ABSENT_INVALID);
	f->host.put_u64(f->open, 0, f->slots[COUNT], 0);
	g_assert_cmpint(f->host.filled(f->open, 0, f->slots[COUNT]), ==, 1);
	g_assert_cmpint(f->host.filled(f->open, 0, f->slots[LEADER]), ==, 0);
	g_assert_cmpint(f->host.filled(f->open, 1, f->slots[LEADER]), ==, 1);
	begin(f, N_ROWS);
	g_assert_cmpint(f->host.filled(f->open, 0, f->slots[COUNT]), ==, 0);
	g_assert_cmpuint(f->bad, ==, 0);
}

static void test_leader_only(Fixture *f, gconstpointer unused)
{
	(void)unused;
	for (guint64 row = 0; row < N_ROWS; row++)
		f->host.put_u64(f->open, row, f->slots[LEADER], 7);
	f->host.put_absent(f->open, 2, f->slots[LEADER], CTPROF_ABSENT_DENIED);
	g_assert_cmpuint(value(f, 0, LEADER), ==, 7);
	g_assert_cmpuint(state(f, 1, LEADER), ==, CTPROF_ABSENT_INAPPLICABLE);
	g_assert_cmpuint(state(f, 2, LEADER), ==, CTPROF_ABSENT_INAPPLICABLE);
	g_assert_cmpuint(f->bad, ==, 0);
}

static void test_unwanted(Fixture *f, gconstpointer unused)
{
	(void)unused;
	f->host.put_u64(f->open, 0, f->slots[UNWANTED], 7);
	f->host.put_absent(f->open, 1, f->slots[UNWANTED], CTPROF_ABSENT_DENIED);
	g_assert_cmpuint(state(f, 0, UNWANTED), ==, CTPROF_ABSENT_SKIPPED);
	g_assert_cmpuint(state(f, 1, UNWANTED), ==, CTPROF_ABSENT_SKIPPED);
	g_assert_cmpuint(f->bad, ==, 0);
}

/* Each call breaks a rule: it is counted as a failure, and stores nothing. */
static void test_bad_puts(Fixture *f, gconstpointer unused)
{
	static const guint32 cpus[] = {1, 1}, down[] = {2, 1};
	guint64 expected = 0;

	(void)unused;
#define BAD(call)                                                                                  \
	do {                                                                                       \
		f->host.call;                                                                      \
		g_assert_cmpuint(f->bad, ==, ++expected);                                          \
	} while (0)
	BAD(put_i64(f->open, 0, f->slots[COUNT], 1));
	BAD(put_u64(f->open, 0, f->slots[ORDER], 1));
	BAD(put_text(f->open, 0, f->slots[COUNT], "x", 1));
	BAD(put_u64(f->open, 0, f->slots[TEXT], 1));
	BAD(put_map(f->open, 0, f->slots[CPUS], NULL, 0));
	BAD(put_u64(f->open, N_ROWS, f->slots[COUNT], 1));
	BAD(put_u64(f->open, G_MAXUINT64, f->slots[COUNT], 1));
	BAD(put_u64(f->open, 0, f->slots[HOST], 1));
	BAD(put_u64(f->open, 0, 0, 1));
	BAD(put_u64(f->open, 0, G_MAXUINT32, 1));
	BAD(put_u64(f->open, 0, (1u << 16) + N_SLOTS, 1));
	BAD(put_absent(f->open, 0, f->slots[COUNT], CTPROF_PRESENT));
	BAD(put_absent(f->open, 0, f->slots[COUNT], 11));
	BAD(put_absent(f->open, 0, f->slots[COUNT], 80));
	BAD(put_absent(f->open, 0, f->slots[COUNT], 0x100 + CTPROF_ABSENT_DENIED));
	BAD(put_cpuset(f->open, 0, f->slots[CPUS], cpus, 0));
	BAD(put_cpuset(f->open, 0, f->slots[CPUS], cpus, 2));
	BAD(put_cpuset(f->open, 0, f->slots[CPUS], down, 2));
	BAD(vanished(f->open, N_ROWS));
#undef BAD
	for (guint metric = COUNT; metric <= MAP; metric++)
		g_assert_cmpuint(state(f, 0, metric), ==, CTPROF_ABSENT_UNSUPPORTED);
}

static const char long_key[257] = {[0 ... 255] = 'k'};

static const struct map_case {
	guint metric;
	gsize n;
	struct ctprof_map_entry entries[2];
} bad_maps[] = {
	{MAP, 1, {{.key = NULL, .key_len = 1}}},
	{MAP, 1, {{.key = "k", .key_len = 0}}},
	{MAP, 1, {{.key = long_key, .key_len = 256}}},
	{MAP, 1, {{.key = "k\0k", .key_len = 3}}},
	{MAP, 2, {{.key = "good", .key_len = 4}, {.key = "", .key_len = 0}}},
	{WORDS, 1, {{.key = "k", .key_len = 1, .text = "x", .text_len = 65536}}},
	/* Strings that a sink would read, or write as a duplicate JSON key. */
	{WORDS, 1, {{.key = "k", .key_len = 1, .number = 1}}},
	{MAP, 2, {{.key = "twice", .key_len = 5}, {.key = "twice", .key_len = 5}}},
};

static void test_bad_maps(Fixture *f, gconstpointer unused)
{
	(void)unused;
	for (guint i = 0; i < G_N_ELEMENTS(bad_maps); i++) {
		const struct map_case *c = &bad_maps[i];

		g_test_message("map %u", i);
		f->host.put_map(f->open, 0, f->slots[c->metric], c->entries, c->n);
		g_assert_cmpuint(f->bad, ==, i + 1);
		g_assert_cmpuint(state(f, 0, c->metric), ==, CTPROF_ABSENT_UNSUPPORTED);
	}
}

static const struct text_case {
	const char *bytes;
	gsize length;
	const char *kept;
} texts[] = {
	{"", 0, ""},         {"abc", 3, "abc"}, {"abcdef", 3, "abc"},
	{"ab\0cd", 5, "ab"}, {"\0", 1, ""},     {"\xff\n\033", 3, "\xff\n\033"},
};

static void test_text(Fixture *f, gconstpointer unused)
{
	(void)unused;
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		const struct ctprof_text *text;

		begin(f, N_ROWS);
		f->host.put_text(f->open, 1, f->slots[TEXT], texts[i].bytes, texts[i].length);
		text = stored(f, 1, TEXT);
		g_assert_cmpstr(text->bytes, ==, texts[i].kept);
		g_assert_cmpuint(text->length, ==, strlen(texts[i].kept));
	}
	g_assert_cmpuint(f->bad, ==, 0);
}

/* Text longer than the ABI allows is cut or refused, and never read beyond its length. */
static void test_long_text(Fixture *f, gconstpointer unused)
{
	g_autofree char *bytes = g_strnfill(70000, 'x');

	(void)unused;
	f->host.put_text(f->open, 0, f->slots[TEXT], bytes, 70000);
	if (state(f, 0, TEXT) == CTPROF_PRESENT)
		g_assert_cmpuint(((const struct ctprof_text *)stored(f, 0, TEXT))->length, ==,
				 65535);
	else
		g_assert_cmpuint(f->bad, ==, 1);
}

static void test_cpuset(Fixture *f, gconstpointer unused)
{
	static const guint32 cpus[] = {0, 1, 5, 4095};

	(void)unused;
	f->host.put_cpuset(f->open, 2, f->slots[CPUS], cpus, G_N_ELEMENTS(cpus));
	const struct ctprof_cpus *kept = stored(f, 2, CPUS);
	assert_bytes(kept->cpus, kept->n * sizeof *kept->cpus, cpus, sizeof cpus);
}

static void test_map(Fixture *f, gconstpointer unused)
{
	char keys[] = "b..aabz";
	const struct ctprof_map_entry entries[] = {
		{.key = keys + 6, .key_len = 1, .number = 1}, /* z */
		{.key = keys + 3, .key_len = 2, .number = 2}, /* aa */
		{.key = keys, .key_len = 1, .number = 3},     /* b */
		{.key = keys + 3, .key_len = 1, .number = 4}, /* a */
		{.key = keys + 4, .key_len = 2, .number = 5}, /* ab */
	};
	static const char *const order[] = {"a", "aa", "ab", "b", "z"};
	static const guint64 numbers[] = {4, 2, 5, 3, 1};

	(void)unused;
	f->host.put_map(f->open, 0, f->slots[MAP], entries, G_N_ELEMENTS(entries));
	memset(keys, '!', sizeof keys); /* the batch has a copy */
	const struct ctprof_map *map = stored(f, 0, MAP);
	const struct ctprof_map_entry *kept = map->entries;
	g_assert_cmpuint(map->n, ==, G_N_ELEMENTS(order));
	for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
		assert_bytes(kept[i].key, kept[i].key_len, order[i], strlen(order[i]));
		g_assert_cmpuint(kept[i].number, ==, numbers[i]);
	}
	f->host.put_map(f->open, 1, f->slots[MAP], NULL, 0);
	g_assert_cmpuint(((const struct ctprof_map *)stored(f, 1, MAP))->n, ==, 0);
	g_assert_cmpuint(f->bad, ==, 0);
}

static void test_map_of_texts(Fixture *f, gconstpointer unused)
{
	const struct ctprof_map_entry entries[] = {
		{.key = "k", .key_len = 1, .text = "value", .text_len = 3},
		{.key = "empty", .key_len = 5, .text = "", .text_len = 0},
	};

	(void)unused;
	f->host.put_map(f->open, 0, f->slots[WORDS], entries, G_N_ELEMENTS(entries));
	const struct ctprof_map *map = stored(f, 0, WORDS);
	const struct ctprof_map_entry *kept = map->entries;
	assert_bytes(kept[0].text, kept[0].text_len, "", 0);
	assert_bytes(kept[1].text, kept[1].text_len, "val", 3);
}

static void test_vanished(Fixture *f, gconstpointer unused)
{
	struct ctprof_rows rows;

	(void)unused;
	begin(f, 5);
	for (guint64 row = 0; row < 5; row++) {
		f->host.put_u64(f->open, row, f->slots[COUNT], row);
		if (row % 2 == 0)
			f->host.vanished(f->open, row);
	}
	f->host.vanished(f->open, 0); /* the second call changes nothing */
	g_assert_cmpuint(batch_drop_vanished(f->batch), ==, 3);
	batch_view(f->batch, &rows);
	g_assert_cmpuint(rows.n, ==, 2);
	for (guint64 i = 0; i < 2; i++) {
		g_assert_cmpint(ctprof_rows_target(&rows, i)->tid, ==, 101 + 2 * (gint32)i);
		g_assert_cmpuint(value(f, i, COUNT), ==, 1 + 2 * i);
	}
	begin(f, 5);
	g_assert_cmpuint(batch_drop_vanished(f->batch), ==, 0);
	g_assert_cmpuint(f->bad, ==, 0);
}

/* Rounds that need one block, many blocks, and one oversized block in turn; a
 * sanitizer detects reads after the end of a round or out of bounds. */
static void test_reuse(Fixture *f, gconstpointer unused)
{
	static const gsize lengths[] = {1, 65535, 10, 4000, 0, 65535};
	g_autofree char *bytes = g_strnfill(65535, 'y');

	(void)unused;
	for (guint round = 0; round < 60; round++) {
		gsize n = round % 5 == 0 ? BATCH_ROWS : 1 + round % 7;
		gsize length = lengths[round % G_N_ELEMENTS(lengths)];

		begin(f, n);
		for (guint64 row = 0; row < n; row++)
			f->host.put_text(f->open, row, f->slots[TEXT], bytes, length);
		for (guint64 row = 0; row < n; row++) {
			const struct ctprof_text *text = stored(f, row, TEXT);

			g_assert_cmpuint(text->length, ==, length);
			g_assert_cmpuint(strlen(text->bytes), ==, length);
			g_assert_cmpuint(state(f, row, COUNT), ==, CTPROF_ABSENT_UNSUPPORTED);
		}
	}
}

/* Closes one descriptor per process, however many threads it has. */
static void test_closes_targets(Fixture *f, gconstpointer unused)
{
	struct ctprof_target *targets = batch_targets(f->batch);
	int fds[2] = {open(".", O_PATH | O_CLOEXEC), open(".", O_PATH | O_CLOEXEC)};

	(void)unused;
	g_assert_cmpint(fds[0], >=, 0);
	g_assert_cmpint(fds[1], >=, 0);
	targets[0].task_fd = targets[1].task_fd = fds[0];
	targets[2].task_fd = fds[1];
	f->host.vanished(f->open, 1);
	batch_close_targets(f->batch);
	for (guint i = 0; i < N_ROWS; i++)
		g_assert_cmpint(targets[i].task_fd, ==, -1);
	for (guint i = 0; i < G_N_ELEMENTS(fds); i++)
		g_assert_cmpint(fcntl(fds[i], F_GETFD), <, 0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *path;
		void (*test)(Fixture *f, gconstpointer unused);
	} tests[] = {
		{"/batch/empty-rows-have-reasons", test_empty},
		{"/batch/numbers", test_numbers},
		{"/batch/first-value-wins", test_first_wins},
		{"/batch/filled-is-what-need-not-be-read", test_filled},
		{"/batch/process-values-on-the-leader-only", test_leader_only},
		{"/batch/unwanted-is-left-alone", test_unwanted},
		{"/batch/bad-puts-are-counted", test_bad_puts},
		{"/batch/text-ends-at-its-nul", test_text},
		{"/batch/text-is-bounded", test_long_text},
		{"/batch/cpuset", test_cpuset},
		{"/batch/map-is-sorted-and-copied", test_map},
		{"/batch/map-of-texts", test_map_of_texts},
		{"/batch/vanished-rows-are-dropped", test_vanished},
		{"/batch/rounds-do-not-mix", test_reuse},
		{"/batch/closes-each-descriptor-once", test_closes_targets},
		{"/batch/bad-maps-are-counted", test_bad_maps},
	};

	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
		g_test_add(tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
	return g_test_run();
}

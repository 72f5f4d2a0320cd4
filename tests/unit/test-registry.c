/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "row/registry.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "toys.h"

#define LETTERS_64 "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz012345678901"
#define LETTERS_32 "abcdefghijklmnopqrstuvwxyz012345"

/* A valid metric of which one member is replaced. */
static const struct rule_case {
	const char *what;
	guint32 kind, unit, scope; /* 0: as in the valid one */
	const char *name, *group;  /* NULL: as in the valid one; "-": NULL */
	int result;
} rules[] = {
	{.what = "sound"},
	{.what = "name-missing", .name = "-", .result = -EINVAL},
	{.what = "name-empty", .name = "", .result = -EINVAL},
	{.what = "name-upper-case", .name = "Toy", .result = -EINVAL},
	{.what = "name-begins-with-digit", .name = "1toy", .result = -EINVAL},
	{.what = "name-begins-with-dot", .name = ".toy", .result = -EINVAL},
	{.what = "name-with-dash", .name = "to-y", .result = -EINVAL},
	{.what = "name-with-quote", .name = "to\"y", .result = -EINVAL},
	{.what = "name-with-dot", .name = "memory.stat.anon"},
	{.what = "name-of-64", .name = LETTERS_64},
	{.what = "name-of-65", .name = LETTERS_64 "x", .result = -EINVAL},
	{.what = "group-missing", .group = "-", .result = -EINVAL},
	{.what = "group-with-underscore", .group = "to_y", .result = -EINVAL},
	{.what = "group-of-32", .group = LETTERS_32},
	{.what = "group-of-33", .group = LETTERS_32 "x", .result = -EINVAL},
	{.what = "kind-unknown", .kind = 11, .result = -EINVAL},
	{.what = "unit-unknown", .unit = 11, .result = -EINVAL},
	{.what = "scope-unknown", .scope = 11, .result = -EINVAL},
	{.what = "counter-of-text", .unit = CTPROF_UNIT_TEXT, .result = -EINVAL},
	{.what = "counter-of-bool", .unit = CTPROF_UNIT_BOOL, .result = -EINVAL},
	{.what = "counter-of-cpus", .unit = CTPROF_UNIT_CPUS, .result = -EINVAL},
	{.what = "category-of-number", .kind = CTPROF_CATEGORY, .result = -EINVAL},
	{.what = "category-of-char", .kind = CTPROF_CATEGORY, .unit = CTPROF_UNIT_CHAR},
	{.what = "cpuset-of-number", .kind = CTPROF_CPUSET, .result = -EINVAL},
	{.what = "cpuset-of-cpus", .kind = CTPROF_CPUSET, .unit = CTPROF_UNIT_CPUS},
	{.what = "map-of-cpus", .kind = CTPROF_MAP, .unit = CTPROF_UNIT_CPUS, .result = -EINVAL},
	{.what = "label-of-text", .kind = CTPROF_LABEL, .unit = CTPROF_UNIT_TEXT},
	{.what = "ordinal-of-char",
	 .kind = CTPROF_ORDINAL,
	 .unit = CTPROF_UNIT_CHAR,
	 .result = -EINVAL},
	{.what = "taken-by-thread-count", .name = "thread_count", .result = -EEXIST},
};

static const char *pick(const char *given, const char *usual)
{
	return !given ? usual : strcmp(given, "-") == 0 ? NULL : given;
}

static void test_rule(gconstpointer data)
{
	const struct rule_case *c = data;
	g_autoptr(Registry) registry = registry_new();
	struct ctprof_metric metric = toy_metric(
		pick(c->name, "toy"), c->kind ? c->kind : CTPROF_COUNTER,
		c->unit ? c->unit : CTPROF_UNIT_NONE, c->scope ? c->scope : CTPROF_SCOPE_THREAD);
	const char *why = NULL;
	guint32 slot = 4711;

	metric.group = pick(c->group, "toy");
	g_assert_cmpint(registry_add(registry, "p", &metric, &slot, &why), ==, c->result);
	if (c->result == 0) {
		g_assert_null(why);
		g_assert_cmpstr(registry_slot(registry, slot)->def.name, ==, metric.name);
	} else {
		g_assert_nonnull(why);
		g_assert_cmpuint(slot, ==, 4711);
	}
}

static const struct type_case {
	guint32 kind, unit, type;
} types[] = {
	{CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_TYPE_U64},
	{CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_TYPE_U64},
	{CTPROF_PEAK, CTPROF_UNIT_BYTES, CTPROF_TYPE_U64},
	{CTPROF_LOW, CTPROF_UNIT_NS, CTPROF_TYPE_U64},
	{CTPROF_GAUGE, CTPROF_UNIT_CENTIPERCENT, CTPROF_TYPE_U64},
	{CTPROF_ORDINAL, CTPROF_UNIT_NONE, CTPROF_TYPE_I64},
	{CTPROF_CATEGORY, CTPROF_UNIT_TEXT, CTPROF_TYPE_TEXT},
	{CTPROF_CATEGORY, CTPROF_UNIT_BOOL, CTPROF_TYPE_U64},
	{CTPROF_CPUSET, CTPROF_UNIT_CPUS, CTPROF_TYPE_CPUS},
	{CTPROF_MAP, CTPROF_UNIT_KIB, CTPROF_TYPE_MAP},
	{CTPROF_MAP, CTPROF_UNIT_TEXT, CTPROF_TYPE_MAP},
	{CTPROF_LABEL, CTPROF_UNIT_NONE, CTPROF_TYPE_U64},
};

static void test_types(void)
{
	g_autoptr(GStringChunk) names = g_string_chunk_new(64);
	g_autoptr(Registry) registry = registry_new();

	for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
		char name[16];

		g_snprintf(name, sizeof name, "m%u", i);
		guint32 slot = toy_add(registry, "p",
				       toy_metric(g_string_chunk_insert(names, name), types[i].kind,
						  types[i].unit, CTPROF_SCOPE_THREAD));

		g_assert_cmpuint(registry_slot(registry, slot)->type, ==, types[i].type);
	}
}

/* A slot encodes its row class and its index in it; other numbers are not slots. */
static void test_slots(void)
{
	static const guint32 scopes[] = {
		CTPROF_SCOPE_THREAD, CTPROF_SCOPE_PROCESS, CTPROF_SCOPE_MM,   CTPROF_SCOPE_EXIT,
		CTPROF_SCOPE_CGROUP, CTPROF_SCOPE_OBJECT,  CTPROF_SCOPE_HOST, CTPROF_SCOPE_CAPTURE};
	static const char *const names[] = {"t", "p", "m", "e", "c", "o", "h", "s"};
	static const enum row_class rows[] = {ROW_THREAD, ROW_THREAD, ROW_THREAD, ROW_EXIT,
					      ROW_CGROUP, ROW_OBJECT, ROW_HOST,   ROW_CAPTURE};
	g_autoptr(Registry) registry = registry_new();

	for (guint i = 0; i < G_N_ELEMENTS(scopes); i++) {
		guint32 slot =
			toy_add(registry, "p",
				toy_metric(names[i], CTPROF_COUNTER, CTPROF_UNIT_NONE, scopes[i]));
		const Metric *metric = registry_slot(registry, slot);

		g_assert_cmpuint(metric->row, ==, rows[i]);
		g_assert_true(g_ptr_array_index(registry_row(registry, metric->row),
						metric->index) == metric);
	}
	g_assert_cmpuint(registry_row(registry, ROW_THREAD)->len, ==, 3);
	g_assert_null(registry_slot(registry, 0));
	g_assert_null(registry_slot(registry, 1));
	g_assert_null(registry_slot(registry, 4711u << 16));
	g_assert_null(registry_slot(registry, G_MAXUINT32));
	g_assert_null(registry_slot(registry, (1u << 16) + 3));
}

static void test_joins(void)
{
	g_autoptr(Registry) registry = registry_new();
	struct ctprof_metric like =
		toy_metric("run", CTPROF_COUNTER, CTPROF_UNIT_NS, CTPROF_SCOPE_THREAD);
	struct ctprof_metric unlike[] = {like, like, like, like};
	guint32 first = toy_add(registry, "one", like);
	const char *why = NULL;

	like.help = "said otherwise";
	g_assert_cmpuint(toy_add(registry, "two", like), ==, first);
	const Metric *metric = registry_slot(registry, first);
	g_assert_cmpuint(metric->providers->len, ==, 2);
	g_assert_cmpstr(g_ptr_array_index(metric->providers, 0), ==, "one");
	g_assert_cmpstr(metric->def.help, ==, "a toy");

	unlike[0].kind = CTPROF_PEAK;
	unlike[1].unit = CTPROF_UNIT_BYTES;
	unlike[2].scope = CTPROF_SCOPE_PROCESS;
	unlike[3].group = "sched";
	for (guint i = 0; i < G_N_ELEMENTS(unlike); i++) {
		guint32 slot = 4711;

		g_assert_cmpint(registry_add(registry, "two", &unlike[i], &slot, &why), ==,
				-EEXIST);
		g_assert_cmpuint(slot, ==, 4711);
	}
	g_assert_true(registry_seal(registry, NULL, NULL, NULL));
	g_assert_true(registry_provides(registry, "two", ROW_THREAD));
	g_assert_false(registry_provides(registry, "two", ROW_HOST));
	g_assert_false(registry_provides(registry, "three", ROW_THREAD));
}

/* A source is run if any of its metrics is wanted, but not for its tallies alone. */
static void test_asks(void)
{
	g_autoptr(Registry) registry = registry_new();

	toy_add(registry, "tallies",
		toy_metric("t", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_CAPTURE));
	toy_add(registry, "objects",
		toy_metric("o", CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT));
	toy_add(registry, "unasked",
		toy_metric("u", CTPROF_LEVEL, CTPROF_UNIT_BYTES, CTPROF_SCOPE_OBJECT));
	g_assert_true(registry_seal(registry, "-u", NULL, NULL));
	g_assert_false(registry_asks(registry, "tallies"));
	g_assert_true(registry_asks(registry, "objects"));
	g_assert_false(registry_asks(registry, "unasked"));
}

/* A cgroup and the host may have separate metrics of the same name. */
static void test_rows_apart(void)
{
	g_autoptr(Registry) registry = registry_new();
	guint32 host =
		toy_add(registry, "one",
			toy_metric("psi", CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_HOST));
	guint32 cgroup =
		toy_add(registry, "two",
			toy_metric("psi", CTPROF_COUNTER, CTPROF_UNIT_US, CTPROF_SCOPE_CGROUP));

	g_assert_cmpuint(host, !=, cgroup);
	g_assert_true(registry_named(registry, ROW_HOST, "psi") == registry_slot(registry, host));
	g_assert_true(registry_named(registry, ROW_CGROUP, "psi") ==
		      registry_slot(registry, cgroup));
	g_assert_null(registry_named(registry, ROW_THREAD, "psi"));
	g_assert_cmpuint(registry_slot(registry, host)->providers->len, ==, 1);
}

static void test_rank(void)
{
	static const struct {
		const char *name;
		guint32 rank;
	} added[] = {{"z", 0}, {"c", 30}, {"a", 2}, {"y", 0}, {"b", 30}, {"last", G_MAXUINT32}};
	static const char *const order[] = {"thread_count", "a", "c", "b", "last", "z", "y"};
	g_autoptr(Registry) registry = registry_new();

	for (guint i = 0; i < G_N_ELEMENTS(added); i++) {
		struct ctprof_metric metric = toy_metric(added[i].name, CTPROF_COUNTER,
							 CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD);

		metric.rank = added[i].rank;
		toy_add(registry, "p", metric);
	}
	g_autoptr(GPtrArray) list = registry_list(registry);
	g_assert_cmpuint(list->len, ==, G_N_ELEMENTS(order));
	for (guint i = 0; i < list->len; i++)
		g_assert_cmpstr(((const Metric *)g_ptr_array_index(list, i))->def.name, ==,
				order[i]);
}

/* Metrics a b (group one), c (group two), d (two, on demand), i (identity) and
 * s (capture scope): which of them the lists make wanted. */
static const struct seal_case {
	const char *what, *metrics, *groups, *wanted;
} seals[] = {
	{"not-asked", NULL, NULL, "abcis"},
	{"metric", "a", NULL, "ais"},
	{"metric-left-out", "-a", NULL, "bcis"},
	{"identity-stays", "-i", NULL, "abcis"},
	{"group", NULL, "one", "abis"},
	{"group-left-out", NULL, "-one", "cis"},
	{"metric-and-group", "c", "one", "abcis"},
	{"on-demand-by-name", "d", NULL, "dis"},
	{"on-demand-by-group", NULL, "two", "cdis"},
	{"on-demand-not-in-all", "all", NULL, "abcis"},
	{"on-demand-beside-all", "all,d", NULL, "abcdis"},
	{"none", "-all", NULL, "is"},
	{"thread-count", "thread_count", NULL, "is"},
	{"unknown-metric", "a,nix", NULL, NULL},
	{"unknown-group", NULL, "nix", NULL},
	{"unknown-left-out", "-nix", NULL, NULL},
	{"group-given-as-metric", "one", NULL, NULL},
	{"empty-entry", "a,,b", NULL, NULL},
};

static Registry *make_registry(void)
{
	static const struct {
		const char *name, *group;
		guint32 scope, flags;
	} metrics[] = {
		{"a", "one", CTPROF_SCOPE_THREAD, 0},
		{"b", "one", CTPROF_SCOPE_HOST, 0},
		{"c", "two", CTPROF_SCOPE_PROCESS, 0},
		{"d", "two", CTPROF_SCOPE_THREAD, CTPROF_METRIC_ON_DEMAND},
		{"i", "identity", CTPROF_SCOPE_THREAD, 0},
		{"s", "two", CTPROF_SCOPE_CAPTURE, 0},
	};
	Registry *registry = registry_new();

	for (guint i = 0; i < G_N_ELEMENTS(metrics); i++) {
		struct ctprof_metric metric = toy_metric(metrics[i].name, CTPROF_COUNTER,
							 CTPROF_UNIT_NONE, metrics[i].scope);

		metric.group = metrics[i].group;
		metric.flags = metrics[i].flags;
		toy_add(registry, "p", metric);
	}
	return registry;
}

static void test_seal(gconstpointer data)
{
	const struct seal_case *c = data;
	g_autoptr(Registry) registry = make_registry();
	g_autoptr(GString) wanted = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	if (!c->wanted) {
		g_assert_false(registry_seal(registry, c->metrics, c->groups, &error));
		g_assert_error(error, USAGE_ERROR, 0);
		return;
	}
	g_assert_true(registry_seal(registry, c->metrics, c->groups, &error));
	g_autoptr(GPtrArray) list = registry_list(registry);
	for (guint i = 1; i < list->len; i++) { /* 0 is thread_count, in no row */
		const Metric *metric = g_ptr_array_index(list, i);

		g_string_append(wanted, metric->wanted ? metric->def.name : "");
		g_assert_cmpuint(metric->unfilled, ==,
				 metric->wanted ? CTPROF_ABSENT_UNSUPPORTED
						: CTPROF_ABSENT_SKIPPED);
	}
	g_assert_cmpstr(wanted->str, ==, c->wanted);
}

static void test_sealed(void)
{
	g_autoptr(Registry) registry = toy_registry();
	struct ctprof_metric late =
		toy_metric("late", CTPROF_COUNTER, CTPROF_UNIT_NONE, CTPROF_SCOPE_THREAD);
	const char *why = NULL;
	guint32 slot = 4711;

	g_assert_cmpint(registry_add(registry, "p", &late, &slot, &why), ==, -EBUSY);
	g_assert_nonnull(why);
	g_assert_null(registry_named(registry, ROW_THREAD, "late"));
}

static void test_limit(void)
{
	g_autoptr(GStringChunk) names = g_string_chunk_new(4096);
	g_autoptr(Registry) registry = registry_new();
	const char *why = NULL;
	int result = 0;
	guint n;

	for (n = 0; n <= 65536 && result == 0; n++) {
		char name[16];

		g_snprintf(name, sizeof name, "m%u", n);
		struct ctprof_metric metric =
			toy_metric(g_string_chunk_insert(names, name), CTPROF_COUNTER,
				   CTPROF_UNIT_NONE, CTPROF_SCOPE_HOST);
		guint32 slot;

		result = registry_add(registry, "p", &metric, &slot, &why);
	}
	g_assert_cmpint(result, ==, -EINVAL);
	g_assert_cmpuint(n, >, 1000);
	g_assert_nonnull(why);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(rules); i++) {
		g_autofree char *path = g_strconcat("/registry/rule/", rules[i].what, NULL);

		g_test_add_data_func(path, &rules[i], test_rule);
	}
	g_test_add_func("/registry/kind-and-unit-give-the-type", test_types);
	g_test_add_func("/registry/slots", test_slots);
	g_test_add_func("/registry/joins-like-metrics-only", test_joins);
	g_test_add_func("/registry/tallies-alone-ask-for-no-run", test_asks);
	g_test_add_func("/registry/one-name-in-two-sorts-of-row", test_rows_apart);
	g_test_add_func("/registry/lists-by-rank-then-as-registered", test_rank);
	for (guint i = 0; i < G_N_ELEMENTS(seals); i++) {
		g_autofree char *path = g_strconcat("/registry/seal/", seals[i].what, NULL);

		g_test_add_data_func(path, &seals[i], test_seal);
	}
	g_test_add_func("/registry/sealed-takes-no-more", test_sealed);
	g_test_add_func("/registry/is-bounded", test_limit);
	return g_test_run();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <glib.h>
#include <string.h>

#include "../mounts.h"
#include "../parse.h"

#define NONE G_MAXUINT64 - 1 /* the parser rejects it */

static void test_limit(void)
{
	static const struct {
		const char *text;
		guint64 number, limit;
	} cases[] = {
		{"max\n", NONE, G_MAXUINT64},
		{"0\n", 0, 0},
		{"9223372036854771712\n", 9223372036854771712u, 9223372036854771712u},
		{"18446744073709551616\n", NONE, NONE},
		{"", NONE, NONE},
		{"-1\n", NONE, NONE},
		{"1 2\n", NONE, NONE},
		{"maximum\n", NONE, NONE},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint64 number = NONE, limit = NONE;

		cgroup_parse_number(cases[i].text, strlen(cases[i].text), &number);
		cgroup_parse_limit(cases[i].text, strlen(cases[i].text), &limit);
		g_assert_cmpuint(number, ==, cases[i].number);
		g_assert_cmpuint(limit, ==, cases[i].limit);
	}
}

/* No default replaces a value that the file lacks. */
static void test_cpu_max(void)
{
	static const struct {
		const char *text;
		guint64 quota, period;
	} cases[] = {
		{"50000 100000\n", 50000, 100000},  {"max 100000\n", G_MAXUINT64, 100000},
		{"50000\n", 50000, NONE},           {"50000 garbage\n", 50000, NONE},
		{"garbage 100000\n", NONE, 100000}, {"", NONE, NONE},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct cgroup_cpu_max max;

		cgroup_parse_cpu_max(cases[i].text, strlen(cases[i].text), &max);
		g_assert_cmpuint(max.quota_state ? NONE : max.quota, ==, cases[i].quota);
		g_assert_cmpuint(max.period_state ? NONE : max.period, ==, cases[i].period);
		g_assert_true(max.quota_state == 0 || max.quota_state == CTPROF_ABSENT_INVALID);
	}
}

static void test_field(void)
{
	static const struct {
		const char *text;
		guint32 state;
		guint64 value;
	} cases[] = {
		{"usage_usec 7\nnr_throttled 3\n", CTPROF_PRESENT, 3},
		{"usage_usec 7\n", CTPROF_ABSENT_UNSUPPORTED, 0},
		{"nr_throttled x\n", CTPROF_ABSENT_INVALID, 0},
		{"nr_throttled -3\n", CTPROF_ABSENT_INVALID, 0},
		{"\nnr_throttled\n", CTPROF_ABSENT_INVALID, 0},
		{"", CTPROF_ABSENT_INVALID, 0},
		{"nr_throttled 4", CTPROF_PRESENT, 4},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		guint64 value = 0;

		g_assert_cmpuint(cgroup_parse_field(cases[i].text, strlen(cases[i].text),
						    "nr_throttled", &value),
				 ==, cases[i].state);
		g_assert_cmpuint(value, ==, cases[i].value);
	}
}

static char *map_text(const struct cgroup_map *map, gboolean good)
{
	GString *out = g_string_new(good ? NULL : "refused");

	for (gsize i = 0; good && i < map->n; i++)
		g_string_append_printf(out, "%s%.*s=%" G_GUINT64_FORMAT, i ? "; " : "",
				       (int)map->entries[i].key_len, map->entries[i].key,
				       map->entries[i].number);
	return g_string_free(out, FALSE);
}

static void test_maps(void)
{
	static const struct {
		bool (*parse)(const char *text, size_t len, struct cgroup_map *ret);
		const char *text, *map;
	} cases[] = {
		{cgroup_parse_flat,
		 "good 42\nbad_no_value\nbad_negative -5\nbad_text foo\n\nrecover 7\n",
		 "good=42; recover=7"},
		{cgroup_parse_flat, "b 1\na 2\nb 3\n", "a=2; b=3"},
		{cgroup_parse_flat, "a 18446744073709551615", "a=18446744073709551615"},
		{cgroup_parse_flat, "a 1 2\n", "refused"},
		{cgroup_parse_flat, "", "refused"},
		{cgroup_parse_io_stat, "8:0 rbytes=1 wbytes=2\n8:16 rbytes=3\n",
		 "8:0 rbytes=1; 8:0 wbytes=2; 8:16 rbytes=3"},
		{cgroup_parse_io_stat, "7:7 7:6 8:0 rios=4\n", "8:0 rios=4"},
		{cgroup_parse_io_stat, "8:0 cost.vrate=100.00 depth=max rios=4 rios=5\n",
		 "8:0 rios=5"},
		{cgroup_parse_io_stat, "", ""},
		{cgroup_parse_io_stat, "rbytes=1\n", "refused"},
		{cgroup_parse_io_stat, "8:0\n", "refused"},
	};
	g_autofree struct cgroup_map *map = g_new0(struct cgroup_map, 1);

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		gboolean good = cases[i].parse(cases[i].text, strlen(cases[i].text), map);
		g_autofree char *text = map_text(map, good);

		g_assert_cmpstr(text, ==, cases[i].map);
	}
}

/* A file with more entries than a map has room for is rejected as a whole. */
static void test_map_bounds(void)
{
	g_autofree struct cgroup_map *map = g_new0(struct cgroup_map, 1);
	g_autoptr(GString) flat = g_string_new(NULL);
	g_autofree char *name = g_strnfill(CGROUP_MAX_KEY, 'k');

	for (guint i = 0; i < CGROUP_MAX_ENTRIES; i++)
		g_string_append_printf(flat, "key%u %u\n", i, i);
	g_assert_true(cgroup_parse_flat(flat->str, flat->len, map));
	g_assert_cmpuint(map->n, ==, CGROUP_MAX_ENTRIES);
	g_string_append(flat, "more 1\n");
	g_assert_false(cgroup_parse_flat(flat->str, flat->len, map));

	g_string_printf(flat, "%s 1\n%sk 2\nnul", name, name);
	g_string_append_len(flat, "\0key 3\n", 7);
	g_assert_true(cgroup_parse_flat(flat->str, flat->len, map));
	g_assert_cmpuint(map->n, ==, 1);
}

static void test_mountinfo(void)
{
	static const struct {
		const char *line, *root, *point;
		guint32 bits;
	} cases[] = {
		{"37 27 0:30 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw", "/",
		 "/sys/fs/cgroup", 1u << CGROUP_UNIFIED},
		{"41 31 0:38 / /sys/fs/cgroup/unified rw shared:9 master:1 - cgroup2 c rw", "/",
		 "/sys/fs/cgroup/unified", 1u << CGROUP_UNIFIED},
		{"32 31 0:29 /a /c/cpu rw - cgroup cgroup rw,cpu,cpuacct", "/a", "/c/cpu",
		 1u << CGROUP_V1_CPU | 1u << CGROUP_V1_CPUACCT},
		{"35 31 0:32 /../.. /c/m rw - cgroup  rw,memory", "/../..", "/c/m",
		 1u << CGROUP_V1_MEMORY},
		{"39 31 0:36 / /c/pids rw - cgroup cgroup rw,pids", "/", "/c/pids",
		 1u << CGROUP_V1_PIDS},
		{"40 31 0:37 / /c/systemd rw - cgroup cgroup rw,name=systemd", NULL, NULL, 0},
		{"26 2 0:23 / /proc rw,relatime - proc proc rw", NULL, NULL, 0},
		{"26 2 0:23 / /c rw shared:1 cgroup2 none rw", NULL, NULL, 0},
		{"37 27 0:30 x y rw - cgroup2 cgroup2 rw", NULL, NULL, 0},
		{"37 27 0:30 / /c", NULL, NULL, 0},
		{"37 27 0:30 / /c rw -", NULL, NULL, 0},
		{"", NULL, NULL, 0},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *line = cases[i].line;
		struct cgroup_mountinfo info;

		if (!cgroup_parse_mountinfo(line, strlen(line), &info)) {
			g_assert_null(cases[i].root);
			continue;
		}
		g_assert_nonnull(cases[i].root);
		g_assert_true(text_equal(info.root, cases[i].root));
		g_assert_true(text_equal(info.point, cases[i].point));
		g_assert_cmpuint(info.hierarchies, ==, cases[i].bits);
	}
}

static void test_mount_path(void)
{
	static const struct {
		char prefix[8], root[8];
		const char *path, *result;
		int error;
	} cases[] = {
		{"mnt", "/", "/", "mnt/", 0},
		{"mnt", "/", "/a/b c.scope", "mnt/a/b c.scope", 0},
		{".", "/", "/a\\x2d", "./a\\x2d", 0},
		/* A bind mount shows a part of the tree only. */
		{"mnt", "/ct/1", "/ct/1/x", "mnt/x", 0},
		{"mnt", "/ct/1", "/ct/1", "mnt", 0},
		{"mnt", "/ct/1", "/ct/12", NULL, -EXDEV},
		{"mnt", "/ct/1", "/other", NULL, -EXDEV},
		/* Mounted outside, and seen from inside a cgroup namespace. */
		{"mnt", "/..", "/../x", "mnt/x", 0},
		{"mnt", "/..", "/x", NULL, -EXDEV},
		{"mnt", "/..", "/../../x", NULL, -EXDEV},
		/* No path leads out of the mount. */
		{"mnt", "/", "/../x", NULL, -EXDEV},
		{"mnt", "/", "/..", NULL, -EXDEV},
		{"mnt", "/", "/a/../../b", NULL, -EXDEV},
		{"mnt", "/", "/a..b/..c/...", "mnt/a..b/..c/...", 0},
		{"mnt", "/", "", NULL, -EINVAL},
		{"mnt", "/", "a", NULL, -EINVAL},
		{"mnt", "/", "/0123456789012345678901234567890123456789", NULL, -ENAMETOOLONG},
		{"mnt", "/", "/01234567890123456789012345678", NULL, -ENAMETOOLONG},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *prefix = g_strdup(cases[i].prefix), *root = g_strdup(cases[i].root);
		struct cgroup_mount mount = {0, prefix, root};
		char path[32];

		g_assert_cmpint(cgroup_mount_path(&mount, cases[i].path, strlen(cases[i].path),
						  path, sizeof path),
				==, cases[i].error);
		if (cases[i].result)
			g_assert_cmpstr(path, ==, cases[i].result);
		g_free(prefix);
		g_free(root);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cgroup/parse/limit", test_limit);
	g_test_add_func("/cgroup/parse/cpu-max", test_cpu_max);
	g_test_add_func("/cgroup/parse/field", test_field);
	g_test_add_func("/cgroup/parse/maps", test_maps);
	g_test_add_func("/cgroup/parse/map-bounds", test_map_bounds);
	g_test_add_func("/cgroup/parse/mountinfo", test_mountinfo);
	g_test_add_func("/cgroup/mount-path", test_mount_path);
	return g_test_run();
}

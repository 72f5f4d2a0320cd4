/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and lists of any bytes: "A\nB" is taken as two names, as a glob and a
 * path, and as the text of every option.  Errors must be usage errors, and the
 * rules for names must be kept.
 */
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "report/join/condition.h"
#include "report/name/cgroupkey.h"
#include "report/name/glob.h"
#include "report/name/pattern.h"
#include "report/plan/specs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LONGEST 2048

static void try_names(const char *a, const char *b)
{
	g_autofree char *pattern = pattern_key(a);
	g_autofree char *again = pattern_key(pattern);
	g_autofree char *one = cgroup_skeleton(a);
	g_autofree char *other = cgroup_skeleton(b);
	g_autoptr(CgroupKeys) alone = cgroup_keys_new(NULL, TRUE);
	g_autoptr(CgroupKeys) both = cgroup_keys_new(NULL, TRUE);

	g_assert_cmpstr(pattern, ==, again);
	cgroup_keys_add(alone, a);
	g_assert_cmpstr(cgroup_keys_get(alone, a), ==, a);
	cgroup_keys_add(both, a);
	cgroup_keys_add(both, b);
	if (strcmp(one, other) == 0)
		g_assert_cmpstr(cgroup_keys_get(both, a), ==, cgroup_keys_get(both, b));
	else
		g_assert_cmpstr(cgroup_keys_get(both, b), ==, b);
}

static void try_glob(const char *glob, const char *path)
{
	g_autoptr(GError) error = NULL;

	if (!glob_check(glob, &error))
		g_assert_error(error, USAGE_ERROR, 0);
	else if (!strpbrk(glob, "*?["))
		g_assert_cmpint(glob_match(glob, path), ==, strcmp(glob, path) == 0);
	else
		glob_match(glob, path);
}

/* A parser sets an error exactly when it rejects its input. */
static void check(gboolean taken, GError *error)
{
	g_autoptr(GError) owned = error;

	g_assert_cmpint(taken, ==, owned == NULL);
	if (owned)
		g_assert_error(owned, USAGE_ERROR, 0);
}

static void try_specs(const char *text)
{
	GError *errors[6] = {NULL};
	g_autoptr(GArray) keys = specs_parse_sort(text, &errors[0]);
	g_autoptr(GPtrArray) metrics = specs_parse_metrics(text, &errors[1]);
	g_autoptr(GArray) columns = specs_parse_columns(text, NULL, TRUE, &errors[2]);
	g_autoptr(GArray) conditions = condition_parse(text, &errors[3]);
	gdouble least[N_DIMENSIONS];
	g_autoptr(GPtrArray) groups = NULL;
	guint32 set;
	gboolean has_set = specs_parse_sections(text, TRUE, &set, &groups, &errors[4]);
	gboolean has_least = specs_parse_min_delta(text, least, &errors[5]);

	check(keys != NULL, errors[0]);
	check(metrics != NULL, errors[1]);
	check(columns != NULL, errors[2]);
	check(conditions != NULL, errors[3]);
	check(has_set, errors[4]);
	check(has_least, errors[5]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, MIN(size, LONGEST));
	g_auto(GStrv) lines = g_strsplit(text, "\n", 2);
	const char *a = lines[0] ? lines[0] : "", *b = lines[0] && lines[1] ? lines[1] : "";

	try_names(a, b);
	try_glob(a, b);
	try_specs(a);
	try_specs(b);
	return 0;
}
